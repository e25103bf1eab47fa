package history

import (
	"unsafe"

	"github.com/detrace/detrace/reach"
)

// Sup answers about a 2D lattice: the supremum of task k, which accessed or is a
// supremum of those that did, and of task t, which runs. It is t iff all that
// happened in k so far precedes t's current strand.
type Sup interface {
	Sup(k, t reach.Task) reach.Task
}

// NewSuprema returns a history with the policy for 2D lattices in serial depth-first order:
// the suprema of all readers and of all writers. Neither is ever emptied; with that every
// verdict is exact, also after a race. Costs per segment: at most four suprema.
//
// A supremum is no access. To name one, a reader and a writer are kept too, by
// the rule of OneReader.
//
// Departs from the paper: its printed On-Read compares with the readers' supremum; it
// is the writers' that decides.
func NewSuprema(sup Sup) *History {
	p := &suprema{sup: sup}
	p.init()
	return newHistory(p)
}

type suprema struct {
	states[supState]
	sup Sup
}

type supState struct {
	writers, readers reach.Task // suprema
	writer, reader   Access
}

func (p *suprema) bytes() int { return len(p.records) * int(unsafe.Sizeof(supState{})+8) }

// ordered reports whether all that k stands for precedes the access being made.
func (p *suprema) ordered(h *History, k reach.Task) bool {
	t := h.now.Strand.Task()
	return k == 0 || k == t || p.sup.Sup(k, t) == t
}

// join adds the access being made to a supremum.
func (p *suprema) join(h *History, k reach.Task) reach.Task {
	t := h.now.Strand.Task()
	if k == 0 || k == t {
		return t
	}
	return p.sup.Sup(k, t)
}

func (p *suprema) read(h *History, id uint32) uint32 {
	s := p.records[id]
	if !p.ordered(h, s.writers) {
		h.race(s.writer, Write)
	}
	after := s
	after.readers = p.join(h, s.readers)
	if s.reader.Strand != h.now.Strand && p.ordered(h, s.reader.Strand.Task()) {
		after.reader = h.now
	}
	return p.add(id, after)
}

func (p *suprema) write(h *History, id uint32) uint32 {
	s := p.records[id]
	if !p.ordered(h, s.writers) {
		h.race(s.writer, Write)
	}
	if !p.ordered(h, s.readers) {
		h.race(s.reader, Read)
	}
	after := s
	after.writers = p.join(h, s.writers)
	if s.writer.Strand != h.now.Strand && p.ordered(h, s.writer.Strand.Task()) {
		after.writer = h.now
	}
	return p.add(id, after)
}

// add is the number of a state, id if nothing has changed.
func (p *suprema) add(id uint32, after supState) uint32 {
	if after == p.records[id] {
		return id
	}
	return p.states.add(after)
}
