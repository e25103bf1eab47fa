// Package event is what happens in a structured run: control events, which are
// few, and accesses, which are many; and their forms on paper, text and binary.
package event

import (
	"fmt"

	"github.com/detrace/detrace/reach"
)

// Kind is a kind of event.
type Kind uint8

// The control events are the constructs of package reach, in the same order and
// with the same numbers, and Promise.
const (
	Promise Kind = Kind(reach.End) + 1 + iota // makes a promise
	Read
	Write
	Alloc // makes memory new: what happened to it before is forgotten
	AtomicRead
	AtomicWrite // a store or a read-modify-write; two atomic operations never race

	lastKind = AtomicWrite
)

// Of is the kind of event that a construct is.
func Of(k reach.Kind) Kind { return Kind(k) }

// Construct is the construct that k is; ok is false for Promise and accesses.
func (k Kind) Construct() (c reach.Kind, ok bool) {
	return reach.Kind(k), k >= Kind(reach.Spawn) && k <= Kind(reach.End)
}

// Access reports whether k is an access or Alloc.
func (k Kind) Access() bool { return k >= Read }

// Writes reports whether k is an access that may change memory.
func (k Kind) Writes() bool { return k == Write || k == AtomicWrite }

// String is the first word of the event's line in a text trace.
func (k Kind) String() string {
	if c, ok := k.Construct(); ok {
		return c.String()
	}
	switch k {
	case Promise:
		return "promise"
	case Read:
		return "read"
	case Write:
		return "write"
	case Alloc:
		return "alloc"
	case AtomicRead:
		return "atomicread"
	case AtomicWrite:
		return "atomicwrite"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// HasArg reports whether an event of kind k names another task or a promise.
func (k Kind) HasArg() bool {
	switch c, _ := k.Construct(); c {
	case reach.Sync, reach.Finish, reach.EndFinish, reach.End:
		return false
	}
	return !k.Access()
}

// Event is one event. Tasks are numbered as the trace likes, the root is 0;
// promises have numbers of their own.
type Event struct {
	Kind Kind
	Task uint32
	Arg  uint32 // the task started or joined, or the promise
	Line int    // where it stands in a text trace, counted from 1; 0 if nowhere

	// Of accesses.
	Addr uint64
	Size uint64 // bytes, not 0
	Site string // the place in the program, "" if unknown; no spaces
}

// String is the event's line in a text trace.
func (e Event) String() string {
	switch {
	case e.Kind.Access() && e.Site != "":
		return fmt.Sprintf("%s %d %#x %d %s", e.Kind, e.Task, e.Addr, e.Size, e.Site)
	case e.Kind.Access():
		return fmt.Sprintf("%s %d %#x %d", e.Kind, e.Task, e.Addr, e.Size)
	case e.Kind.HasArg():
		return fmt.Sprintf("%s %d %d", e.Kind, e.Task, e.Arg)
	}
	return fmt.Sprintf("%s %d", e.Kind, e.Task)
}
