package main

import (
	"fmt"
	"io"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/tp3"
)

// tp3Trace writes the run of a TP3 program as a trace. Tasks that block for ever, or
// that a program error stops, end where the trace does: nothing follows that it could
// order. Engines that want a serial order refuse such an end; the others take it.
type tp3Trace struct {
	write   func(event.Event) error
	running map[int]bool
	tasks   int
}

func newTP3Trace(write func(event.Event) error) *tp3Trace {
	return &tp3Trace{write: write, running: map[int]bool{0: true}, tasks: 1}
}

var tp3Kinds = map[tp3.EventKind]event.Kind{
	tp3.EventAsync: event.Of(reach.Async), tp3.EventPromise: event.Promise, tp3.EventSet: event.Of(reach.Set),
	tp3.EventBlock: event.Of(reach.Block), tp3.EventAwait: event.Of(reach.Await), tp3.EventEnd: event.Of(reach.End),
	tp3.EventRead: event.Read, tp3.EventWrite: event.Write, tp3.EventAlloc: event.Alloc,
}

// Event implements [tp3.Sink].
func (t *tp3Trace) Event(e tp3.Event) error {
	out := event.Event{Kind: tp3Kinds[e.Kind], Task: uint32(e.Task), Arg: uint32(e.Promise), Addr: e.Addr, Size: e.Size}
	switch e.Kind {
	case tp3.EventAsync:
		out.Arg = uint32(e.Child)
		t.running[e.Child] = true
		t.tasks++
	case tp3.EventEnd:
		delete(t.running, e.Task)
	case tp3.EventRead, tp3.EventWrite:
		out.Site = fmt.Sprint(e.Pos)
	}
	return t.write(out)
}

// end ends what has not ended, children first.
func (t *tp3Trace) end() error {
	for task := t.tasks - 1; task >= 0; task-- {
		if t.running[task] {
			if err := t.write(event.Event{Kind: event.Of(reach.End), Task: uint32(task)}); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTP3Trace writes a run of prog to out.
func writeTP3Trace(out io.Writer, run func(tp3.Sink) error) error {
	w := event.NewTextWriter(out)
	t := newTP3Trace(w.Write)
	if err := run(t); err != nil {
		return err
	}
	if err := t.end(); err != nil {
		return err
	}
	return w.Close()
}
