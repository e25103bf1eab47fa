package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// Window is a range of addresses with a line for every aligned 64 bytes, and a Cell for
// every 8.
type Window struct {
	Lo, Size uintptr
	lines    unsafe.Pointer
	cells    unsafe.Pointer
	touched  unsafe.Pointer // a uint32 per chunk: what of it has been used
	regions  unsafe.Pointer // a uint32 per region: has any chunk ever been touched
}

// What of a chunk is in use, from its flag.
const (
	unused  = 0
	inLines = 1 // no line is split
	// SplitChunk is the flag of a chunk with split lines.
	SplitChunk = 2
	emptied    = 3 // no line is split any more
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
	// ChunkShift says how much memory has a touched flag.
	ChunkShift = 12

	chunk     = 1 << ChunkShift
	region    = 4096 * chunk // per flag of a region
	cellBytes = unsafe.Sizeof(Cell{})
)

// denseStart is how much of a window's start is shadowed by huge pages: small
// programs live there, and it bounds what sparse use of them can cost.
const denseStart = 64 << 20

func newWindow(lo, size uintptr) Window {
	size = (size + chunk - 1) &^ (chunk - 1)
	if size == 0 {
		return Window{}
	}
	cells := offheap.Reserve(size / 8 * cellBytes)
	offheap.PreferHuge(cells, min(size, denseStart)/8*cellBytes)
	lines := offheap.Reserve(size / lineBytes * 8)
	return Window{Lo: lo, Size: size, lines: lines, cells: cells, touched: offheap.Reserve(size / chunk * 4), regions: offheap.Reserve((size/region + 1) * 4)}
}

// Cell returns the cell of addr, which must be in the window.
//
//go:nosplit
func (w *Window) Cell(addr uintptr) *Cell {
	return (*Cell)(unsafe.Add(w.cells, (addr-w.Lo)/8*cellBytes))
}

// Lines is where the word of the line at Lo is, and Chunks where the flag of the first
// chunk is; the others follow.
func (w *Window) Lines() unsafe.Pointer  { return w.lines }
func (w *Window) Chunks() unsafe.Pointer { return w.touched }

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

// Value returns the value of the cell of addr for Peek and TryMove, or 0 if what the line
// of addr says afterwards is what counts. What it says may be outdated.
//
//go:nosplit
func (w *Window) Value(addr uintptr) uint64 {
	if !w.hasSplit(addr) {
		return 0
	}
	return offheap.Load64(&w.Cell(addr).states)
}

// hasSplit reports whether there is a split line in the chunk of addr.
//
//go:nosplit
func (w *Window) hasSplit(addr uintptr) bool { return offheap.Load32(w.flag(addr-w.Lo)) == SplitChunk }

// split splits the line of addr if it is still l; it reports whether it was.
//
//go:nosplit
func (w *Window) split(addr uintptr, l Line) bool {
	if !w.hasSplit(addr) { // said before it can be seen
		w.touch(addr)
		offheap.Store32(w.flag(addr-w.Lo), SplitChunk)
	}
	return offheap.CAS64(w.line(addr), uint64(l), uint64(l|lineSplit))
}

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

//go:nosplit
func (w *Window) touch(addr uintptr) {
	if f := w.flag(addr - w.Lo); offheap.Load32(f) == unused {
		offheap.Store32(w.regionFlag(addr-w.Lo), 1)
		offheap.CAS32(f, unused, inLines)
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
		if offheap.Load32(w.flag(off)) >= SplitChunk {
			shadow += chunk / 8 * uint64(cellBytes)
		}
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

// span returns the cells of the offsets [lo, hi), multiples of 8.
func (w *Window) span(lo, hi uintptr) []Cell {
	return unsafe.Slice((*Cell)(unsafe.Add(w.cells, lo/8*cellBytes)), (hi-lo)/8)
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
		case SplitChunk:
			for i, word := range w.words(lo, end) {
				if Line(word).isSplit() {
					clear(w.span(lo+uintptr(i)*lineBytes, lo+uintptr(i+1)*lineBytes))
				}
			}
			clear(w.words(lo, end))
			if end-lo == chunk {
				offheap.Store32(f, emptied)
			}
		default:
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
	offheap.Discard(unsafe.Add(w.lines, first/lineBytes*8), (last-first)/lineBytes*8)
	offheap.Discard(unsafe.Add(w.cells, first/8*cellBytes), (last-first)/8*cellBytes)
	clear(unsafe.Slice(w.flag(first), (last-first)/chunk))
}
