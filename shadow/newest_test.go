package shadow

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/internal/soak"
)

// crowds are visits of many tasks to few bytes, from many places, under any of three locks or
// several, so that lists are long.
func crowds(seed uint64) []visit {
	r := rand.New(rand.NewPCG(seed, 13))
	var all []visit
	for n := 0; n < 6; n++ {
		all = append(all, visits(seed*6+uint64(n))...)
	}
	locking, atomics := seed%3 != 0, seed%4 == 0
	for i := range all {
		d := &all[i]
		if d.certain = r.IntN(20) == 0; !d.certain && r.IntN(3) != 0 {
			d.from = d.task
		}
		if d.locks = 0; locking && r.IntN(5) != 0 {
			d.locks = 1 + r.Uint32N(2)
			if seed%3 == 2 {
				d.locks = d.locks<<(2*r.IntN(3)) | r.Uint32()&r.Uint32()&r.Uint32()&0x3f
				d.locks &^= d.locks >> 1 & 0x15 // held in one way
			}
		}
		for k := range d.list {
			e := &d.list[k]
			if e.op.Atomic() && !atomics {
				e.op -= 2
			}
			e.site = e.site*3 + r.Uint32N(3)
		}
	}
	return all
}

// take orders d after those that gave its locks back, if either held it exclusively; give what
// comes after d.
func (r *tasksRun) take(d visit) {
	own := r.past[d.task][0]
	for lock, given := range r.given {
		mode := modeOf(d.locks, uint32(lock))
		for other, g := range given {
			for t, i := range g[0] {
				if mode != 0 && (mode == 2 || other == 1) && t != d.task && i > own[t] {
					own[t], r.learned[d.task] = i, own[d.task]
				}
			}
		}
	}
}

func (r *tasksRun) give(d visit) {
	for lock := range r.given {
		if mode := modeOf(d.locks, uint32(lock)); mode != 0 {
			g := &r.given[lock][mode-1][0]
			*g = append(*g, make([]uint32, 12-len(*g))...)
			for t, i := range r.past[d.task][0] {
				(*g)[t] = max((*g)[t], i)
			}
		}
	}
}

// unguarded is a history's run in which no part of a list is skipped and no walk forgets what the
// access itself does not replace.
func unguarded(tasks int) *tasksRun {
	r := newTasksRun(tasks)
	r.unguarded = true
	r.states.newest.lock.Lock()
	return r
}

// compareCrowds makes visits on two histories, which must say the same of every access: race, luck or
// neither; the first finds few of the latest accesses if mask is small. It returns how much less was
// remembered.
func compareCrowds(all []visit, mask uint32) (less int, err error) {
	one, two := newTasksRun(12), unguarded(12)
	defer one.Close()
	defer two.Close()
	one.states.journals.news, two.states.journals.news = never, never
	one.states.newest.mask = mask
	for n, d := range all {
		one.begin(d)
		two.begin(d)
		one.take(d)
		two.take(d)
		for _, e := range d.list {
			one.access(d, e)
			two.access(d, e)
			if got, want := one.verdict(), two.verdict(); got != want {
				return 0, fmt.Errorf("visit %d: %v told %v, want %v", n, e, one.told, two.told)
			}
		}
		one.give(d)
		two.give(d)
	}
	for b := low; b < low+16; b += 8 {
		less += max(0, len(two.remembered(b))-len(one.remembered(b)))
	}
	return less, nil
}

// What is skipped in long lists, and what is forgotten of them, changes no verdict.
func TestCrowds(t *testing.T) {
	first, count := soak.Seeds(400)
	var less atomic.Int64
	seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
		n, err := compareCrowds(crowds(seed), []uint32{7, 7, 7, newestSize - 1}[seed%4])
		less.Add(int64(n))
		return err
	})
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if less.Load() == 0 {
		t.Error("no walk over a list forgot more than the access replaces")
	}
}

// Tasks that take turns leave a list that is no longer than they are many, times their locks.
func TestTurnsStayShort(t *testing.T) {
	for name, locks := range map[string]uint32{"one lock": 1, "two locks": 3} {
		r := newTasksRun(8)
		random := rand.New(rand.NewPCG(1, uint64(locks)))
		for range 3000 {
			d := visit{task: random.IntN(8)}
			d.from = d.task
			d.locks = 2 | 4*random.Uint32N(locks)
			for range 1 + random.IntN(12) {
				r.begin(d)
				r.access(d, event{addr: low, op: Read, site: 1})
				r.access(d, event{addr: low, op: Write, site: 1})
			}
		}
		kinds := 8 * 2 * int(locks)
		if n := len(r.remembered(low)); n > max(4*kinds, 2*shortList) {
			t.Errorf("%s: %d accesses are remembered of %d kinds", name, n, kinds)
		}
		r.Close()
	}
}

// What a task did under another lock is not forgotten for what it did later, however long the list.
func TestOtherLocksAreNotForgotten(t *testing.T) {
	const tasks, one, other = 4 * shortList, 2, 8
	r := newTasksRun(tasks)
	defer r.Close()
	r.states.journals.news, r.states.newest.mask = never, 0 // of neighbours in the list the later one is found
	for task := range tasks {
		for _, locks := range []uint32{one, other} {
			d := visit{task: task, from: task, locks: locks}
			r.begin(d)
			r.access(d, event{addr: low, op: Read, site: 5, context: 1})
		}
	}
	kept := map[uint32]int{}
	for _, a := range r.remembered(low) {
		kept[a.Locks]++
	}
	if kept[one] != tasks || kept[other] != tasks {
		t.Errorf("of %d reads under each of two locks %d and %d are remembered", tasks, kept[one], kept[other])
	}
}

// TestCrowdsMutants shows that they notice what is easily forgotten.
func TestCrowdsMutants(t *testing.T) {
	mutants.Run(t, "^(TestCrowds|TestTurnsStayShort|TestOtherLocksAreNotForgotten)$", []mutants.Mutant{
		{Name: "of any task", File: "newest.go", Old: " && e.strand.Task() == r.strand.Task()", New: ""},
		{Name: "of any kind", File: "newest.go", Old: "e.siteOp == r.siteOp", New: "true"},
		{Name: "under any locks", File: "newest.go", Old: "e.locks == r.locks", New: "true"},
		{Name: "on any walk", File: "newest.go", Old: "if m.walk++; m.walk == 0 {", New: "if m.walk |= 1; m.walk == 0 {"},
		{Name: "nothing is forgotten", File: "newest.go", Old: "\t\treturn true\n", New: "\t\treturn false\n"},
		{Name: "under a guard that changes", File: "state.go", Old: "below.guard|exclusive == a.Guard|exclusive", New: "below.guard != 0"},
		{Name: "writes under a guard that changes", File: "state.go", Old: "t.at(r.past).guard == a.Guard", New: "t.at(r.past).guard != 0"},
		{Name: "held with others like exclusively", File: "guard.go", Old: "r.guard&^exclusive", New: "r.guard"},
		{Name: "by writes held with others", File: "state.go", Old: "t.at(r.past).guard == a.Guard", New: "t.at(r.past).guard|exclusive == a.Guard|exclusive"},
		{Name: "no read is told of", File: "guard.go", Old: "t.compare(e, first, latest, o)", New: "_ = first"},
		{Name: "a write that comes back is not compared", File: "guard.go", Old: "t.compare(r, first, latest, o)", New: "_ = first"},
	})
}
