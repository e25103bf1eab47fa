package detect

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// found is a race without what differs between two runs of one program.
type found struct {
	addr          uintptr
	first, second uint32 // places
	ops           [2]shadow.Op
	task          uint32 // of the first
}

func (j *judged) found(where bool) map[found]bool {
	all := map[found]bool{}
	for _, r := range j.races {
		f := found{r.addr, r.first.Place, r.second.Place, [2]shadow.Op{r.first.Op, r.second.Op}, uint32(r.first.Strand >> 32)}
		if !where {
			f.addr = 0
		}
		all[f] = true
	}
	return all
}

// quickly makes accesses to a box, by Quick if it can.
func (j *judged) quickly(t reach.Task, op shadow.Op, b shadow.Box, pc uintptr) bool {
	p, base := j.proc(t), uintptr(unsafe.Pointer(&frame))
	p.calledAt(j.Local(t), base)
	before := p.Accesses[op-shadow.Read]
	if Quick(p, j.Local(t), AccessAt(pc, uintptr(op-shadow.Read)), base, &b) {
		n := b.Dims[0].Count * b.Dims[1].Count * b.Dims[2].Count
		if p.Accesses[op-shadow.Read] != before+uint64(n) {
			panic("not all accesses were counted")
		}
		return true
	}
	j.Enter(p)
	j.AccessBox(p, t, b.Normal(), pc, placed(op, pc))
	j.Leave(p)
	return false
}

// ranged makes accesses to the elements of a box that lie side by side, by what memos say if
// they say all.
func (j *judged) ranged(t reach.Task, op shadow.Op, b shadow.Box, pc uintptr) bool {
	p, l, kind, size := j.proc(t), j.Local(t), uintptr(op-shadow.Read), uintptr(b.Dims[0].Count)
	if KnownRange(p, l, kind, b.Base, size) || j.MoveRange(p, l, AccessAt(pc, kind), b.Base, size, 7) {
		return true
	}
	j.Enter(p)
	j.Access(p, t, b.Base, size, pc, placed(op, pc))
	j.Leave(p)
	return false
}

// scattered makes accesses to the elements of a box, each by its index, by what memos say as far
// as they say all.
func (j *judged) scattered(t reach.Task, op shadow.Op, b shadow.Box, pc uintptr) (quick bool) {
	p, base := j.proc(t), uintptr(unsafe.Pointer(&frame))
	p.calledAt(j.Local(t), base)
	var indices []uintptr
	eachElement(b, func(addr uintptr) { indices = append(indices, addr-low) })
	quick = true
	for len(indices) > 0 {
		before := p.Accesses[op-shadow.Read] + uint64(len(indices))
		indices = QuickScattered(p, j.Local(t), AccessAt(pc, uintptr(op-shadow.Read)), base, low, 1, indices)
		if p.Accesses[op-shadow.Read] != before-uint64(len(indices)) {
			panic("not all accesses were counted")
		}
		if len(indices) > 0 {
			p.through(&j.Detector, t, op, low+indices[0], pc)
			indices, quick = indices[1:], false
		}
	}
	return quick
}

func randomRange(r *rand.Rand) shadow.Box {
	size := []int{1, 2, 4, 8, 24, 32, 64, 1 + r.IntN(80)}[r.IntN(8)]
	addr := low + 1024 + uintptr(r.IntN(120))
	if r.IntN(2) == 0 {
		addr &^= 7
	}
	return shadow.Box{Base: addr, Dims: [shadow.BoxDims]shadow.Dim{{Count: size, Stride: 1}, {Count: 1}, {Count: 1}}}
}

func eachElement(b shadow.Box, f func(uintptr)) {
	d := &b.Dims
	for k := range d[2].Count {
		for j := range d[1].Count {
			for i := range d[0].Count {
				f(b.Base + uintptr(i*d[0].Stride+j*d[1].Stride+k*d[2].Stride))
			}
		}
	}
}

func randomBox(r *rand.Rand) shadow.Box {
	size := []int{1, 2, 4, 8, 8, 8, 12, 16, 80}[r.IntN(9)]
	b := shadow.Box{Base: low + 1024 + uintptr(r.IntN(20)*size), Dims: [shadow.BoxDims]shadow.Dim{{Count: 1}, {Count: 1}, {Count: 1}}}
	switch r.IntN(4) {
	case 0, 1: // a few lines as a whole
		b.Base = low + 1024 + uintptr(64*r.IntN(4))
		b.Dims[0] = shadow.Dim{Count: 64 / 8 * (1 + r.IntN(3)), Stride: 8}
		return b
	}
	b.Dims[0] = shadow.Dim{Count: 1 + r.IntN(12), Stride: size * []int{1, 1, 1, -1, 0, 2}[r.IntN(6)]}
	if r.IntN(3) == 0 {
		b.Dims[1] = shadow.Dim{Count: 1 + r.IntN(3), Stride: size * (r.IntN(8) - 3)}
		b.Dims[2] = shadow.Dim{Count: 1 + r.IntN(2), Stride: size * r.IntN(9)}
	}
	return b
}

// TestQuickIsOneByOne compares boxes, most of them by what memos say, with the same accesses one
// by one by the history: what races, and what is remembered of each byte.
func TestQuickIsOneByOne(t *testing.T) {
	areOneByOne(t, 200, 30, randomBox, (*judged).quickly, 800)
}

// TestScatteredAreOneByOne does so with elements by their indices.
func TestScatteredAreOneByOne(t *testing.T) {
	areOneByOne(t, 200, 33, randomBox, (*judged).scattered, 800)
}

// TestMovedRangesAreOneByOne does so with ranges.
func TestMovedRangesAreOneByOne(t *testing.T) {
	areOneByOne(t, 400, 32, randomRange, (*judged).ranged, 4000)
}

// areOneByOne compares so many random programs, and expects that at least so many of what they make is quick.
func areOneByOne(t *testing.T, programs, stream uint64, random func(*rand.Rand) shadow.Box, made func(*judged, reach.Task, shadow.Op, shadow.Box, uintptr) bool, least int) {
	quick := 0
	for seed := range programs {
		if err := compareQuick(t, rand.New(rand.NewPCG(seed, stream)), random, made, &quick); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if quick < least {
		t.Errorf("only %d were quick", quick)
	}
}

func compareQuick(t *testing.T, r *rand.Rand, random func(*rand.Rand) shadow.Box, made func(*judged, reach.Task, shadow.Op, shadow.Box, uintptr) bool, quick *int) error {
	q, s := newJudged(t), newJudged(t)
	both := [2]*judged{q, s}
	q.History.KeepAll()
	s.History.KeepAll()
	var late [2]reach.Task // knows of nothing, and looks in the end
	var tasks [2][]reach.Task
	for i, j := range both {
		late[i] = j.Fork(j.Engine.Root(), 0)
		tasks[i] = []reach.Task{j.Engine.Root()}
	}
	for range 60 {
		switch r.IntN(12) {
		case 0:
			if n := len(tasks[0]); n < 6 {
				from := r.IntN(n)
				for i, j := range both {
					tasks[i] = append(tasks[i], j.Fork(tasks[i][from], 0))
				}
			}
		case 1:
			addr, size, collects := low+1024+uintptr(r.IntN(300)), uintptr(r.IntN(100)), r.IntN(3) == 0
			for _, j := range both {
				j.Forget(addr, size)
				if collects {
					j.Collect(true)
				}
			}
		default:
			n, op, pc, b := r.IntN(len(tasks[0])), shadow.Op(1+r.IntN(2)), uintptr(1+r.IntN(4)), random(r)
			for range 1 + r.IntN(2) {
				if made(q, tasks[0][n], op, b, pc) {
					*quick++
				}
				eachElement(b, func(addr uintptr) { s.proc(tasks[1][n]).through(&s.Detector, tasks[1][n], op, addr, pc) })
			}
			if got, want := q.found(false), s.found(false); !maps.Equal(got, want) {
				return fmt.Errorf("%+v by %d: races are %v, one by one %v", b, n, got, want)
			}
		}
	}
	for i, j := range both {
		j.races = nil
		for addr := uintptr(low); addr < low+4096; addr++ {
			j.proc(late[i]).through(&j.Detector, late[i], shadow.Write, addr, addr)
		}
	}
	if got, want := q.found(true), s.found(true); !maps.Equal(got, want) {
		for f := range want {
			if !got[f] {
				return fmt.Errorf("%+v is forgotten", f)
			}
		}
		return fmt.Errorf("more is remembered than one by one: %d, %d", len(got), len(want))
	}
	return nil
}

// TestKnownRanges compares ranges that memos say change nothing with what the history says.
func TestKnownRanges(t *testing.T) {
	known := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 31))
		j := newJudged(t)
		tasks := []reach.Task{j.Engine.Root()}
		for range 300 {
			task, op := tasks[r.IntN(len(tasks))], shadow.Op(1+r.IntN(2))
			addr, pc := low+1024+uintptr(r.IntN(128)), uintptr(1+r.IntN(4))
			switch r.IntN(16) {
			case 0:
				if len(tasks) < 5 {
					tasks = append(tasks, j.Fork(task, 0))
				}
			case 1:
				j.Forget(addr, uintptr(r.IntN(100)))
				if r.IntN(3) == 0 {
					j.Collect(true)
				}
			case 2, 3, 4, 5:
				j.access(task, op, addr, pc)
			case 6, 7:
				for range r.IntN(60) {
					j.access(task, op, addr, pc)
					addr++
				}
			default:
				size := uintptr(1 + r.IntN(40))
				p := j.proc(task)
				yes := KnownRange(p, j.Local(task), uintptr(op-shadow.Read), addr, size)
				races := len(j.races)
				j.Enter(p)
				out := j.Access(p, task, addr, size, pc, placed(op, pc))
				j.Leave(p)
				if yes {
					known++
				}
				if yes && (out.Changed || len(j.races) != races) {
					t.Fatalf("seed %d: %d bytes at %#x, operation %d of task %d: known, but changed: %+v", seed, size, addr, op, task, out)
				}
			}
		}
	}
	if known < 400 {
		t.Errorf("only %d ranges were known", known)
	}
	j := newJudged(t)
	j.write(j.Engine.Root(), low+lowSize-1, 1)
	for _, c := range []struct {
		addr, size uintptr
		want       bool
	}{{low + lowSize - 1, 1, true}, {low + lowSize - 1, 2, false}, {low + lowSize, 1, false}, {low + lowSize - 1, 0, false}, {0, 8, false}} {
		if got := KnownRange(j.proc(j.Engine.Root()), j.Local(j.Engine.Root()), 1, c.addr, c.size); got != c.want {
			t.Errorf("%d bytes at %#x: known is %v", c.size, c.addr, got)
		}
	}
}

// TestQuickMutants shows that the test notices what is easily got wrong.
func TestQuickMutants(t *testing.T) {
	mutants.Run(t, "^(TestQuickIsOneByOne|TestScatteredAreOneByOne|TestKnownRanges)$", []mutants.Mutant{
		{Name: "an element that no memo tells of is left out", File: "quick.go",
			Old: " || !q.row(addr, 1, 8) {\n			break\n		}\n", New: " {\n			break\n		} else {\n			q.row(addr, 1, 8)\n		}\n"},
		{Name: "an element that was read is known to be written", File: "quick.go",
			Old: "p.Known(l.Strand, at>>63, st)", New: "p.Known(l.Strand, 0, st)"},
		{Name: "scattered elements are not counted", File: "quick.go",
			Old: "	p.Accesses[at>>63&1] += uint64(len(indices) - len(left))\n", New: ""},
		{Name: "rows that go down begin at their end", File: "quick.go",
			Old: "		addr += uintptr(n-1) * uintptr(step)\n", New: ""},
		{Name: "a line that is not all in one state is", File: "quick.go",
			Old: "	if !ok {\n		return false\n	}\n", New: "	_ = ok\n"},
		{Name: "the outermost dimension is left out", File: "quick.go",
			Old: "for k := 0; k < d[2].Count; k++ {", New: "for k := 0; k < 1; k++ {"},
		{Name: "what no memo says is known", File: "quick.go",
			Old: "	return m != nil && (st", New: "	return m == nil || (st"},
		{Name: "elements are not counted", File: "quick.go",
			Old: "uint64(d[0].Count * d[1].Count * d[2].Count)", New: "uint64(d[0].Count)"},
		{Name: "what a read knows is known of a write", File: "quick.go",
			Old: "!p.Known(l.Strand, kind, one)", New: "!p.Known(l.Strand, 0, one)"},
		{Name: "what a read knows is known of a write to the rest of a cell", File: "quick.go",
			Old: "!p.Known(l.Strand, kind, other)", New: "!p.Known(l.Strand, 0, other)"},
		{Name: "one state of a cell stands for both", File: "quick.go",
			Old: "if other != one &&", New: "if false &&"},
		{Name: "a range begins where its cell does", File: "quick.go",
			Old: "<<(addr&7))", New: ")"},
		{Name: "bytes without a history are known", File: "quick.go",
			Old: "if one == 0 || one != known", New: "if one != 0 && one != known"},
		{Name: "the first byte of a line stands for all", File: "quick.go",
			Old: "shadow.InLine(addr, end, 1)\n", New: "shadow.InLine(addr, end, 1)\n		bytes &= -bytes\n"},
		{Name: "a read of the strand stands for its write", File: "quick.go",
			Old: "!h.Knows(st, q.local.Strand, shadow.Op(q.at>>63+1))", New: "!h.Knows(st, q.local.Strand, shadow.Read)"},
	})
}
