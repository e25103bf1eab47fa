package event

import (
	"fmt"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
)

// Binder leads the events of a trace to the constructs of a run: it gives the
// trace's numbers their tasks and promises, and makes the sync explicit that an
// end implies. One goroutine at a time.
type Binder struct {
	Run      construct.Run
	tasks    map[uint32]reach.Task
	promises map[uint32]uint32
	names    []uint32 // by task
	lines    []int    // by task: where it was started
}

// NewBinder returns a binder with room for so many tasks, finishes and promises
// each. Close gives its memory back.
func NewBinder(maxTasks uint32) *Binder {
	b := &Binder{
		tasks:    map[uint32]reach.Task{0: reach.Root.Task()},
		promises: make(map[uint32]uint32),
		names:    []uint32{0, 0},
		lines:    []int{0, 0},
	}
	b.Run.Init(maxTasks)
	return b
}

// Close must be the last call.
func (b *Binder) Close() { b.Run.Close() }

// Error is an event that is impossible where it stands, or that an engine refuses.
type Error struct {
	Event Event
	reach.Refusal
	OtherName uint32 // the trace's number of Other
	OtherLine int    // where Other was started, 0 for the root
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Event.Line, e.Text()) }

// Text is the error without the line.
func (e *Error) Text() string {
	text := fmt.Sprintf("%s: %s", e.Event, e.Why)
	if e.Other != 0 {
		text += fmt.Sprintf(" (task %d", e.OtherName)
		if e.OtherLine != 0 {
			text += fmt.Sprintf(", started in line %d", e.OtherLine)
		}
		text += ")"
	}
	return text
}

// Refuse is the error that refuses e.
func (b *Binder) Refuse(e Event, r reach.Refusal) error {
	err := &Error{Event: e, Refusal: r}
	if r.Other != 0 {
		err.OtherName, err.OtherLine = b.Name(r.Other), b.lines[r.Other]
	}
	return err
}

// Name is the trace's number of a task.
func (b *Binder) Name(t reach.Task) uint32 { return b.names[t] }

// Task is the task that the trace calls name; 0 if there is none.
func (b *Binder) Task(name uint32) reach.Task { return b.tasks[name] }

// Promise is the run's number of the promise that the trace calls name; 0 if there
// is none.
func (b *Binder) Promise(name uint32) uint32 { return b.promises[name] }

// Started is the line that started a task, 0 for the root.
func (b *Binder) Started(t reach.Task) int { return b.lines[t] }

// Control binds a control event and tells do of the constructs that it is: none,
// one, or a sync and an end. What do refuses is returned as an *Error, like what is
// impossible.
func (b *Binder) Control(e Event, do func(*reach.Construct) reach.Refusal) error {
	t := b.tasks[e.Task]
	if t == 0 {
		return b.Refuse(e, reach.Refusal{Why: "there is no such task"})
	}
	kind, ok := e.Kind.Construct()
	if !ok {
		return b.promise(e, t)
	}
	arg, refusal := b.argument(e, kind)
	if refusal.Refused() {
		return b.Refuse(e, refusal)
	}
	if kind == reach.End && b.Run.Unsynced(t) {
		if err := b.do(e, reach.Sync, t, 0, do); err != nil {
			return err
		}
	}
	return b.do(e, kind, t, arg, do)
}

// Access returns the strand that makes an access.
func (b *Binder) Access(e Event) (reach.Strand, error) {
	t := b.tasks[e.Task]
	switch {
	case t == 0:
		return 0, b.Refuse(e, reach.Refusal{Why: "there is no such task"})
	case b.Run.Ended(t):
		return 0, b.Refuse(e, reach.Refusal{Why: "the task has ended"})
	}
	return b.Run.Current(t), nil
}

// Finish reports a task that has not ended, which is an error at the end of a trace.
func (b *Binder) Finish() error {
	for t := reach.Root.Task(); uint32(t) <= b.Run.Tasks(); t++ {
		if !b.Run.Ended(t) {
			return b.Refuse(Event{Kind: Of(reach.End), Task: b.Name(t)}, reach.Refusal{Why: "the trace is over but the task has not ended", Other: t})
		}
	}
	return nil
}

func (b *Binder) do(e Event, kind reach.Kind, t reach.Task, arg uint32, do func(*reach.Construct) reach.Refusal) error {
	c, refusal := b.Run.Do(kind, t, arg)
	if refusal.Refused() {
		return b.Refuse(e, refusal)
	}
	if c == nil {
		return nil
	}
	if kind.Forks() {
		b.tasks[e.Arg] = c.Other
		b.names, b.lines = append(b.names, e.Arg), append(b.lines, e.Line)
	}
	if refusal := do(c); refusal.Refused() {
		return b.Refuse(e, refusal)
	}
	return nil
}

func (b *Binder) promise(e Event, t reach.Task) error {
	if _, again := b.promises[e.Arg]; again {
		return b.Refuse(e, reach.Refusal{Why: "the promise exists already"})
	}
	if b.Run.Ended(t) {
		return b.Refuse(e, reach.Refusal{Why: "the task has ended"})
	}
	p := b.Run.NewPromise()
	if p == 0 {
		return b.Refuse(e, reach.Refusal{Why: "there are too many promises"})
	}
	b.promises[e.Arg] = p
	return nil
}

// argument is e's argument in the run's numbers.
func (b *Binder) argument(e Event, kind reach.Kind) (uint32, reach.Refusal) {
	old := b.tasks[e.Arg]
	switch kind {
	case reach.Spawn, reach.Async, reach.Create, reach.Fork:
		if old != 0 {
			return 0, reach.Refusal{Why: "the number of the new task is in use", Other: old}
		}
	case reach.Get, reach.Join:
		if old == 0 {
			return 0, reach.Refusal{Why: "there is no such task to join"}
		}
		return uint32(old), reach.Refusal{}
	case reach.Set, reach.Await, reach.Block:
		if p := b.promises[e.Arg]; p != 0 {
			return p, reach.Refusal{}
		}
		return 0, reach.Refusal{Why: "there is no such promise"}
	}
	return 0, reach.Refusal{}
}
