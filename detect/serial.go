package detect

import (
	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
)

// maxNumbers is the number of strands of a serial run.
const maxNumbers = 1 << 28

// serial is what is added to a Detector while the program runs its tasks serially,
// by package sched: its constructs are known as such, and an engine of structured
// programs answers instead of the native one.
//
// The native engine is told of everything all the same, through objects of its own:
// it keeps the tasks for the report, it knows what the program's locks and those of the
// library order, and it answers alone from the moment the other engine cannot go on
// (escalation). Both number strands alike: the position of a native strand is the
// number of the structured one plus offset, and a position between two of them,
// which a release begins, belongs to the lower.
//
// In a serial run only the running task's thread uses it. In a parallel one all do; see
// [Detector.Parallel].
type serial struct {
	run    construct.Run
	engine reach.Engine // nil when the native one answers from the beginning
	any    engines.Any
	first  engines.ID
	why    reach.Refusal // why engine gave up
	forced bool
	nested bool   // up to now, only spawns, asyncs and their joins order what the tasks did
	on     uint32 // the run has begun; last of all
	stage  uint32 // who answers, changed last of all

	maxTasks, maxStrands uint32 // MaxTasks and maxNumbers, but in tests

	parallel parallel

	offset uint32
	number offheap.Table[uint32]     // by native task: the run's task, 0 if it is none of its
	native offheap.Table[reach.Task] // by the run's task
	floor  offheap.Table[uint32]     // by number: the structured strand that it belongs to

	ends     offheap.Table[jointree.Object] // by the run's task: released at its end, by futures and on lines
	syncs    offheap.Table[jointree.Object] // by the run's task: released at the ends of its spawned children
	finishes offheap.Table[jointree.Object] // by finish
	within   offheap.Table[uint32]          // by the run's task: the finish that an async was started in
	promises offheap.Table[jointree.Object] // by promise
	forks    offheap.Table[forked]          // by the run's task: its last fork
}

// forked is the positions of a native task before and after a fork.
type forked struct{ before, after uint32 }

// Serial says that from now on the running task t runs its tasks serially, as the
// root of a structured run, and which engine answers; nothing takes its place. With 0
// that is the cheapest one that takes the first construct, and the native one when
// it cannot go on. Other tasks that the program started may still run: what they share
// with it is the native engine's to order.
func (d *Detector) Serial(t reach.Task, id engines.ID) {
	d.serial.nested = !d.NoMoves
	d.History.Serial()
	d.serial.start(d, t, id)
}

func (s *serial) start(d *Detector, t reach.Task, id engines.ID) {
	if s.maxTasks == 0 {
		s.maxTasks, s.maxStrands = MaxTasks, maxNumbers
	}
	s.run.Init(s.maxTasks)
	s.number.Init(s.maxTasks)
	s.native.Init(s.maxTasks)
	s.floor.Init(s.maxStrands)
	s.ends.Init(s.maxTasks)
	s.syncs.Init(s.maxTasks)
	s.finishes.Init(s.maxTasks)
	s.within.Init(s.maxTasks)
	s.promises.Init(s.maxTasks)
	s.forks.Init(s.maxTasks)
	if id != 0 {
		s.forced = true
		s.begins(id)
	}
	s.offset = d.Engine.Strand(t).Index() - reach.Root.Index()
	*s.number.At(uint32(t)) = uint32(reach.Root.Task())
	*s.native.At(uint32(reach.Root.Task())) = t
	*s.floor.At(reach.Root.Index()) = reach.Root.Index()
	offheap.Store32(&s.on, 1)
}

// Who answers, by stage of a run.
const (
	nativeAnswers     = iota // none has answered yet, or the native one was asked for
	structuredAnswers        // the engine of structured programs
	gaveUp                   // the native one, from then on
)

// answers reports whether the engine of structured programs does.
func (s *serial) answers() bool { return offheap.Load32(&s.stage) == structuredAnswers }

// giveUp lets the native engine answer, if it does not yet. It is called before
// anything can follow that the other engine does not know.
func (s *serial) giveUp(why reach.Refusal) {
	if s.answers() {
		s.why = why
		offheap.Store32(&s.stage, gaveUp)
	}
}

// begins lets engine id answer.
func (s *serial) begins(id engines.ID) {
	offheap.Store32((*uint32)(&s.first), uint32(id))
	if id != engines.JoinTree {
		s.engine = s.any.Start(id, s.maxTasks, s.maxStrands)
		offheap.Store32(&s.stage, structuredAnswers)
	}
}

// cheapest is the engine for programs whose first construct is of this kind.
func (s *serial) cheapest(first reach.Kind) engines.ID {
	if s.parallel.on {
		return s.parallel.cheapest(first)
	}
	switch first {
	case reach.Fork:
		return engines.Lattice
	case reach.Set, reach.Await, reach.Block:
		return engines.DRDP
	}
	return engines.MultiBags
}

// Started is where the run's task other of a refusal was started; 0 if unknown.
func (d *Detector) Started(other reach.Task) (stack uint32) {
	if t := *d.serial.native.At(uint32(other)); t != 0 {
		return d.Engine.ForkStack(t)
	}
	return 0
}

// Answering says which engine a serial run began with and which answers now; 0, 0 if
// there is no serial run. If they differ, why is the reason, and refused says that the
// first one was asked for: the run is then no run of it.
func (d *Detector) Answering() (first, now engines.ID, why reach.Refusal, refused bool) {
	s := &d.serial
	first = engines.ID(offheap.Load32((*uint32)(&s.first)))
	if offheap.Load32(&s.stage) != gaveUp {
		return first, first, reach.Refusal{}, false
	}
	return first, engines.JoinTree, s.why, s.forced
}

// OrderBytes is the memory of the engine of structured programs, if there is one.
func (d *Detector) OrderBytes() (n uint64) {
	s := &d.serial
	s.parallel.enter()
	if s.engine != nil {
		n = s.any.Made().Bytes()
	}
	s.parallel.leave()
	return n
}

// precedes answers for the running task t.
func (d *Detector) precedes(u reach.Strand, t reach.Task) bool {
	s := &d.serial
	from, to := s.between(u, t)
	if from == 0 || to == 0 {
		return d.Engine.Precedes(u, t)
	}
	n := u.Index() - s.offset
	if int32(n) < int32(reach.Root.Index()) {
		n = reach.Root.Index()
	}
	yes := s.engine.Precedes(reach.StrandOf(reach.Task(from), *s.floor.At(n)), s.run.Current(reach.Task(to)))
	if s.any.Dear() && !s.forced {
		s.giveUp(reach.Refusal{Why: "its searches among tasks that wait for others take too long"})
	}
	return yes
}

// between is the run's numbers of u's task and of t, of which one is 0 if the engine of
// structured programs does not answer about them: a goroutine that the run did not start
// is the native one's to order, and what a lock orders it after is no certain edge.
func (s *serial) between(u reach.Strand, t reach.Task) (from, to uint32) {
	if !s.answers() {
		return 0, 0
	}
	return *s.number.At(uint32(u.Task())), *s.number.At(uint32(t))
}

// unnest says that something else orders tasks too. Tasks that run in parallel never were
// nested, and only look.
func (s *serial) unnest() {
	if s.nested {
		s.nested = false
	}
}

// outlasted reports whether what the running task t does now, unless u precedes it, will
// precede whatever u comes to precede.
func (d *Detector) outlasted(u reach.Strand, t reach.Task) bool {
	s := &d.serial
	if !s.nested {
		return false
	}
	from, to := *s.number.At(uint32(u.Task())), *s.number.At(uint32(t))
	return from != 0 && to != 0 && s.run.Outlasted(reach.Task(from), reach.Task(to))
}

// NewPromise makes a promise; 0 when there are too many.
func (d *Detector) NewPromise() uint32 {
	s := &d.serial
	s.parallel.enter()
	if s.first == 0 {
		s.begins(s.cheapest(reach.Set))
	}
	p := s.run.NewPromise()
	s.parallel.leave()
	return p
}

// Serially reports whether a serial run has begun.
//
//go:nosplit
func (d *Detector) Serially() bool { return offheap.Load32(&d.serial.on) != 0 }

// Structured reports whether t belongs to the serial run.
func (d *Detector) Structured(t reach.Task) bool { return *d.serial.number.At(uint32(t)) != 0 }

// Innermost is the innermost finish open around what t does now, 0 if there is none.
func (d *Detector) Innermost(t reach.Task) uint32 {
	return d.serial.run.Innermost(reach.Task(*d.serial.number.At(uint32(t))))
}

// Finishing reports whether t itself has a finish open.
func (d *Detector) Finishing(t reach.Task) bool {
	return d.serial.run.Finishes(reach.Task(*d.serial.number.At(uint32(t))))
}

// Abandon lets t end without a sync of what it has spawned, which no engine but the
// native one can.
func (d *Detector) Abandon(t reach.Task) {
	s := &d.serial
	s.parallel.enter()
	s.run.Abandon(reach.Task(*s.number.At(uint32(t))))
	s.unnest()
	s.giveUp(reach.Refusal{Why: "a task ended before it synced a group in which it had spawned"})
	s.parallel.leave()
}

// JoinOutOfOrder ends a finish of t that is not the innermost one, which no engine but
// the native one can. All its tasks have ended.
func (d *Detector) JoinOutOfOrder(t reach.Task, finish uint32) {
	s := &d.serial
	s.parallel.enter()
	s.run.Drop(reach.Task(*s.number.At(uint32(t))), finish)
	s.unnest()
	d.learn(t, s.finishes.At(finish))
	d.renumber(t, false)
	d.moved(t)
	s.giveUp(reach.Refusal{Why: "a group is synced before one in which the task spawned later"})
	s.parallel.leave()
}

// Unsynced reports whether t has spawned children that no sync has joined.
func (d *Detector) Unsynced(t reach.Task) bool {
	return d.serial.run.Unsynced(reach.Task(*d.serial.number.At(uint32(t))))
}

// Construct is the next construct of the running task t of a serial run. other is the
// future or the task that is joined, promise the promise. stack is where, for the task
// started, which is returned. The refusal is that of an impossible construct.
func (d *Detector) Construct(kind reach.Kind, t, other reach.Task, promise uint32, stack uint32) (started reach.Task, refusal reach.Refusal) {
	s := &d.serial
	s.parallel.enter()
	started, refusal = d.construct(kind, t, other, promise, stack)
	s.parallel.leave()
	return started, refusal
}

func (d *Detector) construct(kind reach.Kind, t, other reach.Task, promise uint32, stack uint32) (started reach.Task, refusal reach.Refusal) {
	s := &d.serial
	if d.Engine.Sole() == t {
		d.Engine.SetSole(0) // a construct's releases do not ask
	}
	if s.first == 0 {
		s.begins(s.cheapest(kind))
	}
	arg := promise
	if other != 0 {
		arg = *s.number.At(uint32(other))
	}
	c, refusal := s.run.Do(kind, reach.Task(*s.number.At(uint32(t))), arg)
	if refusal.Refused() || c == nil {
		return 0, refusal
	}
	if s.run.Strands() >= s.maxStrands-1 {
		return 0, reach.Refusal{Why: "there are too many strands"}
	}
	started = d.follow(c, t, stack)
	if kind.Forks() && started == 0 {
		return 0, reach.Refusal{Why: "there are too many tasks"}
	}
	switch kind {
	case reach.Spawn, reach.Sync, reach.Async, reach.Finish, reach.EndFinish, reach.End:
	default:
		s.unnest()
	}
	if s.answers() {
		if why := s.engine.Do(c); why.Refused() {
			s.giveUp(why)
		}
	}
	return started, reach.Refusal{}
}

// follow tells the native engine.
func (d *Detector) follow(c *reach.Construct, t reach.Task, stack uint32) (started reach.Task) {
	s := &d.serial
	self := uint32(c.Task)
	switch c.Kind {
	case reach.Spawn, reach.Async, reach.Create, reach.Fork:
		before := d.Engine.Strand(t).Index()
		if started = d.fork(t, stack); started == 0 {
			return 0
		}
		*s.forks.At(self) = forked{before, c.After.Index() + s.offset}
		*s.number.At(uint32(started)) = uint32(c.Other)
		*s.native.At(uint32(c.Other)) = started
		*s.within.At(uint32(c.Other)) = c.Finish
		s.begin(d, started, c.First)
	case reach.Sync:
		d.learn(t, s.syncs.At(self))
	case reach.Finish:
	case reach.EndFinish:
		d.learn(t, s.finishes.At(c.Finish))
	case reach.Get, reach.Join:
		d.Engine.Acquire(t, *s.ends.At(uint32(c.Other)))
	case reach.Set:
		d.Engine.Release(t, d.stays(s.promises.At(c.Promise)))
	case reach.Await:
		d.Engine.Acquire(t, *s.promises.At(c.Promise))
	case reach.End:
		d.end(self, t)
		return 0
	}
	if c.After != 0 {
		s.begin(d, t, c.After)
	}
	return started
}

// begin makes n, the number of a new strand of t, its position too.
func (s *serial) begin(d *Detector, t reach.Task, n reach.Strand) {
	*s.floor.At(n.Index()) = n.Index()
	d.Engine.SetIndex(t, n.Index()+s.offset)
	d.moved(t)
}

// learn makes all that was released into o precede what t does next, and frees o.
func (d *Detector) learn(t reach.Task, o *jointree.Object) {
	if *o != 0 {
		d.Engine.Acquire(t, *o)
		d.Engine.FreeObject(*o)
		*o = 0
	}
}

// stays is the object at o, new if there is none.
func (d *Detector) stays(o *jointree.Object) jointree.Object {
	if *o == 0 {
		*o = d.Engine.NewObject()
	}
	return *o
}

// end releases what joins of the task will learn. A task whose last act was a fork, as of
// a stage of a pipeline, which forks the next, is known by the strand before that:
// it precedes the child, so that who knows the child need not remember both.
func (d *Detector) end(self uint32, t reach.Task) {
	s := &d.serial
	if f := s.forks.At(self); f.after != 0 && f.after == d.Engine.Strand(t).Index() && d.Local(t).Since == 0 {
		d.Engine.Rewind(t, f.before)
	}
	parent, kind := s.run.Parent(reach.Task(self))
	switch kind {
	case reach.Spawn:
		d.Engine.ReleaseMerge(t, d.stays(s.syncs.At(uint32(parent))))
	case reach.Async:
		if f := *s.within.At(self); f != 0 {
			d.Engine.ReleaseMerge(t, d.stays(s.finishes.At(f)))
		}
	case reach.Create, reach.Fork:
		d.Engine.Release(t, d.stays(s.ends.At(self)))
	}
	d.Engine.End(t)
}

// synced brings the run's numbers and t's Local up to date after an event of t that the
// native engine alone was told of; news means that something was ordered by it that
// the other engine does not know.
func (d *Detector) synced(t reach.Task, news bool) {
	s := &d.serial
	if offheap.Load32(&s.on) != 0 && *s.number.At(uint32(t)) != 0 {
		d.resync(t, news)
	}
	d.moved(t)
}

// resync is the part of synced for a task of the run.
func (d *Detector) resync(t reach.Task, news bool) {
	d.serial.parallel.enter()
	d.renumber(t, news)
	d.serial.parallel.leave()
}

// renumber is synced for a task of the run.
func (d *Detector) renumber(t reach.Task, news bool) {
	s := &d.serial
	if d.Engine.Strand(t) == d.Local(t).Strand {
		return
	}
	s.unnest()
	n := s.run.Skip()
	*s.floor.At(n) = s.run.Current(reach.Task(*s.number.At(uint32(t)))).Index()
	d.Engine.SetIndex(t, n+s.offset)
	if news {
		s.giveUp(reach.Refusal{Why: "a lock or a channel orders tasks"})
	}
}
