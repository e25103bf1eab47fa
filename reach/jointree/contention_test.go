package jointree_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

// TestLinkContention lets all ancestors of one task acquire what it and its
// children released at the same moment, so that they record links of the same
// tasks; links that got lost or disagree would lose releases.
func TestLinkContention(t *testing.T) {
	const depth, releases = 4, 6
	for range 2000 {
		var e jointree.Engine
		e.Init(64)
		line := []reach.Task{e.Root()}
		for len(line) < depth {
			line = append(line, e.Fork(line[len(line)-1]))
		}
		released, objects := releaseMany(&e, line[depth-1], releases)
		var ready atomic.Int32
		var done sync.WaitGroup
		for i, s := range line[:depth-1] {
			done.Go(func() {
				for ready.Add(1); ready.Load() < depth-1; {
					runtime.Gosched()
				}
				for k := range objects {
					if i%2 == 0 { // some in the order of the releases, some not
						k = len(objects) - 1 - k
					}
					e.Acquire(s, objects[k])
				}
			})
		}
		done.Wait()
		for _, s := range line[:depth-1] {
			for _, u := range released {
				if !e.Precedes(u, s) {
					t.Fatalf("task %d does not know strand %d of task %d, which it acquired", s, u.Index(), u.Task())
				}
				if next := u + 1; next.Index() >= e.Strand(u.Task()).Index() && e.Precedes(next, s) {
					t.Fatalf("task %d knows strand %d of task %d, which nobody released", s, next.Index(), u.Task())
				}
			}
		}
		e.Close()
	}
}

// TestChainContention lets a task succeed its sibling at the moment another learns of
// all tasks, so of its first strand too. An elder sibling learns what that one knows.
func TestChainContention(t *testing.T) {
	chains := 0
	for range 2000 {
		var e jointree.Engine
		e.Init(64)
		elder, first := e.Fork(e.Root()), e.Fork(e.Root())
		promise, learned := e.NewObject(), e.NewObject()
		e.Release(first, promise)
		e.End(first)
		forked := e.Strand(e.Root())
		second, observer := e.Fork(e.Root()), e.Fork(e.Root())
		begun := e.Strand(second)
		var ready atomic.Int32
		var done sync.WaitGroup
		for _, act := range []func(){
			func() { e.Acquire(second, promise) },
			func() { e.AcquireAll(observer) },
		} {
			done.Go(func() {
				for ready.Add(1); ready.Load() < 2; {
					runtime.Gosched()
				}
				act()
			})
		}
		done.Wait()
		e.Release(observer, learned)
		e.Acquire(elder, learned)
		for _, u := range []reach.Strand{reach.StrandOf(first, 1), forked, begun} {
			if !e.Precedes(u, observer) || !e.Precedes(u, elder) {
				t.Fatalf("strand %d of task %d precedes the observer: %v; who learned from it: %v",
					u.Index(), u.Task(), e.Precedes(u, observer), e.Precedes(u, elder))
			}
		}
		if e.Chained() {
			chains++
		}
		e.Close()
	}
	if chains == 0 {
		t.Error("the task never was first")
	}
}

// releaseMany lets t and children of it release, each into an object of its
// own, and returns the strands that did and the objects.
func releaseMany(e *jointree.Engine, t reach.Task, n int) (released []reach.Strand, objects []jointree.Object) {
	for k := range n {
		who := t
		if k%2 == 0 {
			who = e.Fork(t)
		}
		o := e.NewObject()
		released, objects = append(released, e.Strand(who)), append(objects, o)
		e.Release(who, o)
	}
	return released, objects
}
