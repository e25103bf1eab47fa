package detect

import (
	"testing"
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// The windows of the tests.
const (
	low      = uintptr(0xc0000000)
	lowSize  = uintptr(4 << 20)
	high     = uintptr(0x500000)
	highSize = uintptr(0x4000)
)

// judged is a detector driven by hand, through the same fast path as a judged
// program's. One goroutine at a time.
type judged struct {
	Detector
	procs []*Proc // by task, modulo their number
	races []race
	lucks []race
	count *uint64 // of races, those that the detector saw again by itself too
	mixed int     // unordered atomic operations

	crowded int // accesses that were told so

	live func() (tasks, ever int) // tasks that have not ended, and all; nil if nobody is sole
}

type race struct {
	addr          uintptr
	first, second shadow.Access
}

func newJudged(t testing.TB) *judged {
	j := &judged{count: (*uint64)(offheap.Reserve(4096))}
	var index record.Index
	index.Init()
	entry, _ := index.Find(record.KindRace, 0, 0)
	entry.Place(j.count)
	j.Init(Host{
		Race: func(addr uintptr, first, second shadow.Access) *record.Entry {
			j.races = append(j.races, race{addr, first, second})
			entry.Count()
			return entry
		},
		Luck: func(addr uintptr, first, second shadow.Access) *record.Entry {
			j.lucks = append(j.lucks, race{addr, first, second})
			return nil
		},
		Crowded: func(shadow.Access) { j.crowded++ },
		Sole: func(reach.Task) (sole, first bool) {
			if j.live == nil {
				return false, false
			}
			tasks, ever := j.live()
			return tasks == 1, ever == 1
		},
		Unordered:   func(uintptr, shadow.Access, shadow.Access) { j.mixed++ },
		HistoryFull: func(shadow.Access) { t.Error("the history is full") },
	}, low, lowSize, high, highSize)
	t.Cleanup(func() {
		j.close()
		index.Close()
		offheap.Unreserve(unsafe.Pointer(j.count), 4096)
	})
	for range 3 {
		j.procs = append(j.procs, j.NewProc())
	}
	return j
}

// living counts the tasks of a program, by number; those that ended are 0.
func living(tasks *[]reach.Task) func() (tasks, ever int) {
	return func() (n, ever int) {
		for _, t := range (*tasks)[1:] {
			if t != 0 {
				n++
			}
		}
		return n, len(*tasks) - 1
	}
}

// eager is j, in which every byte may have an audience or a journal.
func (j *judged) eager() *judged {
	j.History.Eager()
	return j
}

// observed makes an observed acquire at addr, after the orders were split if need be.
func (j *judged) observed(t reach.Task, addr uintptr, acquire func(reach.Task, uintptr) (news, ok bool)) {
	splits := j.Splits(t, addr)
	if _, ok := acquire(t, addr); ok {
		return
	}
	invariants.Assert(splits, "detect: refused what does not split")
	p := j.proc(t)
	j.Enter(p)
	j.Split(p)
	j.Leave(p)
	_, ok := acquire(t, addr)
	invariants.Assert(ok, "detect: refused though the orders are split")
}

// close gives the detector's address space back.
func (d *Detector) close() {
	d.Engine.Close()
	d.History.Close()
	d.procs.Close()
	d.tasks.Close()
	d.learned.Close()
	d.places.Close()
	d.channels.Close()
	d.locks.sets.Close()
	d.locks.index.Close()
	d.locks.loose.Close()
	d.library.calls.Close()
	d.library.held.Close()
	d.ran.marks.Close()
	d.ran.locks.Close()
	for _, o := range d.objects {
		if o.size != 0 {
			offheap.Unreserve(o.words, o.size/2)
			offheap.Unreserve(o.present, o.size/region*4)
		}
	}
}

func (j *judged) proc(t reach.Task) *Proc { return j.procs[int(t)%len(j.procs)] }

// access is a plain access of one byte at pc, as the compiler's hook makes it. It
// reports whether it came to the history.
func (j *judged) access(t reach.Task, op shadow.Op, addr, pc uintptr) (slow bool) {
	return j.proc(t).step(&j.Detector, t, op, addr, pc)
}

// step is access by the thread of p.
func (p *Proc) step(d *Detector, t reach.Task, op shadow.Op, addr, pc uintptr) (slow bool) {
	if d.shortcut(p, t, op, addr, pc) {
		return false
	}
	p.through(d, t, op, addr, pc)
	return true
}

// through is step without the shortcuts.
func (p *Proc) through(d *Detector, t reach.Task, op shadow.Op, addr, pc uintptr) shadow.Outcome {
	d.Enter(p)
	out := d.Access(p, t, addr, 1, pc, placed(op, pc))
	p.Learned(d.Engine.Strand(t), op, out)
	d.Leave(p)
	return out
}

func placed(op shadow.Op, pc uintptr) *shadow.Access {
	return &shadow.Access{Place: uint32(pc), Context: 7, Site: uint32(pc), Op: op}
}

// calledAt has 7 for the call path of the frame with the given base.
func (p *Proc) calledAt(l *Local, base uintptr) {
	if _, fresh := p.Context(l, base); !fresh {
		p.remember(l, &Stack{Lo: base, Hi: base + 64}, base, 7)
	}
}

// frame is that of the one function that makes all accesses.
var frame [2]uintptr

// shortcut is the path of an access that ends before the history.
func (d *Detector) shortcut(p *Proc, t reach.Task, op shadow.Op, addr, pc uintptr) bool {
	base := uintptr(unsafe.Pointer(&frame))
	p.calledAt(d.Local(t), base)
	at := AccessAt(pc, uintptr(op-shadow.Read))
	for {
		path := d.Shortcut(p, t, addr, at, base)
		switch path {
		case ByLine:
			path = InLine(p, d.Local(t), addr, at, base)
		case ByReaders:
			path = InAudience(p, d.Local(t), addr, at, base)
		case ByJournal:
			path = InJournal(p, d.Local(t), addr, at, base)
		}
		if (path != Splits || !d.SplitLine(addr)) && (path != Expands || !d.ExpandCell(p, addr)) {
			return path == Done
		}
	}
}

// state is what the history has of addr.
func (j *judged) state(addr uintptr) shadow.State {
	w := j.History.Window(addr)
	c := w.Cell(addr)
	if c == nil {
		return w.Line(addr).At(addr)
	}
	v := c.Load()
	if st := shadow.Peek(v, addr); st != 0 {
		return st
	}
	return j.History.PeekBlock(v, addr)
}
