package forder

import (
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
)

// manyStrands runs a program of asyncs and finishes in a few futures, which joins no
// future, and returns the places of all its strands.
func manyStrands(t *testing.T, random *rand.Rand, e *Engine, tasks uint32) (all []place) {
	var run construct.Run
	run.Init(tasks)
	defer run.Close()
	began := func(s reach.Strand) {
		if s != 0 {
			level, _ := e.strand(s)
			all = append(all, e.place(level, s.Index()))
		}
	}
	began(reach.Root)
	kinds := []reach.Kind{reach.Async, reach.Async, reach.Async, reach.Async, reach.Finish, reach.EndFinish, reach.Set}
	for run.Tasks() < tasks-2 {
		kind := kinds[random.IntN(len(kinds))]
		if random.IntN(40) == 0 {
			kind = reach.Create
		}
		task, arg := reach.Task(1+random.IntN(int(run.Tasks()))), uint32(0)
		if kind == reach.Set {
			arg = run.NewPromise()
		}
		if c, refusal := run.Do(kind, task, arg); !refusal.Refused() && c != nil {
			if refusal := e.Do(c); refusal.Refused() {
				t.Fatal(refusal.Why)
			}
			began(c.First)
			began(c.After)
		}
	}
	return all
}

// check fails unless t is a treap in order whose elements of a future are an antichain,
// and returns their number.
func (e *Engine) check(t *testing.T, root uint32) int {
	var order []uint32
	var walk func(x uint32)
	walk = func(x uint32) {
		if x == 0 {
			return
		}
		for _, below := range []uint32{e.at(x).left, e.at(x).right} {
			if below != 0 && e.above(below, x) {
				t.Fatal("priorities are out of order")
			}
		}
		walk(e.at(x).left)
		order = append(order, x)
		walk(e.at(x).right)
	}
	walk(root)
	for i := 1; i < len(order); i++ {
		if !e.less(e.placeOf(order[i-1]), e.placeOf(order[i])) {
			t.Fatal("elements are out of order")
		}
		if e.within(order[i-1], e.placeOf(order[i])) {
			t.Fatal("an element precedes the next one")
		}
	}
	return len(order)
}

// TestPasts compares pasts, made by add, union and forget in many ways, with lists of
// all that was added; nothing changes what was made before.
func TestPasts(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 4))
		e := new(Engine)
		e.Init(3000, 30_000)
		all := manyStrands(t, random, e, 100+120*uint32(seed))
		pasts, twins := []uint32{0}, [][]place{nil}
		said := func(i int, k place) bool {
			for _, x := range twins[i] {
				if x.future == k.future && e.precedes(k, x) {
					return true
				}
			}
			return false
		}
		largest := 0
		for range 100 {
			e.mark = e.elementCount
			i, j := random.IntN(len(pasts)), random.IntN(len(pasts))
			made, twin := pasts[i], append([]place(nil), twins[i]...)
			if random.IntN(3) > 0 {
				for range 1 + random.IntN(20) {
					k := all[random.IntN(len(all))]
					made, twin = e.add(made, k), append(twin, k)
				}
			} else {
				made, twin = e.union(made, pasts[j]), append(twin, twins[j]...)
			}
			e.settle(made)
			pasts, twins = append(pasts, made), append(twins, twin)
		}
		for i, past := range pasts {
			largest = max(largest, e.check(t, past))
			e.mark = e.elementCount
			now := all[random.IntN(len(all))]
			less := e.forget(past, now)
			e.check(t, less)
			for _, k := range all {
				want := said(i, k)
				if e.has(past, k) != want {
					t.Fatalf("seed %d: strand %d in past %d is %v", seed, k.strand, i, !want)
				}
				if known := k.future == now.future && e.precedes(k, now); (e.has(less, k) || known) != (want || known) {
					t.Fatalf("seed %d: strand %d in past %d, less strand %d, is %v", seed, k.strand, i, now.strand, !want)
				}
			}
		}
		t.Logf("%d strands, pasts of up to %d elements", len(all), largest)
		if e.overflow() {
			t.Fatal("no room")
		}
		e.Close()
	}
}
