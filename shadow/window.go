package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// Window is a range of addresses with a line for every aligned 64 bytes.
type Window struct {
	Lo, Size uintptr
	lines    unsafe.Pointer
	touched  unsafe.Pointer // a uint32 per chunk: what of it has been used
	regions  unsafe.Pointer // a uint32 per region: has any chunk ever been touched
	rolls    unsafe.Pointer // a uint32 per chunk: the first of its rolls
	history  *History
	groups   offheap.Table[group]
	high     uint32 // atomic: groups handed to stocks
	stocks   [stocks]stock
}

// What of a chunk is in use, from its flag.
const (
	unused     = 0
	inLines    = 1 // no line is split
	splitChunk = 2
)

// Cell is what a granule of 8 bytes of a split line remembers: the states of its bytes, and per
// 4 bytes the calling context of the access remembered last.
type Cell struct {
	states   uint64 // a cell value
	contexts [2]uint32
}

// CellContexts is where in a Cell the contexts of its halves are.
const CellContexts = unsafe.Offsetof(Cell{}.contexts)

const (
	chunk  = 4096         // bytes that have a flag
	region = 4096 * chunk // per flag of a region
)

func (w *Window) init(lo, size uintptr, h *History) {
	size = (size + chunk - 1) &^ (chunk - 1)
	if size == 0 {
		return
	}
	w.Lo, w.Size, w.history = lo, size, h
	w.lines = offheap.Reserve(size / lineBytes * 8)
	w.touched, w.regions = offheap.Reserve(size/chunk*4), offheap.Reserve((size/region+1)*4)
	w.rolls = offheap.Reserve(size / chunk * 4)
	w.groups.Init(groups(size))
	offheap.PreferHuge(unsafe.Pointer(w.groups.At(0)), uintptr(groups(size))*groupBytes)
}

// Cell returns the cell of addr, which must be in the window, if its line is split;
// otherwise nil.
//
//go:nosplit
func (w *Window) Cell(addr uintptr) *Cell {
	l := w.Line(addr)
	if !l.IsSplit() {
		return nil
	}
	return l.Cell(addr)
}

// Lines is where the word of the line at Lo is; the others follow.
func (w *Window) Lines() unsafe.Pointer { return w.lines }

// line returns the word of the line of addr, which must be in the window.
//
//go:nosplit
func (w *Window) line(addr uintptr) *uint64 {
	return (*uint64)(unsafe.Add(w.lines, (addr-w.Lo)/lineBytes*8))
}

// Line returns the line of addr.
//
//go:nosplit
func (w *Window) Line(addr uintptr) Line { return Line(offheap.Load64(w.line(addr))) }

// exchange makes the line of addr, which was l, next; false if it is not l any more.
func (w *Window) exchange(addr uintptr, l, next Line) bool {
	return offheap.Exchange64(w.line(addr), uint64(l), uint64(next))
}

// value is the value of the cell of addr, or 0 if there is none.
func (w *Window) value(addr uintptr) uint64 {
	if c := w.Cell(addr); c != nil {
		return c.Load()
	}
	return 0
}

// hasSplit reports whether there is a split line in the chunk of addr.
//
//go:nosplit
func (w *Window) hasSplit(addr uintptr) bool { return offheap.Load32(w.flag(addr-w.Lo)) == splitChunk }

// Load returns the value of the cell for Peek and TryMove. Not ordered with
// anything: what it says may be outdated.
//
//go:nosplit
func (c *Cell) Load() uint64 { return offheap.Load64(&c.states) }

// Peek returns the state of the byte at addr in the cell value v when that can be
// told at a glance; otherwise 0, as for a byte without history.
//
//go:nosplit
func Peek(v uint64, addr uintptr) State {
	if v>>(24+addr&7)&1 == 0 {
		v >>= 32
		if v>>(24+addr&7)&1 == 0 {
			return 0
		}
	}
	return State(v & (MaxStates - 1))
}

// stateInCell returns the state of the byte at addr in w by its cell; 0 if it has no history, or its line is
// not split.
//
//go:nosplit
func (h *History) stateInCell(w *Window, addr uintptr) (s State) {
	c := w.Cell(addr)
	if c == nil {
		return 0
	}
	v := c.Load()
	if s = Peek(v, addr); s == 0 {
		s = h.PeekBlock(v, addr)
	}
	return s
}

// PeekBytes returns the states of the bytes in mask, not 0, of a cell with value v: one, or two. ok is
// false when that cannot be told at a glance: a byte has no history, or the cell has a block.
func PeekBytes(v uint64, mask uint8) (one, other State, ok bool) {
	m0, s0 := cell(v).slot(0)
	m1, s1 := cell(v).slot(1)
	switch {
	case mask&^(m0|m1) != 0:
		return 0, 0, false
	case mask&m0 == 0:
		return s1, s1, true
	case mask&m1 == 0:
		return s0, s0, true
	}
	return s0, s1, true
}

// Unused reports whether there is no history around addr, without a look at its line: see Prepare.
func (w *Window) Unused(addr uintptr) bool { return !w.used(addr - w.Lo) }

//go:nosplit
func (w *Window) touch(addr uintptr) {
	if f := w.flag(addr - w.Lo); offheap.Load32(f) == unused {
		offheap.Store32(w.regionFlag(addr-w.Lo), 1)
		offheap.CAS32(f, unused, inLines)
	}
}

// Prepare is touch for who is about to look at lines, which change most of the time. Written
// before they are read, their page costs one fault and not two, the second of which interrupts
// all processors.
func (w *Window) Prepare(addr uintptr) {
	if offheap.Load32(w.flag(addr-w.Lo)) == unused {
		offheap.CAS64(w.line(addr), 0, 0)
		w.touch(addr)
	}
}

//go:nosplit
func (w *Window) regionFlag(off uintptr) *uint32 {
	return (*uint32)(unsafe.Add(w.regions, off/region*4))
}

// next is the offset of the first chunk at or after off, a multiple of chunk, that may
// be in use; Size or more when there is none.
func (w *Window) next(off uintptr) uintptr {
	for off < w.Size && !w.used(off) {
		if off += chunk; off%region == 0 {
			for off < w.Size && offheap.Load32(w.regionFlag(off)) == 0 {
				off += region
			}
		}
	}
	return off
}

// memory is the size of the shadow memory in use, and of the chunks that it is about.
func (w *Window) memory() (shadow, shadowed uint64) {
	for off := w.next(0); off < w.Size; off = w.next(off + chunk) {
		shadowed += chunk
		shadow += chunk / lineBytes * 8
	}
	for i := range w.stocks {
		p := &w.stocks[i]
		p.lock.Lock()
		shadow += uint64(p.used) * uint64(groupBytes)
		p.lock.Unlock()
	}
	return shadow, shadowed
}

// used reports whether the chunk at offset off may be in use.
func (w *Window) used(off uintptr) bool {
	return offheap.Load32(w.flag(off)) != unused
}

//go:nosplit
func (w *Window) flag(off uintptr) *uint32 {
	return (*uint32)(unsafe.Add(w.touched, off/chunk*4))
}

// words returns the lines of the offsets [lo, hi), multiples of 64.
func (w *Window) words(lo, hi uintptr) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(w.lines, lo/lineBytes*8)), (hi-lo)/lineBytes)
}

// zero clears the lines of the offsets [lo, hi), multiples of 64, without writing to
// shadow pages that were never used.
func (w *Window) zero(lo, hi uintptr) {
	for lo < hi {
		end := min((lo+chunk)&^(chunk-1), hi)
		switch f := w.flag(lo); offheap.Load32(f) {
		case unused:
		case splitChunk:
			w.closeRolls(lo, end)
			w.giveBack(lo, end)
			clear(w.words(lo, end))
			if end-lo == chunk {
				offheap.Store32(f, inLines)
			}
		default:
			w.closeRolls(lo, end)
			clear(w.words(lo, end))
		}
		lo = end
	}
}

// discard is zero for a large range: it gives the memory back to the system.
func (w *Window) discard(lo, hi uintptr) {
	const page = chunk * lineBytes / 8 // of lines
	first, last := (lo+page-1)&^(page-1), hi&^(page-1)
	w.zero(lo, first)
	w.zero(last, hi)
	for off := w.next(first); off < last; off = w.next(off + chunk) {
		w.closeRolls(off, off+chunk)
		if w.hasSplit(w.Lo + off) {
			w.giveBack(off, off+chunk)
		}
	}
	offheap.Discard(unsafe.Add(w.lines, first/lineBytes*8), (last-first)/lineBytes*8)
	clear(unsafe.Slice(w.flag(first), (last-first)/chunk))
}
