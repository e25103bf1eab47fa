package shadow

import (
	"math/bits"

	"github.com/detrace/detrace/internal/offheap"
)

// bigRange is the size from which giving shadow memory back to the system is
// cheaper than looking at it.
const bigRange = 1 << 20

// Forget drops what is remembered of [addr, addr+size): the memory is new or
// gone. Cost: clearing each line; large ranges are returned to the system.
func (h *History) Forget(addr, size uintptr) {
	w := h.Window(addr)
	if w == nil {
		return
	}
	lo, hi := addr-w.Lo, min(addr-w.Lo+size, w.Size)
	first, last := (lo+lineBytes-1)&^(lineBytes-1), hi&^(lineBytes-1)
	if first > last { // inside one line
		h.forgetPart(w, lo, hi)
		return
	}
	h.forgetPart(w, lo, first)
	h.forgetPart(w, last, hi)
	if last-first >= bigRange {
		w.discard(first, last)
		return
	}
	w.zero(first, last)
}

// forgetPart is Forget for the offsets [lo, hi), fewer than those of one line.
func (h *History) forgetPart(w *Window, lo, hi uintptr) {
	if lo == hi || !w.used(lo) {
		return
	}
	addr, bytes := w.Lo+lo, uint64(1<<(hi-lo)-1)<<(lo%lineBytes)
	for {
		l := w.Line(addr)
		if l.IsSplit() {
			for p := uintptr(0); p < lineBytes; p += 8 {
				if mask := uint8(bytes >> p); mask != 0 {
					h.forgetBytes(l.Cell(p), mask)
				}
			}
			return
		}
		if l.isRolled() {
			w.split(addr, l)
			continue
		}
		all := h.pairs.parts(l)
		if all.bytes()&bytes == 0 {
			return
		}
		left := all.without(bytes)
		if rest, ok := h.pairs.line(&left, l.isPair()); !ok {
			w.split(addr, l)
		} else if w.exchange(addr, l, rest) {
			return
		}
	}
}

// forgetBytes forgets bytes of a cell.
func (h *History) forgetBytes(c *Cell, mask uint8) {
	if mask == 0xff {
		*c = Cell{}
		return
	}
	for {
		old := offheap.Load64(&c.states)
		v := cell(old)
		if v.occupied()&mask == 0 {
			return
		}
		if v.isBlock() {
			b := h.blocks.At(uint32(old))
			for ; mask != 0; mask &= mask - 1 {
				offheap.Store32(&b.states[bits.TrailingZeros8(mask)], 0)
			}
			return
		}
		if offheap.Exchange64(&c.states, old, uint64(v.without(mask))) {
			return
		}
	}
}
