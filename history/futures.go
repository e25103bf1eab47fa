package history

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/detrace/detrace/reach"
)

// EnglishOrder is an Order with one of the two depth-first orders of which precedence in a
// series-parallel program is the intersection: that in which children are visited before
// continuations. In the other one, the Hebrew, parallel strands are the other way round.
type EnglishOrder interface {
	Order
	// English reports whether u is before v in that order; both have started and
	// belong to one future.
	English(u, v reach.Strand) bool
}

// Futures is the EnglishOrder of structured futures, of the pseudo-SP-dag, in which a create
// is a spawn.
type Futures interface {
	EnglishOrder
	// Future is the future that runs u, 0 for none.
	Future(u reach.Strand) uint32
}

// NewTwoReaders returns a history with the policy for series-parallel programs in any
// order: the last writer, and of the readers since then the last in the English and
// in the Hebrew order. Costs per segment: at most five queries.
func NewTwoReaders(order EnglishOrder) *History { return NewTwoPerFuture(oneFuture{order}) }

// oneFuture is a program without futures.
type oneFuture struct{ EnglishOrder }

func (oneFuture) Future(reach.Strand) uint32 { return 0 }

// NewTwoPerFuture returns a history with the policy for structured futures in any
// order: the last writer, and for each future, of its readers since then, the last in the
// English and in the Hebrew order. Costs per segment: at most five queries for a read, 2k+1 for
// a write, where k is the number of futures that read the segment.
func NewTwoPerFuture(order Futures) *History {
	p := &twoPerFuture{asker: asker{order: order}, order: order}
	p.init()
	p.dropped = func(s *futureState) { s.readers = nil }
	return newHistory(p)
}

type twoPerFuture struct {
	asker
	states[futureState]
	order Futures
}

type futureState struct {
	writer  Access
	readers []futureReaders // by future, ascending
}

type futureReaders struct {
	future          uint32
	english, hebrew Access // the last ones in these orders
}

func (p *twoPerFuture) bytes() int {
	n := len(p.records) * int(unsafe.Sizeof(futureState{})+8)
	for i := range p.records {
		n += cap(p.records[i].readers) * int(unsafe.Sizeof(futureReaders{}))
	}
	return n
}

func (p *twoPerFuture) read(h *History, id uint32) uint32 {
	s := p.records[id]
	if s.writer.Strand == h.now.Strand {
		return id
	}
	if s.writer.Strand != 0 && !p.precedes(h, s.writer.Strand) {
		h.race(s.writer, Write)
	}
	future := p.order.Future(h.now.Strand)
	i, found := slices.BinarySearchFunc(s.readers, future, func(r futureReaders, f uint32) int { return cmp.Compare(r.future, f) })
	r := futureReaders{future, h.now, h.now}
	if found {
		r = p.later(h, s.readers[i])
		if r == s.readers[i] {
			return id
		}
	}
	return p.states.add(futureState{s.writer, with(s.readers, i, found, r)})
}

// later is r with the access being made in the place of what it comes after. Nothing
// that has happened comes after it in both orders.
func (p *twoPerFuture) later(h *History, r futureReaders) futureReaders {
	if r.english.Strand == h.now.Strand || r.hebrew.Strand == h.now.Strand {
		return r // what is between them in the orders has been decided
	}
	if p.precedes(h, r.english.Strand) || p.order.English(r.english.Strand, h.now.Strand) {
		r.english = h.now
	}
	if p.precedes(h, r.hebrew.Strand) || !p.order.English(r.hebrew.Strand, h.now.Strand) {
		r.hebrew = h.now
	}
	return r
}

// with is a copy of readers with r at i, in the place of what is there or before it.
func with(readers []futureReaders, i int, found bool, r futureReaders) []futureReaders {
	after := make([]futureReaders, 0, len(readers)+1)
	after = append(after, readers[:i]...)
	after = append(after, r)
	if found {
		i++
	}
	return append(after, readers[i:]...)
}

func (p *twoPerFuture) write(h *History, id uint32) uint32 {
	s := p.records[id]
	if s.writer.Strand == h.now.Strand && len(s.readers) == 0 {
		return id
	}
	if s.writer.Strand != 0 && !p.precedes(h, s.writer.Strand) {
		h.race(s.writer, Write)
	}
	for _, r := range s.readers {
		if !p.precedes(h, r.english.Strand) {
			h.race(r.english, Read)
		}
		if r.hebrew != r.english && !p.precedes(h, r.hebrew.Strand) {
			h.race(r.hebrew, Read)
		}
	}
	return p.only(h, futureState{writer: h.now})
}
