package detect

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// paths are ways that an access can take: what op does, at the i-th turn, must
// come to the history exactly when slow is set.
func paths(j *judged) []struct {
	name string
	slow bool
	op   func(i int) (slow bool)
} {
	root := j.Engine.Root()
	one, two := j.Fork(root, 0), j.Fork(root, 0)
	const n = 1 << 10
	at := func(i int) uintptr { return low + 4096 + uintptr(i%n)*8 }
	for i := range n {
		j.write(one, at(i), 1)
	}
	return []struct {
		name string
		slow bool
		op   func(i int) (slow bool)
	}{
		{"known read", false, func(int) bool { return j.access(one, shadow.Read, at(3), 1) }},
		{"known write", false, func(i int) bool { return j.access(one, shadow.Write, at(i), 1) }},
		{"move", false, func(i int) bool {
			j.forgetWord(at(i))
			return j.access(one, shadow.Write, at(i), 1)
		}},
		{"slow", true, func(i int) bool {
			j.forgetWord(at(i))
			j.read(two, at(i), 1)
			return j.proc(two).slowly(&j.Detector, two, shadow.Write, at(i), uintptr(i%200))
		}},
	}
}

// forgetWord makes a word new with little cost of its own.
func (j *judged) forgetWord(addr uintptr) { j.History.Forget(addr, 1) }

// slowly is an access that goes to the history in any case.
func (p *Proc) slowly(d *Detector, t reach.Task, op shadow.Op, addr, pc uintptr) bool {
	d.Enter(p)
	d.Access(p, t, addr, 1, pc, placed(op, pc))
	d.Leave(p)
	return true
}

// No path allocates, and the fast ones do not come to the history.
func TestPathsOfAccesses(t *testing.T) {
	j := newJudged(t)
	for _, c := range paths(j) {
		c.op(0)
		i := 0
		slow := 0
		allocs := testing.AllocsPerRun(500, func() {
			if c.op(i) {
				slow++
			}
			i++
		})
		if allocs != 0 || c.slow != (slow > 0) {
			t.Errorf("%s: %v allocations, %d of %d came to the history", c.name, allocs, slow, i)
		}
	}
}

func BenchmarkAccess(b *testing.B) {
	j := newJudged(b)
	for _, c := range paths(j) {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.op(i)
			}
		})
	}
	b.Run("acquire and release", func(b *testing.B) {
		b.ReportAllocs()
		task := j.Fork(j.Engine.Root(), 0)
		for b.Loop() {
			j.Acquire(task, low)
			j.Release(task, low)
		}
	})
}

// One task, forked, ended and joined, with a look at the memory it used.
func BenchmarkTask(b *testing.B) {
	j := newJudged(b)
	p, root := j.procs[0], j.Engine.Root()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		j.Enter(p)
		t := j.Fork(root, 0)
		j.Leave(p)
		p.step(&j.Detector, t, shadow.Write, low+4096+uintptr(i%512)*8, 1)
		j.Enter(p)
		j.ReleaseMerge(t, low)
		j.End(t)
		j.Acquire(root, low)
		j.Leave(p)
		p.step(&j.Detector, root, shadow.Read, low+4096+uintptr(i%512)*8, 2)
	}
}
