package detect

import (
	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// parallel is what is added to the run of a program whose tasks run in parallel: one
// lock of all constructs. An access takes no lock, and asks the engine while others tell
// it of constructs.
//
// What a query reads of the run was written before the strand that it asks about made
// its first access, and a query that finds that strand has met such an access: cells are
// exchanged atomically. The same goes for the end of the engine's answers: whatever
// follows the first construct that it could not take finds that it has given up.
type parallel struct {
	on      bool // set before the run begins
	futures bool
	lock    offheap.Lock // guards construct.Run, what an engine is told, and the begin of the run
	queued  uint64       // how often it was not free
}

// enter begins a construct, or what else changes the run.
func (p *parallel) enter() {
	if p.on && !p.lock.TryLock() {
		offheap.Add64(&p.queued, 1)
		p.lock.Lock()
	}
}

func (p *parallel) leave() {
	if p.on {
		p.lock.Unlock()
	}
}

// Parallel is [Detector.Serial] for tasks that run in parallel, and may be called by any
// task that does not belong to the run. The first one becomes the root. Others are tasks
// that the program started by other means: what orders them is no construct, so the
// native engine answers from then on. futures says that the program may create some.
//
// From then on the constructs of different tasks may be told at one time, each before
// what waits for it goes on. id must be able to; see
// [engines.Any.Parallel].
func (d *Detector) Parallel(t reach.Task, id engines.ID, futures bool) {
	s := &d.serial
	s.parallel.lock.Lock()
	if offheap.Load32(&s.on) == 0 {
		s.parallel.on, s.parallel.futures = true, futures
		s.start(d, t, id)
	} else {
		s.adopt(d, t)
	}
	s.parallel.lock.Unlock()
}

// adopt makes t, which no construct started, a task of the run.
func (s *serial) adopt(d *Detector, t reach.Task) {
	if s.run.Tasks()+2 > s.maxTasks {
		return // its first construct is refused
	}
	// Its positions must grow, and may have got ahead of the run's numbers.
	at := int32(d.Engine.Strand(t).Index() - s.offset)
	first := s.run.Adopt(uint32(max(at, 0)))
	*s.native.At(uint32(first.Task())) = t
	*s.number.At(uint32(t)) = uint32(first.Task())
	s.begin(d, t, first)
	s.giveUp(reach.Refusal{Why: "a goroutine that package task did not start uses its constructs"})
}

// Contention is how often a lock was not free, an atomic exchange met another's, and of
// the locks that of constructs was not free.
func (d *Detector) Contention() (waits, retries, queued uint64) {
	waits, retries = offheap.Contention()
	return waits, retries, offheap.Load64(&d.serial.parallel.queued)
}

// cheapest is the engine for programs whose first construct is of this kind.
func (p *parallel) cheapest(first reach.Kind) engines.ID {
	switch first {
	case reach.Fork, reach.Set, reach.Await:
		// The native engine, which knows everything anyway, is cheaper than forder.
		return engines.JoinTree
	case reach.Spawn, reach.Create:
		if p.futures {
			return engines.SFOrder
		}
	}
	return engines.Order
}

// CanParallel reports whether engine id can judge parallel runs.
func (d *Detector) CanParallel(id engines.ID) bool { return d.serial.any.Parallel(id) }
