package structured

import (
	"cmp"
	"slices"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/history"
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/reach"
)

// Escalation is the exchange of an engine for another during a run.
type Escalation struct {
	From, To string
	Line     int    // of the event that From does not take
	Why      string // what From says
}

// auto starts with the cheapest engine. When that refuses, the constructs so far are
// told to the next one that takes them all, and the run goes on. The log takes 12 bytes
// a construct. The history stays:
// it is that for every program, and its strands are the same under every engine.
//
// Engines that require an order come first, the strictest before all: whatever they were told is
// in their order, so that the log needs no accesses. An engine is tried once, so
// the cost is that of the engines, added up.
type auto struct {
	*ordered
	history *history.History
	config  *Config
	rest    []entry // to be tried
	log     []logged
	steps   []Escalation
}

// logged is what a construct is made from again.
type logged struct {
	task reach.Task
	arg  uint32 // as of construct.Run.Do
	kind reach.Kind
}

func newAuto(c *Config) *auto {
	a := &auto{config: c}
	for _, e := range engines {
		if e.auto > 0 {
			a.rest = append(a.rest, e)
		}
	}
	slices.SortFunc(a.rest, func(x, y entry) int {
		return cmp.Or(-cmp.Compare(strictness(x.order), strictness(y.order)), x.auto-y.auto)
	})
	a.ordered = a.rest[0].start(c)
	a.rest = a.rest[1:]
	a.history = history.NewReaderList(a)
	return a
}

// strictness is how much an order excludes.
func strictness(o reach.Order) int {
	switch o {
	case reach.DepthFirst:
		return 2
	case reach.Stacked:
		return 1
	}
	return 0
}

func (a *auto) do(j *Judge, c *reach.Construct) reach.Refusal {
	refusal := a.Do(c)
	if refusal.Refused() && len(a.rest) > 0 {
		return a.escalate(j, refusal, c, 0)
	}
	if len(a.rest) > 0 {
		a.note(c)
	}
	return refusal
}

func (a *auto) note(c *reach.Construct) {
	l := logged{kind: c.Kind, task: c.Task, arg: c.Promise}
	if c.Kind == reach.Get || c.Kind == reach.Join {
		l.arg = uint32(c.Other)
	}
	a.log = append(a.log, l)
}

func (a *auto) runs(j *Judge, t reach.Task) reach.Refusal {
	refusal := a.mayAccess(t)
	if refusal.Refused() && len(a.rest) > 0 {
		return a.escalate(j, refusal, nil, t)
	}
	return refusal
}

// escalate finds an engine that takes the run so far and what the one before refused:
// the construct c, or that t runs.
func (a *auto) escalate(j *Judge, why reach.Refusal, c *reach.Construct, t reach.Task) reach.Refusal {
	from, refusal := a.ordered.name, why
	for len(a.rest) > 0 && refusal.Refused() {
		next := a.rest[0].start(a.config)
		a.rest = a.rest[1:]
		if refusal = a.replay(next); !refusal.Refused() {
			if c != nil {
				refusal = next.Do(c)
			} else {
				refusal = next.mayAccess(t)
			}
		}
		if !refusal.Refused() {
			a.Close()
			a.ordered = next
			a.steps = append(a.steps, Escalation{From: from, To: next.name, Line: j.line, Why: why.Why})
		} else {
			next.Close()
		}
	}
	switch {
	case len(a.rest) == 0:
		a.log = nil
	case c != nil:
		a.note(c)
	}
	return refusal
}

// replay tells an engine of the constructs so far. A run of its own numbers the strands as they
// were numbered.
func (a *auto) replay(o *ordered) reach.Refusal {
	var run construct.Run
	run.Init(a.config.Tasks)
	defer run.Close()
	promises := uint32(0)
	for _, l := range a.log {
		if l.kind == reach.Set || l.kind == reach.Await || l.kind == reach.Block {
			for ; promises < l.arg; promises++ {
				run.NewPromise()
			}
		}
		c, refusal := run.Do(l.kind, l.task, l.arg)
		invariants.Assert(c != nil && !refusal.Refused(), "structured: what was possible once is not any more")
		if refusal := o.Do(c); refusal.Refused() {
			return refusal
		}
	}
	return reach.Refusal{}
}

func (a *auto) access(j *Judge, s reach.Strand, e *event.Event, id uint64) reach.Refusal {
	remember(j, a.history, s, e, id)
	return reach.Refusal{}
}

func (a *auto) alloc(addr, last uint64) { a.history.Alloc(addr, last) }

func (a *auto) name() string { return a.ordered.name }

func (a *auto) over(j *Judge) {
	j.stats.EngineBytes, j.stats.HistoryBytes = a.bytes(), uint64(a.history.Bytes())
}

func (a *auto) close() { a.Close() }
