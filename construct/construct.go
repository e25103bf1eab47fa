// Package construct turns what a structured program does into what an engine is
// told: it checks that each construct is possible where it stands, numbers the
// strands, and lists what a join joins.
//
// What it refuses is wrong under every engine and in every schedule: an event of a
// task that has ended, a join of one that has not, a promise set twice, a join of
// someone who is not the left neighbour. What only some engines cannot take is
// theirs to refuse.
package construct

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// Run is a structured program being run. Memory is outside the Go heap. One
// goroutine at a time.
//
// Costs: every construct O(1), joins linear in the tasks that they join. 60 bytes a
// task, 16 a finish, 8 a promise.
type Run struct {
	tasks    offheap.Table[task]
	finishes offheap.Table[finish]
	promises offheap.Table[promise]
	joined   offheap.Table[reach.Joined]

	taskCount, finishCount, promiseCount uint32

	strands uint32 // created so far
	out     reach.Construct
}

// task links lists by task ids: the children spawned since the last sync, the
// tasks of a finish, both newest first, and the line.
type task struct {
	parent         uint32
	fork           uint32 // the parent's strand that ended in the fork
	first, follows uint32 // own first strand, the parent's continuation
	current        uint32 // the last one when the task has ended
	finish         uint32 // innermost one open around what the task does now
	inherited      uint32 // the one it was started in
	owed           uint32 // newest spawned child that no sync has joined
	owing          uint32 // how many of them run
	next           uint32 // in the list that this task is in
	left, right    uint32 // neighbours on the line
	kind           reach.Kind
	ended          bool
}

type finish struct {
	owner, outer uint32
	tasks        uint32 // newest async in it
	running      uint32
}

// promise is where a promise was set: 0 while it is not.
type promise struct{ strand, setter uint32 }

const root = 1

// Init makes room for so many tasks, finishes and promises each, the root task among them. The
// root task is running in strand reach.Root.
func (r *Run) Init(maxTasks uint32) {
	r.tasks.Init(maxTasks + 1)
	r.finishes.Init(maxTasks + 1)
	r.promises.Init(maxTasks + 1)
	r.joined.Init(maxTasks + 1)
	r.taskCount, r.strands = root, reach.Root.Index()
	*r.task(root) = task{current: r.strands, first: r.strands}
}

func (r *Run) task(t uint32) *task { return r.tasks.At(t) }

// Tasks is the number of tasks started so far; they are 1 to Tasks.
func (r *Run) Tasks() uint32 { return r.taskCount }

// Strands is the number of strands created so far; their numbers are 1 to Strands.
func (r *Run) Strands() uint32 { return r.strands }

// Current is the strand that t is in, the last one if t has ended.
func (r *Run) Current(t reach.Task) reach.Strand {
	return reach.StrandOf(t, r.task(uint32(t)).current)
}

// Ended reports whether t is over.
func (r *Run) Ended(t reach.Task) bool { return r.task(uint32(t)).ended }

// Parent is the task that started t, 0 for the root, and Kind how.
func (r *Run) Parent(t reach.Task) (reach.Task, reach.Kind) {
	return reach.Task(r.task(uint32(t)).parent), r.task(uint32(t)).kind
}

// Unsynced reports whether t has spawned a child that no sync has joined; then a
// Sync must come before its End.
func (r *Run) Unsynced(t reach.Task) bool { return r.task(uint32(t)).owed != 0 }

// Abandon lets t end without a sync and with finishes open: nobody joins their tasks
// and the children that it has spawned since the last sync.
func (r *Run) Abandon(t reach.Task) {
	k := r.task(uint32(t))
	for id := k.owed; id != 0; id = r.task(id).next {
		r.task(id).kind = 0
	}
	k.owed, k.owing = 0, 0
	k.finish = k.inherited
}

// Drop takes an outer finish of t out of those that are open; nobody joins its tasks.
func (r *Run) Drop(t reach.Task, finish uint32) {
	for id := r.task(uint32(t)).finish; id != 0; id = r.finishes.At(id).outer {
		if f := r.finishes.At(id); f.outer == finish {
			f.outer = r.finishes.At(finish).outer
		}
	}
}

// Innermost is the innermost finish open around what t does now, 0 if there is none.
func (r *Run) Innermost(t reach.Task) uint32 { return r.task(uint32(t)).finish }

// Owing is the number of running children that t's next sync would join.
func (r *Run) Owing(t reach.Task) uint32 { return r.task(uint32(t)).owing }

// Finishing is the number of running tasks of the innermost finish that t itself has
// open; ok is false if there is no such finish.
func (r *Run) Finishing(t reach.Task) (running uint32, ok bool) {
	k := r.task(uint32(t))
	return r.finishes.At(k.finish).running, r.Finishes(t)
}

// Finishes reports whether t itself has a finish open. Only constructs of t change that.
func (r *Run) Finishes(t reach.Task) bool {
	k := r.task(uint32(t))
	return k.finish != k.inherited
}

// Left is t's left neighbour on its line, 0 if there is none.
func (r *Run) Left(t reach.Task) reach.Task { return reach.Task(r.task(uint32(t)).left) }

// NewPromise makes a promise and returns its number; 0 when there are too many.
func (r *Run) NewPromise() uint32 {
	if r.promiseCount+1 >= r.promises.Max() {
		return 0
	}
	r.promiseCount++
	return r.promiseCount
}

// IsSet reports whether promise p has been set, and by whom.
func (r *Run) IsSet(p uint32) (by reach.Task, ok bool) {
	pr := r.promises.At(p)
	return reach.Task(pr.setter), pr.strand != 0
}

// Skip uses up a strand's number and returns it: for callers whose own strands are
// finer than those of the run. The strand that a task is in stays the same.
func (r *Run) Skip() uint32 {
	r.strands++
	return r.strands
}

// Adopt adds a task that no construct started, and returns its first strand, whose number
// is above n. Nothing can join it. There must be room for another task.
func (r *Run) Adopt(n uint32) reach.Strand {
	r.taskCount++
	r.strands = max(r.strands, n) + 1
	*r.task(r.taskCount) = task{first: r.strands, current: r.strands}
	return r.Current(reach.Task(r.taskCount))
}

// Do is t's next construct. arg is the future that is got, the promise, or the task
// that is joined; otherwise 0. The result is valid until the next call, and nil if
// there is nothing to tell an engine (a sync of nobody) or the construct is refused.
func (r *Run) Do(kind reach.Kind, t reach.Task, arg uint32) (*reach.Construct, reach.Refusal) {
	if t == 0 || uint32(t) > r.taskCount {
		return nil, reach.Refusal{Why: "there is no such task"}
	}
	k := r.task(uint32(t))
	if k.ended {
		return nil, reach.Refusal{Why: "the task has ended"}
	}
	r.out = reach.Construct{Kind: kind, Task: t, Before: reach.StrandOf(t, k.current)}
	var refusal reach.Refusal
	switch kind {
	case reach.Spawn, reach.Async, reach.Create, reach.Fork:
		refusal = r.fork(k)
	case reach.Sync:
		if k.owed == 0 {
			return nil, reach.Refusal{}
		}
		refusal = r.sync(k)
	case reach.Finish, reach.EndFinish:
		refusal = r.finish(k)
	case reach.Get, reach.Join:
		refusal = r.joinOne(k, arg)
	case reach.Set, reach.Await, reach.Block:
		refusal = r.promise(k, arg)
	case reach.End:
		refusal = r.end(k)
	default:
		refusal.Why = "there is no such construct"
	}
	if refusal.Refused() {
		return nil, refusal
	}
	return &r.out, reach.Refusal{}
}

// after begins the next strand of the task of the construct.
func (r *Run) after(k *task) {
	r.strands++
	k.current = r.strands
	r.out.After = reach.StrandOf(r.out.Task, r.strands)
}

func (r *Run) fork(k *task) reach.Refusal {
	if r.taskCount+2 > r.tasks.Max() {
		return reach.Refusal{Why: "there are too many tasks"}
	}
	r.taskCount++
	id, t := r.taskCount, uint32(r.out.Task)
	r.strands++
	c := r.task(id)
	*c = task{parent: t, kind: r.out.Kind, fork: k.current, first: r.strands, current: r.strands, finish: k.finish, inherited: k.finish}
	r.out.Other, r.out.First = reach.Task(id), reach.StrandOf(reach.Task(id), r.strands)
	r.after(k)
	c.follows = k.current
	switch r.out.Kind {
	case reach.Spawn:
		c.next, k.owed = k.owed, id
		k.owing++
	case reach.Async:
		if k.finish != 0 {
			f := r.finishes.At(k.finish)
			c.next, f.tasks = f.tasks, id
			f.running++
		}
		r.out.Finish = k.finish
	case reach.Fork:
		c.left, c.right = k.left, t
		if k.left != 0 {
			r.task(k.left).right = id
		}
		k.left = id
	}
	return reach.Refusal{}
}

func (r *Run) sync(k *task) reach.Refusal {
	if k.owing > 0 {
		return r.stillRuns(k.owed, "the sync cannot be over: a spawned task has not ended")
	}
	r.join(k, k.owed)
	k.owed = 0
	return reach.Refusal{}
}

// list is the list of tasks from id on, newest first.
func (r *Run) list(id uint32) []reach.Joined {
	n := uint32(0)
	for ; id != 0; id = r.task(id).next {
		k := r.task(id)
		self, parent := reach.Task(id), reach.Task(k.parent)
		*r.joined.At(n) = reach.Joined{
			Task: self, Into: r.into(k),
			Fork:         reach.StrandOf(parent, k.fork),
			First:        reach.StrandOf(self, k.first),
			Continuation: reach.StrandOf(parent, k.follows),
			Last:         reach.StrandOf(self, k.current),
		}
		n++
	}
	return unsafe.Slice(r.joined.At(0), n)
}

// into is the nearest ancestor of k, a task joined by the construct, that is joined
// by it too or does it.
func (r *Run) into(k *task) reach.Task {
	for {
		id := k.parent
		above := r.task(id)
		if id == uint32(r.out.Task) || r.out.Kind == reach.EndFinish && above.kind == reach.Async && above.inherited == r.out.Finish {
			return reach.Task(id)
		}
		k = above
	}
}

// join begins the strand after a join of the tasks of a list.
func (r *Run) join(k *task, list uint32) {
	r.out.Joined = r.list(list)
	r.strands += uint32(max(len(r.out.Joined), 1) - 1)
	r.after(k)
}

// stillRuns names the newest task of a list that has not ended.
func (r *Run) stillRuns(id uint32, why string) reach.Refusal {
	for id != 0 && r.task(id).ended {
		id = r.task(id).next
	}
	return reach.Refusal{Why: why, Other: reach.Task(id)}
}

func (r *Run) finish(k *task) reach.Refusal {
	t := uint32(r.out.Task)
	if r.out.Kind == reach.Finish {
		if r.finishCount+1 >= r.finishes.Max() {
			return reach.Refusal{Why: "there are too many finishes"}
		}
		r.finishCount++
		*r.finishes.At(r.finishCount) = finish{owner: t, outer: k.finish}
		k.finish = r.finishCount
		r.out.Finish = k.finish
		r.after(k)
		return reach.Refusal{}
	}
	f := r.finishes.At(k.finish)
	if k.finish == 0 || f.owner != t {
		return reach.Refusal{Why: "the task has no finish open"}
	}
	if f.running > 0 {
		return r.stillRuns(f.tasks, "the finish cannot be over: a task of it has not ended")
	}
	r.out.Finish = k.finish
	r.join(k, f.tasks)
	k.finish = f.outer
	return reach.Refusal{}
}

func (r *Run) joinOne(k *task, arg uint32) reach.Refusal {
	if arg == 0 || arg > r.taskCount {
		return reach.Refusal{Why: "there is no such task to join"}
	}
	o := r.task(arg)
	r.out.Other, r.out.Source = reach.Task(arg), reach.StrandOf(reach.Task(arg), o.current)
	switch {
	case r.out.Kind == reach.Get && o.kind != reach.Create:
		return reach.Refusal{Why: "only what was created as a future can be got", Other: r.out.Other}
	case r.out.Kind == reach.Join && k.left != arg:
		return reach.Refusal{Why: "only the immediate left neighbour on the line can be joined", Other: r.out.Other}
	case !o.ended:
		return reach.Refusal{Why: "what is joined has not ended", Other: r.out.Other}
	}
	if r.out.Kind == reach.Join {
		k.left = o.left
		if o.left != 0 {
			r.task(o.left).right = uint32(r.out.Task)
		}
	}
	r.after(k)
	return reach.Refusal{}
}

func (r *Run) promise(k *task, arg uint32) reach.Refusal {
	if arg == 0 || arg > r.promiseCount {
		return reach.Refusal{Why: "there is no such promise"}
	}
	p := r.promises.At(arg)
	setter := reach.Task(p.setter)
	r.out.Promise = arg
	switch {
	case r.out.Kind == reach.Set && p.strand != 0:
		return reach.Refusal{Why: "the promise is already set", Other: setter}
	case r.out.Kind == reach.Block && p.strand != 0:
		return reach.Refusal{Why: "nobody blocks on a promise that is set", Other: setter}
	case r.out.Kind == reach.Await && p.strand == 0:
		return reach.Refusal{Why: "the promise is not set yet"}
	}
	switch r.out.Kind {
	case reach.Block:
		return reach.Refusal{}
	case reach.Set:
		*p = promise{strand: k.current, setter: uint32(r.out.Task)}
	case reach.Await:
		r.out.Other, r.out.Source = setter, reach.StrandOf(setter, p.strand)
	}
	r.after(k)
	return reach.Refusal{}
}

func (r *Run) end(k *task) reach.Refusal {
	if k.owed != 0 {
		return reach.Refusal{Why: "the task has not joined what it spawned", Other: reach.Task(k.owed)}
	}
	if k.finish != k.inherited {
		return reach.Refusal{Why: "the task ends with a finish open"}
	}
	k.ended = true
	switch k.kind {
	case reach.Spawn:
		r.task(k.parent).owing--
	case reach.Async:
		if k.inherited != 0 {
			r.finishes.At(k.inherited).running--
		}
	}
	return reach.Refusal{}
}
