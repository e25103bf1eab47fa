package structtest

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
)

// Program is a list of events in an order in which they can happen.
type Program []event.Event

// String is the program as a text trace.
func (p Program) String() string {
	var b strings.Builder
	w := event.NewTextWriter(&b)
	for _, e := range p {
		if err := w.Write(e); err != nil {
			panic(err)
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.String()
}

// Parse reads a program from a text trace; name is for errors.
func Parse(name, text string) (Program, error) {
	r, err := event.NewReader(name, strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	var p Program
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		p = append(p, e)
	}
}

// List is a program whose events stand after semicolons or on lines of their own,
// without the first line of a trace. The first event is line 1.
func List(t testing.TB, text string) Program {
	t.Helper()
	var lines []string
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		lines = append(lines, strings.TrimSpace(line))
	}
	p, err := Parse("list", "detrace trace 1\n"+strings.Join(lines, "\n")+"\n")
	if err != nil {
		t.Fatal(err)
	}
	for i := range p {
		p[i].Line = i + 1
	}
	return p
}

// Reduce removes events of a program until none can go without fails returning nil; failure
// is what it returned for p. The events that are left are possible and in the order, of
// depth-first and any order at least, and their lines are counted from the first one's.
func Reduce(p Program, order reach.Order, failure error, fails func(Program) error) (Program, error) {
	for size := (len(p) + 1) / 2; size > 0 && failure != nil; {
		shrunk := false
		for lo := 0; lo < len(p); lo += size {
			q := possible(append(p[:lo:lo], p[min(lo+size, len(p)):]...), order, p[0].Line)
			if err := fails(q); err != nil {
				p, failure, shrunk = q, err, true
			}
		}
		if !shrunk {
			size /= 2
		}
	}
	return p, failure
}

// possible returns p without the events that cannot happen or are not in order. The
// first one that is left is the line first.
func possible(p Program, order reach.Order, first int) Program {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	var depthFirst construct.DepthFirst
	depthFirst.Init(uint32(len(p)) + 2)
	defer depthFirst.Close()
	var out Program
	for _, e := range p {
		if order == reach.DepthFirst && binder.Task(e.Task) != depthFirst.Running() {
			continue
		}
		var err error
		if e.Kind.Access() {
			_, err = binder.Access(e)
		} else {
			err = binder.Control(e, func(c *reach.Construct) reach.Refusal {
				if order == reach.DepthFirst {
					return depthFirst.Do(c)
				}
				return reach.Refusal{}
			})
		}
		if err == nil {
			e.Line = len(out) + first
			out = append(out, e)
		}
	}
	return out
}
