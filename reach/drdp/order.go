package drdp

import "github.com/detrace/detrace/reach"

// state is what a task does. It is on the stack when running or woken.
type state uint8

const (
	running state = iota // active: it has run since it was pushed
	woken                // pushed, and has not gone on
	waiting              // taken to wait for the end of its scope or of a future
	blocked              // waits for a promise
	ended
	joined // ended, and by the end of its scope
)

// slot is a place on the stack of running tasks.
type slot struct {
	task uint32
	ran  uint32 // clock at the last construct, or when it was pushed
}

// future is a future that has ended. Who waits for its end is not known before the
// get: then the stack must still be as it was, or have more on top.
type future struct {
	height uint32 // of the stack when it had ended
	ended  uint32 // clock then
	since  uint32 // of the task that went on last of those that waited
}

func (e *Engine) push(id uint32, s state) {
	e.height++
	*e.stack.At(e.height) = slot{task: id, ran: e.clock}
	t := e.tasks.At(id)
	t.place, t.state = e.height, s
}

// mayWait reports whether t, on the stack, may have reached something that it must
// wait for without a Block. If its scope has woken it, a future that has ended will
// do: then its place is further down. In a finish inside its sync block it may wait for
// the block, or the other way round, and is refused when it says so.
func (e *Engine) mayWait(t *task) bool {
	if t.state == woken {
		return t.promise == 0 && e.created > 0
	}
	others := e.unended
	if t.future {
		others--
	}
	if others > 0 {
		return true
	}
	own := e.own(t)
	for id := t.scope; id != t.inherited; {
		s := e.scopes.At(id)
		if s.running > 0 && (s == own || s.sync != own.sync) {
			return true
		}
		id = s.outer
	}
	return false
}

// untold reports whether t, which goes on with c, waited for a future: then the
// engine learns it now.
func untold(t *task, c *reach.Construct) bool {
	return t.state == waiting || t.state == woken && t.promise == 0 && c.Kind == reach.Get
}

const notStacked = "the order is not that of a serial run with task switching: "

// top is the task whose turn it is if it does not wait.
func (e *Engine) top() reach.Task { return reach.Task(e.stack.At(e.height).task) }

// Runs tells that t runs, as an access of it shows, and refuses if it is not its turn.
// Whoever judges a trace tells before each access; constructs tell by themselves.
// Cost: O(1), and one step for each task that is above t on the stack and each scope
// that such a task has open.
func (e *Engine) Runs(t reach.Task) reach.Refusal {
	k := e.task(t)
	if k.state != running {
		return reach.Refusal{Why: notStacked + "it is not the turn of the task", Other: e.top()}
	}
	if refusal := e.cut(k.place); refusal.Refused() {
		return refusal
	}
	e.cutTo(k.place)
	e.stack.At(k.place).ran = e.clock
	return reach.Refusal{}
}

// turn refuses a construct of a task whose turn it is not.
func (e *Engine) turn(c *reach.Construct) reach.Refusal {
	t := e.task(c.Task)
	switch {
	case t.state == blocked:
		return reach.Refusal{Why: notStacked + "the task waits for a promise that is not set, and another runs", Other: e.top()}
	case untold(t, c):
		return e.late(c, t)
	case t.state == woken && t.promise != 0 && (c.Kind != reach.Await || c.Promise != t.promise):
		return reach.Refusal{Why: "the task has blocked for another promise, which it does not await"}
	case t.state == woken && t.promise == 0 && c.Kind != reach.Sync && c.Kind != reach.EndFinish:
		return reach.Refusal{Why: notStacked + "the task let others go on and so must wait for its finish or sync, but does something else"}
	}
	return e.cut(t.place)
}

// cut refuses that all above a place of the stack wait.
func (e *Engine) cut(place uint32) reach.Refusal {
	for i := e.height; i > place; i-- {
		if id := e.stack.At(i).task; !e.mayWait(e.tasks.At(id)) {
			return reach.Refusal{Why: notStacked + "another task runs, has nothing to wait for and should go on", Other: reach.Task(id)}
		}
	}
	return reach.Refusal{}
}

// late is turn for a task that was taken to wait. The end of its scope would have
// woken it; so it must have waited for a future.
func (e *Engine) late(c *reach.Construct, t *task) reach.Refusal {
	if c.Kind == reach.Get {
		f := e.futures.At(uint32(c.Other))
		if f.since < t.since && f.height <= e.height && e.stack.At(f.height).ran < f.ended {
			return e.cut(f.height)
		}
	}
	return reach.Refusal{Why: notStacked + "the task let another go on, whose turn it still is", Other: e.top()}
}

// resume makes the stack as it is when the task of c goes on. All above it wait.
func (e *Engine) resume(c *reach.Construct) {
	t := e.task(c.Task)
	place, back := t.place, untold(t, c)
	if back {
		f := e.futures.At(uint32(c.Other))
		place, f.since = f.height, t.since
	}
	e.cutTo(place)
	if back {
		e.push(uint32(c.Task), running)
		return
	}
	t.state, t.promise = running, 0
	e.stack.At(place).ran = e.clock
}

// cutTo takes all above a place off the stack.
func (e *Engine) cutTo(place uint32) {
	for ; e.height > place; e.height-- {
		k := e.tasks.At(e.stack.At(e.height).task)
		if k.state == running { // else it waits on as it did
			e.waits++
			k.since = e.waits
		}
		k.state = waiting
	}
}
