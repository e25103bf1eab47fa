package shadow

import (
	"math/bits"
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// What follows makes a transition of one byte that is known already, without asking
// anybody. It runs on the stack of the judged program.

// Knows reports whether an access of kind op by strand u is redundant in state
// s, by a look at its most recent accesses.
//
//go:nosplit
func (h *History) Knows(s State, u Strand, op Op) bool {
	return h.states.known(s, u, op, h.states.glance)
}

// Older reports whether all of state s, not 0, was made before the given time (see
// [Access]): a strand that began then has no access in it. What is no list, which the history
// alone looks at, passes for older.
//
//go:nosplit
func (h *History) Older(s State, since uint32) bool {
	return !s.isList() || h.states.records.At(uint32(s)).made < since
}

// Foretell says that there will be a look at the history of a byte in state s, which takes as long as it
// takes to load a journal.
//
//go:nosplit
func (h *History) Foretell(s State) {
	if s.isJournal() {
		offheap.Prefetch(unsafe.Pointer(h.states.journal(s)), unsafe.Sizeof(journal{}))
	}
}

// IsAudience reports whether s may grow in place.
//
//go:nosplit
func IsAudience(s State) bool { return s.isAudience() }

// IsBlock reports whether v is the value of a cell with a block.
//
//go:nosplit
func IsBlock(v uint64) bool { return cell(v).isBlock() }

// PeekBlock is Peek for a cell value of which Peek said 0 though it is not 0.
//
//go:nosplit
func (h *History) PeekBlock(v uint64, addr uintptr) State {
	if !cell(v).isBlock() {
		return 0
	}
	return State(offheap.Load32(&h.blocks.At(uint32(v)).states[addr&7]))
}

// Move is a transition of one byte, and the context in which After was reached last
// by it.
type Move struct {
	Before, After State
	Context       uint32
}

// TryMove makes the transition m of the byte at addr, of which Peek or PeekBlock
// said m.Before for the value v of its cell c, by an access in the given context;
// false when the cell has no room at a glance, or changed meanwhile.
//
//go:nosplit
func (h *History) TryMove(c *Cell, v uint64, addr uintptr, m *Move, context uint32) bool {
	h.Reached(m, context)
	bit := uint64(1) << (24 + addr&7)
	to := bit | uint64(m.After)
	latest := context
	if hi := v >> 32; uint64(uint32(v))&^(MaxStates-1) == bit && hi&(MaxStates-1) != uint64(m.After) {
		// Most words: the byte has a slot of its own.
		if !offheap.CAS64(&c.states, v, hi<<32|to) {
			return false
		}
	} else if !cell(v).isBlock() {
		next := cell(v).put(uint32(bit), uint32(to))
		if next == 0 || !offheap.CAS64(&c.states, v, uint64(next)) {
			return false
		}
	} else if m.Before == 0 || !offheap.CAS32(&h.blocks.At(uint32(v)).states[addr&7], uint32(m.Before), uint32(m.After)) {
		return false
	}
	if cell(v).occupied()&(0x0f<<(addr&4))&^(1<<(addr&7)) != 0 {
		latest = 0 // not that of all bytes
	}
	offheap.Put32(&c.contexts[addr>>2&1], latest)
	return true
}

// TryExpand gives the cell c, which is no block and has the value v, a block that says the
// same, and does not wait; false if there was somebody to wait for, or no block. No
// collection may come between the load of v and the return.
//
//go:nosplit
func (h *History) TryExpand(c *Cell, v uint64) bool {
	if !h.blocks.lock.TryLock() {
		return false
	}
	ok := h.giveBlock(c, cell(v))
	h.blocks.lock.Unlock()
	return ok
}

// Reached notes the context in which the transition m is about to be made.
//
//go:nosplit
func (h *History) Reached(m *Move, context uint32) {
	if m.Context != context { // before the state can be seen
		h.states.reach(m.After, context)
		m.Context = context
	}
}

// MoveInLine is TryMove for a byte of which its line l, not split, said m.Before, to a
// state that was Reached; false also if the line is to be split.
//
//go:nosplit
func (w *Window) MoveInLine(l Line, addr uintptr, after State, context uint32) bool {
	next := l.take(addr, after, context)
	if next == 0 {
		return false
	}
	w.touch(addr)
	return offheap.CAS64(w.line(addr), uint64(l), uint64(next))
}

// MoveBytes is MoveInLine for several bytes, which were all in one state.
//
//go:nosplit
func (w *Window) MoveBytes(l Line, addr uintptr, bytes uint64, after State, context uint32) bool {
	next, ok := l.with(bytes, after, context)
	if !ok {
		return false
	}
	w.touch(addr)
	return offheap.CAS64(w.line(addr), uint64(l), uint64(next))
}

// MoveInBlock is TryMove for a byte without history, when the value v of its cell is that
// of a block and the access is in the context of the move. No collection may come between
// the load of v and the return.
//
//go:nosplit
func (h *History) MoveInBlock(c *Cell, v uint64, addr uintptr, after State) bool {
	if !offheap.CAS32(&h.blocks.At(uint32(v)).states[addr&7], 0, uint32(after)) {
		return false
	}
	offheap.Put32(&c.contexts[addr>>2&1], 0) // not that of all bytes
	return true
}

// MoveInCell is TryMove for the bytes in mask of a granule, whose cell is c, by accesses from one
// place. What these make of a state that a byte has says after, 0 if that is not known, the same
// if nothing; otherwise it was Reached. If MoveInCell returns false, it may have made some of them.
// It is called inside, so that no collection comes in between.
func (h *History) MoveInCell(c *Cell, mask uint8, context uint32, after func(State) State) bool {
	for {
		v := cell(c.Load())
		if v.isBlock() {
			return h.moveInBlock(c, v, mask, after)
		}
		next, changed, ok := v.moved(mask, after)
		switch {
		case !ok:
			return false
		case changed == 0:
			return true
		case next == 0:
			if !h.TryExpand(c, uint64(v)) {
				return false
			}
		case offheap.CAS64(&c.states, uint64(v), uint64(next)):
			c.remember(v.occupied(), changed, context)
			return true
		}
	}
}

// moved is a cell that is no block after accesses to the bytes in mask, of which those in changed
// take another state; 0 if it has no room for them.
func (c cell) moved(mask uint8, after func(State) State) (next cell, changed uint8, ok bool) {
	next = c
	for i := 0; mask != 0; i++ {
		bytes, before := mask, State(0)
		if i < 2 {
			if bytes, before = c.slot(i); bytes&mask == 0 {
				continue
			}
			bytes &= mask
		}
		mask &^= bytes
		st := after(before)
		if st == 0 {
			return 0, 0, false
		}
		if st != before {
			changed |= bytes
			if next = next.with(bytes, st); next == 0 {
				return 0, changed, true
			}
		}
	}
	return next, changed, true
}

// moveInBlock is MoveInCell for a cell with the value v, that of a block.
func (h *History) moveInBlock(c *Cell, v cell, mask uint8, after func(State) State) bool {
	b := h.blocks.At(uint32(v))
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros8(mask)
		before := State(offheap.Load32(&b.states[i]))
		st := after(before)
		if st == 0 || st != before && !offheap.CAS32(&b.states[i], uint32(before), uint32(st)) {
			return false
		}
		if st != before {
			offheap.Put32(&c.contexts[i>>2], 0) // not that of all bytes
		}
	}
	return true
}
