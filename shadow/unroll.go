package shadow

import (
	"math/bits"

	"github.com/detrace/detrace/internal/offheap"
)

// What follows is how lines leave rolls.

// unroll makes the line of addr, which has the word l and is in a roll, what the sheets say: a run
// if nobody has read of it, or all the same; otherwise it is split, and its bytes have audiences.
func (h *History) unroll(w *Window, addr uintptr, l Line) {
	p, addr := &h.states.rolls, addr&^(lineBytes-1)
	lock := p.lockOf(addr)
	lock.Lock()
	if w.Line(addr) == l {
		r := h.states.roll(l.state())
		r.close(r.line(addr))
		if !h.unrollRun(w, addr, l, r) {
			w.splitTo(addr, l, func(g *group) { h.unrollTo(g, addr, l, r) })
		}
	}
	lock.Unlock()
}

// unrollRun is unroll if the line stays a run.
func (h *History) unrollRun(w *Window, addr uintptr, l Line, r *roll) bool {
	rest, context := r.rest, l.context()
	word, all := r.places(addr, l.bytes())
	for id := r.first; id != 0; {
		e := h.states.rolls.sheets.At(id)
		id = e.next
		switch e.has(word, all) {
		case 0:
		default:
			return false
		case all:
			exact := false
			if rest, context, exact = h.states.listed(e.reader, rest, context); !exact {
				return false
			}
		}
	}
	next, ok := newLine(l.bytes(), rest, context)
	if ok {
		w.exchange(addr, l, next)
	}
	return ok
}

// mostAlike is among how many readers one is looked for that is of the same strand. Where there are more,
// pairs may be counted twice.
const mostAlike = 256

// listed is rest with the reader in front, if its strand has not read already, and the context of the
// access in front. Since a collection, a strand is another reader. It is exact if the list has the
// reader's call path: what others made of it before was of that path only.
func (t *states) listed(reader uint32, rest State, context uint32) (s State, latest uint32, exact bool) {
	a := t.audiences.readers.At(reader).access()
	if t.known(rest, a.Strand, Read, mostAlike) {
		return rest, context, true
	}
	next := t.pushBy(&Access{Strand: a.Strand}, &a, rest, t.lengthOf(rest)+1)
	if next == rest {
		offheap.Store32(&t.rolls.lost, 1)
	}
	return next, a.Context, t.at(next).context == a.Context
}

// unrollTo is unroll of a line that gets the group g.
func (h *History) unrollTo(g *group, addr uintptr, l Line, r *roll) {
	for left := l.bytes(); left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		word, bit := r.place(addr + uintptr(i))
		s, context := h.states.attendants(r, word, bit, l.context())
		h.fillByte(&g[i/8], i%8, s, context)
	}
}

// fillByte makes the cell, of a group that is nobody's yet, say that byte i has state s.
func (h *History) fillByte(c *Cell, i int, s State, context uint32) {
	v := cell(c.states)
	if !v.isBlock() {
		if next := v.with(1<<i, s); next != 0 {
			c.states = uint64(next)
			c.remember(v.occupied(), 1<<i, context)
			return
		}
		if !h.expand(c, v) {
			offheap.Store32(&h.states.rolls.lost, 1)
			return
		}
	}
	h.blocks.At(uint32(c.states)).states[i] = uint32(s)
	c.remember(0xff, 1<<i, context)
}

// fewReaders is how many readers an element has at most that gets a list: others most likely have the same.
const fewReaders = 3

// attendants is the state of an element of r that leaves it: an audience of those who have read it,
// or a list if these are few, or too many. The context is that of the access in front, that of rest if nobody has.
func (t *states) attendants(r *roll, word uintptr, bit uint64, context uint32) (s State, latest uint32) {
	n := 0
	for id := r.first; id != 0 && n <= fewReaders; id = t.rolls.sheets.At(id).next {
		if t.rolls.sheets.At(id).has(word, bit) != 0 {
			n++
		}
	}
	if n <= fewReaders {
		if s, latest, exact := t.listing(r, word, bit, context); exact {
			return s, latest
		}
	}
	if s, latest = t.attended(r, word, bit, context); s == 0 {
		s, latest, _ = t.listing(r, word, bit, context)
	}
	return s, latest
}

// listing is attendants by a list; exact as listed is.
func (t *states) listing(r *roll, word uintptr, bit uint64, context uint32) (s State, latest uint32, exact bool) {
	s, latest, exact = r.rest, context, true
	for id := r.first; id != 0; id = t.rolls.sheets.At(id).next {
		if e := t.rolls.sheets.At(id); e.has(word, bit) != 0 {
			same := false
			s, latest, same = t.listed(e.reader, s, latest)
			exact = exact && same
		}
	}
	return s, latest, exact
}

// attended is attendants by audiences; state 0 if there is no room for all.
func (t *states) attended(r *roll, word uintptr, bit uint64, context uint32) (s State, latest uint32) {
	s, latest = r.rest, context
	n := uint32(0)
	for id := r.first; id != 0; id = t.rolls.sheets.At(id).next {
		e := t.rolls.sheets.At(id)
		if e.has(word, bit) == 0 || t.attending(s, t.audiences.readers.At(e.reader).strand) {
			continue
		}
		const room = uint32(len(audience{}.readers))
		if n%room != 0 {
			t.audience(s).readers[n%room] = e.reader
		} else if n/room > deepest {
			return 0, 0
		} else if s = t.newAudience(s, n/room, e.reader); s == 0 {
			return 0, 0
		}
		latest = t.audiences.readers.At(e.reader).context
		n++
	}
	return s, latest
}

// attending reports whether the strand is among the readers in front of a list.
func (t *states) attending(s State, u Strand) bool {
	for ; s.isAudience(); s = t.audience(s).rest {
		for _, r := range &t.audience(s).readers {
			if r != 0 && t.audiences.readers.At(r).strand == u {
				return true
			}
		}
	}
	return false
}
