package detect

import (
	"sync"
	"testing"

	"github.com/detrace/detrace/reach"
)

// ordered reports whether what a did before precedes what b does now.
func (j *judged) ordered(mark reach.Strand, b reach.Task) bool { return j.Engine.Precedes(mark, b) }

// Two slots of a channel of bytes are neighbours, and different objects.
func TestObjectsOfNeighbouringBytes(t *testing.T) {
	j := newJudged(t)
	const slots = 8
	var senders, receivers [slots]reach.Task
	var sent [slots]reach.Strand
	for i := range senders {
		senders[i], receivers[i] = j.Fork(j.Engine.Root(), 0), j.Fork(j.Engine.Root(), 0)
		sent[i] = j.Engine.Strand(senders[i])
		j.Release(senders[i], low+3+uintptr(i)) // across a granule
	}
	for i, r := range receivers {
		j.Acquire(r, low+3+uintptr(i))
		for k := range sent {
			if got := j.ordered(sent[k], r); got != (k == i) {
				t.Errorf("the receiver of slot %d knows of the sender of slot %d: %v", i, k, got)
			}
		}
	}
}

// Forget drops the objects in its range, and keeps those beside it in the granules
// at its ends.
func TestForgetDropsObjects(t *testing.T) {
	for _, r := range []struct{ off, size uintptr }{
		{0, 8}, {8, 1}, {11, 2}, {8, 4}, {12, 4}, {5, 6}, {15, 10}, {0, 64}, {510, 5}, {500, 1100}, {512, 512}, {3, 0},
	} {
		j := newJudged(t)
		sender := j.Fork(j.Engine.Root(), 0)
		mark := j.Engine.Strand(sender)
		const span = 1700
		for off := range uintptr(span) {
			if off < 70 || off > 490 && off < 530 || off > 1000 {
				j.Release(sender, low+off)
			}
		}
		j.Forget(low+r.off, r.size)
		for off := range uintptr(span) {
			if !(off < 70 || off > 490 && off < 530 || off > 1000) {
				continue
			}
			receiver := j.Fork(j.Engine.Root(), 0)
			j.Acquire(receiver, low+off)
			inside := off-r.off < r.size
			if j.ordered(mark, receiver) == inside {
				t.Errorf("forget %d at %d: the object at %d is kept: %v", r.size, r.off, off, !inside)
			}
		}
		j.Forget(low, span+8)
		if _, objects, _ := j.Engine.Live(); objects != 0 {
			t.Errorf("forget %d at %d, then all: %d objects are left", r.size, r.off, objects)
		}
	}
}

// Memory that is used again starts without an object, and the table of objects
// does not grow by it.
func TestObjectsAreUsedAgain(t *testing.T) {
	j := newJudged(t)
	for i := range 100_000 {
		a, b := j.Fork(j.Engine.Root(), 0), j.Fork(j.Engine.Root(), 0)
		at := low + uintptr(i*24%4096)
		if j.Acquire(b, at) {
			t.Fatalf("round %d: something was learned from new memory", i)
		}
		j.Release(a, at)
		if !j.Acquire(b, at) {
			t.Fatalf("round %d: nothing was learned", i)
		}
		j.Forget(at, 24)
		j.End(a)
		j.End(b)
		if i%1000 == 0 {
			j.Collect(true)
		}
	}
	if _, objects, _ := j.Engine.Live(); objects != 0 || j.places.High() > 100 {
		t.Errorf("%d objects, %d places", objects, j.places.High())
	}
}

func TestReleasesOfAllKinds(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	a, b, c := j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0)
	inA, inB, inC := j.Engine.Strand(a), j.Engine.Strand(b), j.Engine.Strand(c)

	j.ReleaseMerge(a, low)
	j.ReleaseMerge(b, low)
	d := j.Fork(root, 0)
	if j.Acquire(d, low); !j.ordered(inA, d) || !j.ordered(inB, d) {
		t.Error("two merged releases: both precede the acquire")
	}

	j.Release(c, low)
	e := j.Fork(root, 0)
	if j.Acquire(e, low); !j.ordered(inC, e) || j.ordered(inA, e) || j.ordered(inB, e) {
		t.Error("a release replaces what was there")
	}

	f := j.Fork(root, 0)
	inF := j.Engine.Strand(f)
	if j.ReleaseAcquire(f, low); !j.ordered(inC, f) {
		t.Error("an exchange acquires what was there")
	}
	g := j.Fork(root, 0)
	if j.Acquire(g, low); !j.ordered(inF, g) || j.ordered(inC, g) {
		t.Error("an exchange leaves what its task did before it, and nothing else")
	}

	for _, addr := range []uintptr{low - 1, low + lowSize, high - 1, 0} {
		mark := j.Engine.Strand(a)
		j.Release(a, addr)
		if j.Acquire(g, addr) || j.ordered(mark, g) {
			t.Errorf("an object at %#x, outside the windows", addr)
		}
	}
}

// Objects of one granule come and go on several threads; those that stay lose
// nothing.
func TestForgetBesideObjectsInUse(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	const rounds = 100_000
	var wg sync.WaitGroup
	churn := func(task reach.Task, at uintptr) {
		defer wg.Done()
		for range rounds {
			j.Release(task, at)
			j.Forget(at, 2)
		}
	}
	keeper, reader, one, two := j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0), j.Fork(root, 0)
	wg.Add(3)
	go churn(one, low+4)
	go churn(two, low+6)
	lost := 0
	go func() {
		defer wg.Done()
		for range rounds {
			mark := j.Engine.Strand(keeper)
			j.Release(keeper, low)
			if j.Acquire(reader, low); !j.ordered(mark, reader) {
				lost++
			}
		}
	}()
	wg.Wait()
	if lost > 0 {
		t.Errorf("%d of %d releases were lost while the rest of the granule was forgotten", lost, rounds)
	}
	j.Forget(low, 8)
	if _, objects, _ := j.Engine.Live(); objects != 0 {
		t.Errorf("%d objects are left in memory that was forgotten", objects)
	}
}
