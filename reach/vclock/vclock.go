// Package vclock is the engine of vector clocks (Mattern; Fidge): every strand
// carries, for each task that has strands before it, the position of the last.
//
// Class: every program. Order: events in any order in which they could happen;
// queries about any two strands that have started. Costs: release and fork
// O(1), an acquire linear in the number of tasks it knows, a query
// logarithmic in it; memory quadratic in the number of tasks. Clocks are
// sparse, sorted and shared until they change.
//
// It is the slow twin of the faster engines: too simple to be wrong in the
// same way.
package vclock

import (
	"slices"

	"github.com/detrace/detrace/reach"
)

// Engine answers which strand precedes which. Not safe for concurrent use.
// The zero value has a root task in its first strand.
type Engine struct {
	tasks   []task // tasks[i] is task i+2; the root is apart
	root    task
	objects []clock // objects[i] is object i+1
}

// task is the current strand: its index and what precedes it in other tasks.
type task struct {
	index uint32
	known clock
}

// clock holds at most one strand per task, sorted; it stands for them and all
// earlier strands of the same tasks. It is never changed.
type clock []reach.Strand

// last returns the strand of t in c, if any.
func (c clock) last(t reach.Task) (reach.Strand, bool) {
	i, _ := slices.BinarySearch(c, reach.StrandOf(t, 0))
	if i < len(c) && c[i].Task() == t {
		return c[i], true
	}
	return 0, false
}

// with returns c and s.
func (c clock) with(s reach.Strand) clock {
	i, _ := slices.BinarySearch(c, reach.StrandOf(s.Task(), 0))
	rest := c[i:]
	if len(rest) > 0 && rest[0].Task() == s.Task() {
		if rest[0] >= s {
			return c
		}
		rest = rest[1:]
	}
	return append(append(append(make(clock, 0, i+1+len(rest)), c[:i]...), s), rest...)
}

// join returns what is in c or d: per task but t, of which c has nothing, the later
// strand. It is c itself if that says all.
func (c clock) join(d clock, t reach.Task) clock {
	if c.says(d, t) {
		return c
	}
	joined := make(clock, 0, len(c)+len(d))
	for len(c) > 0 && len(d) > 0 {
		switch a, b := c[0], d[0]; {
		case b.Task() == t:
			d = d[1:]
		case a.Task() == b.Task():
			joined = append(joined, max(a, b))
			c, d = c[1:], d[1:]
		case a < b:
			joined, c = append(joined, a), c[1:]
		default:
			joined, d = append(joined, b), d[1:]
		}
	}
	return append(append(joined, c...), d.without(t)...)
}

// says reports whether c knows all of d but what it says of t.
func (c clock) says(d clock, t reach.Task) bool {
	for _, s := range d {
		if s.Task() == t {
			continue
		}
		for len(c) > 0 && c[0].Task() < s.Task() {
			c = c[1:]
		}
		if len(c) == 0 || c[0].Task() != s.Task() || c[0] < s {
			return false
		}
	}
	return true
}

// without returns c without its strand of t.
func (c clock) without(t reach.Task) clock {
	i, _ := slices.BinarySearch(c, reach.StrandOf(t, 0))
	if i < len(c) && c[i].Task() == t {
		return slices.Concat(c[:i], c[i+1:])
	}
	return c
}

const (
	noTask   reach.Task = 0
	rootTask            = 1
)

func (e *Engine) task(t reach.Task) *task {
	if t == rootTask {
		return &e.root
	}
	return &e.tasks[t-2]
}

// Root is the task that runs first.
func (e *Engine) Root() reach.Task { return rootTask }

// Fork starts a child of parent at the end of parent's current strand.
func (e *Engine) Fork(parent reach.Task) reach.Task {
	e.tasks = append(e.tasks, task{known: e.now(parent)})
	e.task(parent).index++
	return reach.Task(len(e.tasks) + 1)
}

// now is the current strand of t and all it knows.
func (e *Engine) now(t reach.Task) clock { return e.task(t).known.with(e.Strand(t)) }

// End says that t runs no more.
func (e *Engine) End(reach.Task) {}

// Strand is the current strand of t.
func (e *Engine) Strand(t reach.Task) reach.Strand { return reach.StrandOf(t, e.task(t).index) }

// NewObject returns an empty object; 0 is no object.
func (e *Engine) NewObject() uint32 {
	e.objects = append(e.objects, nil)
	return uint32(len(e.objects))
}

// FreeObject forgets o, which must not be used any more.
func (e *Engine) FreeObject(o uint32) { e.objects[o-1] = nil }

// Release makes o hold exactly what t knows and begins t's next strand.
func (e *Engine) Release(t reach.Task, o uint32) {
	e.objects[o-1] = e.now(t)
	e.task(t).index++
}

// ReleaseMerge adds what t knows to o and begins t's next strand.
func (e *Engine) ReleaseMerge(t reach.Task, o uint32) {
	e.objects[o-1] = e.objects[o-1].join(e.now(t), noTask)
	e.task(t).index++
}

// Acquire begins t's next strand, which knows what o holds.
func (e *Engine) Acquire(t reach.Task, o uint32) { e.learn(t, e.objects[o-1]) }

// ReleaseAcquire makes o hold exactly what t knew before, and begins t's next
// strand, which knows what o held.
func (e *Engine) ReleaseAcquire(t reach.Task, o uint32) {
	held := e.objects[o-1]
	e.objects[o-1] = e.now(t)
	e.learn(t, held)
}

// AcquireAll begins t's next strand, which knows the current strand of every
// task.
func (e *Engine) AcquireAll(t reach.Task) {
	var all clock
	for u := reach.Task(rootTask); int(u) <= len(e.tasks)+1; u++ {
		all = append(all, e.Strand(u))
	}
	e.learn(t, all)
}

func (e *Engine) learn(t reach.Task, c clock) {
	r := e.task(t)
	r.known = r.known.join(c, t)
	r.index++
}

// Handle is a strand with what is needed to ask about it when it is no longer
// current.
type Handle struct {
	Strand reach.Strand
	known  clock
}

// Current is the handle of t's current strand.
func (e *Engine) Current(t reach.Task) Handle {
	return Handle{Strand: e.Strand(t), known: e.task(t).known}
}

// Precedes reports whether u precedes the current strand of t or is it.
func (e *Engine) Precedes(u reach.Strand, t reach.Task) bool {
	return e.PrecedesStrand(u, e.Current(t))
}

// PrecedesStrand reports whether u precedes v or is it; both have started.
func (e *Engine) PrecedesStrand(u reach.Strand, v Handle) bool {
	if u.Task() == v.Strand.Task() {
		return u <= v.Strand
	}
	last, ok := v.known.last(u.Task())
	return ok && u <= last
}
