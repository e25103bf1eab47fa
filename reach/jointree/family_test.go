package jointree_test

import (
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

// TestFamily lets a root, its children and a few grandchildren exchange messages at
// random and compares an engine with one whose acquires know nothing of families: the
// same acquires are news, and the same strands precede those that run.
func TestFamily(t *testing.T) {
	for seed := range uint64(60) {
		const slots, events = 5, 300
		random := rand.New(rand.NewPCG(seed, 0))
		var fast, slow jointree.Engine
		fast.Init(1 << 12)
		slow.Init(1 << 12)
		tasks := []reach.Task{fast.Root()}
		fork := func(parent reach.Task) {
			child := fast.Fork(parent)
			if slow.Fork(parent) != child {
				t.Fatal("two engines number tasks differently")
			}
			tasks = append(tasks, child)
		}
		for range 2 + random.IntN(14) {
			fork(fast.Root())
		}
		objects := [slots]jointree.Object{}
		for i := range objects {
			objects[i] = fast.NewObject()
			slow.NewObject()
		}
		var known []reach.Strand
		for k := range events {
			who, o := tasks[random.IntN(len(tasks))], objects[random.IntN(slots)]
			switch known = append(known, fast.Strand(who)); random.IntN(32) {
			case 0:
				fork(who)
			case 1, 2:
				fork(fast.Root())
			default:
				if got, want := fast.Acquire(who, o), slow.AcquireByRules(who, o); got != want {
					t.Fatalf("seed %d, event %d: an acquire by task %d is news: %v, want %v", seed, k, who, got, want)
				}
				fast.Release(who, o)
				slow.Release(who, o)
			}
			for _, u := range known {
				if got, want := fast.Precedes(u, who), slow.Precedes(u, who); got != want {
					t.Fatalf("seed %d, event %d: strand %d of task %d precedes task %d: %v, want %v", seed, k, u.Index(), u.Task(), who, got, want)
				}
			}
		}
		fast.Close()
		slow.Close()
	}
}

// TestFamilyThatIsJoined lets a child learn, of its parent, of a sibling's strand that the parent has
// joined since: to be told of that by the sibling is no news, though the front has an earlier strand of it.
func TestFamilyThatIsJoined(t *testing.T) {
	var e jointree.Engine
	e.Init(1 << 10)
	defer e.Close()
	parent := e.Root()
	sibling, child := e.Fork(parent), e.Fork(parent)
	passes := func(from, to reach.Task) (again jointree.Object) {
		o := e.NewObject()
		e.Release(from, o)
		if !e.Acquire(to, o) {
			t.Errorf("what task %d did is no news to task %d", from, to)
		}
		return o
	}
	passes(sibling, child)
	passes(parent, child)
	joined := passes(sibling, parent)
	passes(parent, child)
	if e.Acquire(child, joined) {
		t.Error("what the parent has joined is news to who comes after that")
	}
}
