package history

import (
	"unsafe"

	"github.com/detrace/detrace/reach"
)

// NewReaderList returns a history with the policy for every program in any order:
// the last writer and the readers since that write.
//
// A reader that precedes the newest one is left out: what is parallel to it and still to come
// is parallel to the newest, or it would precede it and have happened. Costs per
// segment: of a read O(1) amortised, of a write linear in the readers that it
// makes forgotten.
func NewReaderList(order Order) *History {
	p := &readerList{asker: asker{order: order}}
	p.init()
	p.list = make([]reader, 1)
	p.dropped = func(s *listState) { p.releaseList(s.readers) }
	return newHistory(p)
}

// asker asks whether an earlier access precedes the one being made. The answer about
// the strand asked last is kept.
type asker struct {
	order   Order
	u, v    reach.Strand
	precede bool
}

func (a *asker) precedes(h *History, u reach.Strand) bool {
	v := h.now.Strand
	if u == v {
		return true
	}
	if u != a.u || v != a.v {
		a.u, a.v, a.precede = u, v, a.order.Precedes(u, v)
	}
	return a.precede
}

type readerList struct {
	asker
	states[listState]
	list []reader // list[0] is no reader
	free []uint32
}

type listState struct {
	writer  Access
	readers uint32 // newest first
}

// reader is an element of a list of readers that states share.
type reader struct {
	Access
	next  uint32
	held  uint32 // by states and by readers before it
	size  uint32 // of the list from here on
	limit uint32 // at which size the list is tidied up
}

// Lists of so many readers are tidied up first; then at twice what was left.
const tidyAt = 64

func (p *readerList) bytes() int {
	return len(p.records)*int(unsafe.Sizeof(listState{})+8) + len(p.list)*int(unsafe.Sizeof(reader{}))
}

func (p *readerList) read(h *History, id uint32) uint32 {
	s := p.records[id]
	if s.writer.Strand == h.now.Strand || p.list[s.readers].Strand == h.now.Strand {
		return id // the write, or the earlier read, races with whatever this one does
	}
	if s.writer.Strand != 0 && !p.precedes(h, s.writer.Strand) {
		h.race(s.writer, Write)
	}
	rest := s.readers
	for rest != 0 && p.precedes(h, p.list[rest].Strand) {
		rest = p.list[rest].next
	}
	return p.states.add(listState{writer: s.writer, readers: p.cons(h, rest)})
}

// cons returns the list with h.now before rest.
func (p *readerList) cons(h *History, rest uint32) uint32 {
	r := reader{Access: h.now, next: rest, held: 1, size: 1, limit: tidyAt}
	if rest != 0 {
		if l := p.list[rest]; l.size >= l.limit {
			r.next, r.limit = p.tidy(h, rest)
		} else {
			r.limit = l.limit
		}
	}
	if r.next != 0 {
		p.list[r.next].held++
		r.size = p.list[r.next].size + 1
	}
	return p.node(r)
}

func (p *readerList) node(r reader) uint32 {
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		p.list[id] = r
		return id
	}
	p.list = append(p.list, r)
	return uint32(len(p.list) - 1)
}

// tidy copies a list without what precedes h.now and without repeated strands: strands
// that run in turns make a list grow that has few different ones. The copy is not held
// yet.
func (p *readerList) tidy(h *History, list uint32) (copied, limit uint32) {
	seen := make(map[reach.Strand]bool)
	var kept []Access
	for ; list != 0; list = p.list[list].next {
		if r := p.list[list].Access; !seen[r.Strand] && !p.precedes(h, r.Strand) {
			seen[r.Strand] = true
			kept = append(kept, r)
		}
	}
	limit = max(tidyAt, 2*uint32(len(kept)))
	for i := len(kept) - 1; i >= 0; i-- {
		if copied != 0 {
			p.list[copied].held++
		}
		copied = p.node(reader{Access: kept[i], next: copied, size: uint32(len(kept) - i), limit: limit})
	}
	return copied, limit
}

func (p *readerList) releaseList(id uint32) {
	for id != 0 {
		r := &p.list[id]
		if r.held--; r.held > 0 {
			return
		}
		p.free = append(p.free, id)
		id = r.next
	}
}

func (p *readerList) write(h *History, id uint32) uint32 {
	s := p.records[id]
	if s.writer.Strand == h.now.Strand && s.readers == 0 {
		return id
	}
	if s.writer.Strand != 0 && !p.precedes(h, s.writer.Strand) {
		h.race(s.writer, Write)
	}
	for r := s.readers; r != 0; r = p.list[r].next {
		if !p.precedes(h, p.list[r].Strand) {
			h.race(p.list[r].Access, Read)
		}
	}
	return p.only(h, listState{writer: h.now})
}

// NewOneReader returns a history with the policy for series-parallel programs and 2D
// lattices in serial depth-first order: one writer and one reader, each replaced by
// one that it precedes. Costs per segment: two queries.
//
// In such an order a strand that is parallel to a later one is left of it, and "left
// of" is transitive: so whoever is parallel to anything that was dropped is
// parallel to what was kept instead. That is why a writer that raced stays, and no racing
// access goes unreported.
func NewOneReader(order Order) *History {
	p := &oneReader{asker: asker{order: order}}
	p.init()
	return newHistory(p)
}

type oneReader struct {
	asker
	states[oneState]
}

type oneState struct{ writer, reader Access }

func (p *oneReader) bytes() int { return len(p.records) * int(unsafe.Sizeof(oneState{})+8) }

func (p *oneReader) read(h *History, id uint32) uint32 {
	s := p.records[id]
	if s.writer.Strand == h.now.Strand || s.reader.Strand == h.now.Strand {
		return id
	}
	if s.writer.Strand != 0 && !p.precedes(h, s.writer.Strand) {
		h.race(s.writer, Write)
	}
	if s.reader.Strand != 0 && !p.precedes(h, s.reader.Strand) {
		return id
	}
	return p.states.add(oneState{s.writer, h.now})
}

func (p *oneReader) write(h *History, id uint32) uint32 {
	s := p.records[id]
	if s.writer.Strand == h.now.Strand && s.reader.Strand == 0 {
		return id
	}
	after := s
	if s.writer.Strand == 0 || p.precedes(h, s.writer.Strand) {
		after.writer = h.now
	} else {
		h.race(s.writer, Write)
	}
	if s.reader.Strand != 0 && !p.precedes(h, s.reader.Strand) {
		h.race(s.reader, Read)
	} else {
		after.reader = Access{}
	}
	switch after {
	case s:
		return id
	case oneState{writer: h.now}:
		return p.only(h, after)
	}
	return p.states.add(after)
}
