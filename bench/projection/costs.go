package projection

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
)

// Read reads what a parallel run on one processor has written to the file that DETRACE_COSTS
// names: what passes from one time in it to the next is the cost of one strand. total is the
// CPU time of the whole process; what the file does not have of it comes last.
//
// Collecting garbage counts for who runs meanwhile, and so does what a task that is preempted
// did since its last construct for the task that takes over.
func Read(in *rawtrace.Reader, total time.Duration) (*Dag, error) {
	r := &reading{dag: new(Dag), tasks: make(map[uint32]reach.Task)}
	defer r.run.Close()
	for {
		e, _, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = r.event(&e)
		}
		if err != nil {
			return nil, err
		}
	}
	if r.dag.Len() == 0 {
		return nil, errors.New("the file of costs has no construct: did the program run its tasks in parallel?")
	}
	if rest := total - time.Duration(r.now); rest > 0 {
		r.current(reach.Root.Task()).own += rest
	}
	return r.dag, nil
}

// maxTasks is more than any program of ours has.
const maxTasks = 1 << 26

type reading struct {
	dag   *Dag
	run   construct.Run
	tasks map[uint32]reach.Task // by their numbers in the file

	clock    uint64 // what reading it takes
	now      uint64 // the last time that it was read
	promises uint32
	halted   uint32 // the task that did so last, 0 if another has gone on meanwhile

	of *rawtrace.Event // the construct whose cost comes next
}

func (r *reading) event(e *rawtrace.Event) error {
	switch e.Kind {
	case rawtrace.Clock:
		r.clock = e.Size / 1000
	case rawtrace.Halted:
		return r.halts(e)
	case rawtrace.Cost:
		return r.cost(e)
	default:
		kept := *e
		r.of = &kept
	}
	return nil
}

// passed is what passed until the clock was read next.
func (r *reading) passed(now uint64) time.Duration {
	d := max(int64(now-r.now)-int64(r.clock), 0)
	r.now = now
	return time.Duration(d)
}

// halts is that a task stops its own work, or the process all.
func (r *reading) halts(e *rawtrace.Event) error {
	t := reach.Root.Task()
	if e.Task != 0 {
		var err error
		if t, err = r.task(e.Task); err != nil {
			return err
		}
	} else if r.dag.Len() == 0 {
		return nil
	}
	r.current(t).own += r.passed(e.Addr)
	r.halted = e.Task
	return nil
}

// task is the task of the run with a number of the file. The first one is the root.
func (r *reading) task(n uint32) (reach.Task, error) {
	if len(r.tasks) == 0 {
		r.run.Init(maxTasks)
		r.tasks[n] = reach.Root.Task()
		r.dag.Add(0, 0, 0)
	}
	if t := r.tasks[n]; t != 0 {
		return t, nil
	}
	return 0, fmt.Errorf("task %d of the file of costs was not started by a construct", n)
}

func (r *reading) current(t reach.Task) *strand { return r.strand(r.run.Current(t)) }

func (r *reading) strand(s reach.Strand) *strand { return &r.dag.strands[s.Index()-1] }

// cost is what the construct before it took: e.Addr to e.Size under the lock. What a task did
// between its own work and a construct that joins, if another task has gone on meanwhile, it did
// after that.
func (r *reading) cost(e *rawtrace.Event) error {
	t, err := r.task(e.Task)
	if err != nil {
		return err
	}
	if r.of == nil {
		return errors.New("the file of costs is damaged: a cost of nothing")
	}
	waited := r.halted != e.Task
	ends := r.run.Current(t)
	c, err := r.construct(t)
	if err != nil {
		return err
	}
	own, locked := r.passed(e.Addr), r.passed(e.Size)
	r.halted = e.Task // its own work goes on
	before := r.strand(ends)
	if c == nil || c.After == 0 || !joins(c.Kind) {
		before.own += own
		before.last += locked
		return nil
	}
	after := r.strand(c.After)
	after.first += locked
	if waited {
		after.own += own
	} else {
		before.own += own
	}
	return nil
}

func joins(kind reach.Kind) bool {
	switch kind {
	case reach.Sync, reach.EndFinish, reach.Get, reach.Await, reach.Join:
		return true
	}
	return false
}

// construct adds the strands of the construct whose cost is known now; nil if it has none.
func (r *reading) construct(t reach.Task) (*reach.Construct, error) {
	e := r.of
	r.of = nil
	kind, arg := reach.Kind(e.Kind), uint32(0)
	switch {
	case kind > reach.End:
		return nil, fmt.Errorf("the file of costs has an event of kind %d, which is no construct", e.Kind)
	case kind == reach.Set || kind == reach.Await || kind == reach.Block:
		for arg = uint32(e.Addr); r.promises < arg; r.promises++ {
			r.run.NewPromise()
		}
	case kind == reach.Get || kind == reach.Join:
		other, err := r.task(e.Arg)
		if err != nil {
			return nil, err
		}
		arg = uint32(other)
	}
	c, refusal := r.run.Do(kind, t, arg)
	if refusal.Refused() {
		return nil, fmt.Errorf("%s of task %d in the file of costs: %s", kind, e.Task, refusal.Why)
	}
	if c == nil {
		return nil, nil
	}
	if kind.Forks() {
		r.tasks[e.Arg] = c.Other
	}
	dag.Begin(c, func(preds ...dag.Strand) dag.Strand {
		numbers := make([]int, 0, 2)
		for _, p := range preds {
			if p != 0 {
				numbers = append(numbers, int(p))
			}
		}
		return dag.Strand(r.dag.Add(0, 0, 0, numbers...))
	})
	return c, nil
}
