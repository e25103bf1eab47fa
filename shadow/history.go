package shadow

import (
	"math/bits"
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// block holds a state per byte of a granule in which three or more meet.
type block struct {
	states [8]uint32
}

// BlockShift is log2 of the size of a block: its states by byte, of 4 bytes each.
const BlockShift = 5

var _ [1 << BlockShift]byte = [unsafe.Sizeof(block{})]byte{}

// maxBlocks keeps ids below the masks of a cell, and lets Go's race detector see
// what is handed from thread to thread by a block as it sees it by a cell.
const maxBlocks = uint32(min(1<<24, offheap.Tracked/unsafe.Sizeof(block{})))

// sparseBlocks is how many blocks there are before huge pages are asked for the rest.
const sparseBlocks = 1 << 17

// History is the access history of a process. Access and Forget are safe for
// concurrent use; a Collector needs every other call to have returned.
type History struct {
	// Windows are set by Init; they are exported for a caller's fast path.
	Windows [2]Window
	states  states
	pairs   pairs

	blocks struct {
		offheap.Table[block]
		marks offheap.Table[uint32]
		lock  offheap.Lock // guards the rest
		high  uint32
		free  uint32
	}
}

// Blocks is where the block of id 0 would be; the others follow.
func (h *History) Blocks() unsafe.Pointer { return unsafe.Pointer(h.blocks.At(0)) }

// Init makes an empty history for two ranges of addresses that start at multiples
// of 4096. Shadow memory takes 2.2 bytes of address space per byte, and as much
// memory as is used. At most limit states are kept; 0 means [MaxStates].
func (h *History) Init(lo0, size0, lo1, size1 uintptr, limit uint32) {
	if limit == 0 || limit > MaxStates {
		limit = MaxStates
	}
	h.states.init(limit)
	h.pairs.init()
	h.blocks.Table.Init(maxBlocks)
	h.blocks.marks.Init(maxBlocks)
	offheap.PreferHuge(unsafe.Pointer(h.blocks.At(sparseBlocks)), uintptr(maxBlocks-sparseBlocks)*unsafe.Sizeof(block{}))
	h.Windows[0].init(lo0, size0, h)
	h.Windows[1].init(lo1, size1, h)
}

// Serial says that from now on no two strands make accesses by turns: those that a
// strand has made before are then the latest, and looked for there alone. Where two do
// all the same, accesses may be remembered more than once. The numbers of strands
// (Strand.Index) grow over all tasks, in the order in which the strands began; where they do
// not, what a strand remembers is found more slowly.
func (h *History) Serial() {
	h.states.glance, h.states.search, h.states.audiences.wide = ownSerial, ownSerial, noReads
	h.states.rolls.scatter = noScatter
	h.states.tick()                             // what is made from now on is not before the one time of serial runs
	h.states.few.Discard(0, h.states.few.Max()) // strands have other numbers from now on
}

// Now is after all accesses so far and not after any to come; it is never 0. Serial runs do
// with one time.
//
//go:nosplit
func (h *History) Now() uint32 {
	if h.states.search == ownSerial {
		return firstTick
	}
	return h.states.tick()
}

// Window returns the window that addr is in, or nil.
func (h *History) Window(addr uintptr) *Window {
	for i := range h.Windows {
		if w := &h.Windows[i]; addr-w.Lo < w.Size {
			return w
		}
	}
	return nil
}

// Outcome says what an access did to the history.
type Outcome struct {
	Before, After State  // of the byte accessed; of a range, of its last byte; 0 if its line is in a roll
	Reader        uint32 // what the access is in audiences, see Join; 0 unknown
	Did
}

// Did is the part of an Outcome that says yes or no. It is a part because what has five fields
// is not passed in registers alone.
type Did struct {
	Uniform bool // the access was to one byte, so Before and After say it all
	Changed bool // not of every byte the same strand had made such an access
	Full    bool // the state table was full: the access was checked but is not remembered
}

// Access checks the accesses a to the size bytes that start at addr (1 for a
// scalar of any width: its first byte stands for it) and remembers them. Bytes
// outside the windows are ignored. The check and the update of one byte are one
// atomic step. Cost: per granule, one query per remembered strand of each
// distinct state, or nothing when it equals the granule before.
func (h *History) Access(addr, size uintptr, a *Access, o Order) Outcome {
	w := h.Window(addr)
	if w == nil {
		return Outcome{}
	}
	if end := w.Lo + w.Size; size > end-addr {
		size = end - addr
	}
	if size == 1 {
		if st, changed := h.back(w, addr, a, o); st != 0 {
			return Outcome{Before: st, After: st, Did: Did{Uniform: true, Changed: changed}}
		}
	}
	a.thread = h.thread(o)
	var s step
	s.begins(h, w, a, o)
	if size >= 8 {
		s.mask = 0xff
		s.ranges = o.Ranges().about(a, s.mask)
	}
	a.single = size == 1
	s.one = a.single && a.Op == Read
	for p, end := addr, addr+size; p < end; {
		offset := p & 7
		if stop := min(p|(chunk-1)+1, end) &^ 7; offset == 0 && p < stop {
			s.whole(p, stop)
			p = stop
			continue
		}
		n := min(8-offset, end-p)
		s.granule(p-offset, uint8((1<<n-1)<<offset))
		p += n
	}
	out := Outcome{Reader: s.reader, Did: Did{Changed: s.moved, Full: s.full || offheap.Load32(&h.states.rolls.lost) != 0}}
	if !s.rolled {
		out.Before, out.After, out.Uniform = s.olds[s.last], s.news[s.last], size == 1
	}
	return out
}

// none is no state at all.
const none = ^State(0)

// transitions is how many of its last ones a step knows, by the last bits of the old state: as many as the
// bytes of a granule may have.
const transitions = 8

var noStates = [transitions]State{none, none, none, none, none, none, none, none}

// step carries one access over its granules.
type step struct {
	history *History
	window  *Window
	access  *Access
	order   Order
	cell    *Cell   // nil where a line is looked at
	latest  uint32  // then the context of the byte looked at
	base    uintptr // address of what is looked at

	// A line that these bytes leave as it is, and a cell that the mask does.
	sameLine  Line
	sameBytes uint64
	sameCell  cell

	// The last transitions, by old state: consecutive granules repeat them.
	olds, news [transitions]State
	last       int // of the transition used last
	full       bool
	moved      bool   // some byte takes another state
	one        bool   // a read of one byte
	joined     bool   // of which an audience was there to join
	reader     uint32 // that it is in audiences
	changed    uint8  // bytes of a cell that take another state

	mask   uint8      // the bytes that a range or a row of elements accesses in whole granules
	ranges *cellMoves // of these accesses

	scattered bool // neighbours are not accessed alike
	rolled    bool // a line stayed in a roll

	turns Turns // nil unless accesses are made by turns
	turn  int
}

// begins makes s, which is zero, the access a to memory in w.
func (s *step) begins(h *History, w *Window, a *Access, o Order) {
	a.single = false
	s.history, s.window, s.access, s.order = h, w, a, o
	s.olds = noStates
}

// whole makes the access to the bytes in the step's mask of the granules from p to end,
// in one chunk.
func (s *step) whole(p, end uintptr) {
	s.window.Prepare(p)
	all := uint64(s.mask) * steps[7]
	for p < end {
		bytes, stop := all<<(p%lineBytes), p&^(lineBytes-1)+lineBytes
		if stop > end {
			bytes &= 1<<(end%lineBytes) - 1
			stop = end
		}
		for {
			l := s.window.Line(p)
			if l.IsSplit() {
				s.cells(p, l.group()[p%lineBytes/8:][:(stop-p)/8])
				break
			}
			if s.wholeLine(p, l, bytes) {
				break
			}
		}
		p = stop
	}
}

// cells is whole for cells of a split line, the first of which is that of address p.
// What came up lately is known.
func (s *step) cells(p uintptr, cells []Cell) {
	ranges := s.ranges
	for i := range cells {
		c := &cells[i]
		v := cell(offheap.Load64(&c.states))
		if v == s.sameCell && v != 0 {
			continue
		}
		e := ranges.entry(v)
		if e.key == uint64(v)+1 {
			if e.new == v {
				s.sameCell = v
				continue
			}
			if s.shift(c, v, e) {
				continue
			}
		}
		s.granule(p+8*uintptr(i), s.mask)
	}
}

// shift makes the transition e of the cell c, which had the value old; false if it changed
// meanwhile.
func (s *step) shift(c *Cell, old cell, e *cellMove) bool {
	context := s.access.Context
	if e.context != context { // before the states can be seen
		s.reached(e)
	}
	if !offheap.Exchange64(&c.states, uint64(old), uint64(e.new)) {
		return false
	}
	s.moved = true
	for k := range c.contexts {
		latest := offheap.Load32(&c.contexts[k])
		offheap.Put32(&c.contexts[k], latest&e.keep[k]|context&e.set[k])
	}
	return true
}

// reached notes that e led to its states in another context.
func (s *step) reached(e *cellMove) {
	e.context = s.access.Context
	for k := 0; k < 2; k++ {
		if m, after := e.new.slot(k); m&e.changed != 0 {
			s.history.states.reach(after, e.context)
		}
	}
}

// next is the state after old, for bytes of which the first is at base+at.
func (s *step) next(old State, at int) State {
	s.last = int(old % transitions)
	if s.olds[s.last] == old {
		return s.news[s.last]
	}
	if s.turns != nil {
		s.turns.Turn(s.turn)
	}
	n := State(0)
	if old.isList() {
		n = s.order.Move(old)
	}
	if n != 0 {
		s.history.states.reach(n, s.access.Context)
	} else if n = s.inPlace(old, at); n == 0 {
		latest := s.latest
		if s.cell != nil {
			latest = offheap.Load32(&s.cell.contexts[at>>2&1])
		}
		s.order.At(s.base + uintptr(at))
		var full bool
		n, full = s.history.states.after(old, s.access, latest, s.order)
		if s.full = s.full || full; !full && n != old && old.isList() {
			s.order.Moved(old, n)
			s.strays()
			n = s.opens(old, n)
		}
	}
	s.olds[s.last], s.news[s.last] = old, n
	s.moved = s.moved || n != old || s.joined
	return n
}

// inPlace is next where a state of the byte's own is there to change, or made for it;
// otherwise 0.
func (s *step) inPlace(old State, at int) State {
	if old.isJournal() {
		return s.enter(old, at)
	}
	return s.attend(old)
}

// granule makes the access to the bytes in mask of the granule at p.
func (s *step) granule(p uintptr, mask uint8) {
	w := s.window
	w.touch(p)
	for {
		l := w.Line(p)
		switch {
		case l.IsSplit():
			if c := l.Cell(p); s.inCell(p, c, cell(c.Load()), mask) {
				return
			}
		case s.ranges == nil && (l.isPair() || l == 0 && w.hasSplit(p)):
			w.split(p, l) // elements that are accessed one by one are soon too many, as next to it
		case s.inLine(p, l, uint64(mask)<<(p%lineBytes)):
			return
		}
	}
}

// inCell makes the access to the bytes in mask of the granule at p, whose cell c had the
// value before. false means that it must be looked at again.
func (s *step) inCell(p uintptr, c *Cell, before cell, mask uint8) bool {
	s.cell, s.base = c, p
	if before.isBlock() {
		s.block(uint32(before), mask)
		return true
	}
	v, ok := s.slots(before, mask)
	if ok && s.ranges != nil && mask == s.mask {
		s.ranges.learn(before, v, mask, s.changed, s.access.Context)
	}
	if !ok {
		s.full = s.full || !s.history.expand(c, before)
		return s.full
	}
	if v == before {
		if s.joined {
			c.remember(before.occupied(), mask, s.access.Context)
		}
		return true
	}
	if !offheap.Exchange64(&c.states, uint64(before), uint64(v)) {
		return false
	}
	c.remember(before.occupied(), s.changed, s.access.Context)
	return true
}

// remember notes the calling context of an access to the bytes in mask, of a cell
// that had something of those in occupied.
//
//go:nosplit
func (c *Cell) remember(occupied, mask uint8, context uint32) {
	for i := 0; i < 2; i++ {
		half := uint8(0x0f) << (4 * i)
		switch {
		case mask&half == 0:
		case occupied&half&^mask != 0:
			offheap.Put32(&c.contexts[i], 0) // not that of all bytes
		default:
			offheap.Put32(&c.contexts[i], context)
		}
	}
}

// slots returns the cell after the access to the bytes in mask; false when it
// would need a third state.
func (s *step) slots(c cell, mask uint8) (cell, bool) {
	out := c
	s.changed = mask
	for i := 0; i < 2; i++ {
		m, st := c.slot(i)
		if m &= mask; m != 0 {
			if n := s.next(st, bits.TrailingZeros8(m)); n != st {
				if out = out.with(m, n); out == 0 {
					return c, false
				}
			} else {
				s.changed &^= m
			}
			mask &^= m
		}
	}
	if mask != 0 {
		if n := s.next(0, bits.TrailingZeros8(mask)); n != 0 {
			if out = out.with(mask, n); out == 0 {
				return c, false
			}
		}
	}
	return out, true
}

func (s *step) block(id uint32, mask uint8) {
	b := s.history.blocks.At(id)
	for ; mask != 0; mask &= mask - 1 {
		p := &b.states[bits.TrailingZeros8(mask)]
		for {
			old := offheap.Load32(p)
			if k := old % transitions; s.olds[k] == State(old) && s.news[k] == State(old) {
				s.last = int(k)
				break
			}
			n := s.next(State(old), bits.TrailingZeros8(mask))
			if uint32(n) == old && !s.joined {
				break
			}
			if offheap.Exchange32(p, old, uint32(n)) {
				s.cell.remember(0xff, mask&-mask, s.access.Context)
				break
			}
		}
	}
}

// expand replaces the value v of a cell by a block with its states, unless the cell changes
// meanwhile; false when there is no block left.
func (h *History) expand(c *Cell, v cell) bool {
	h.blocks.lock.Lock()
	ok := h.giveBlock(c, v)
	h.blocks.lock.Unlock()
	return ok
}

// giveBlock is expand for who has the lock of the blocks.
//
//go:nosplit
func (h *History) giveBlock(c *Cell, v cell) bool {
	p := &h.blocks
	id := p.free
	if id == 0 {
		id = p.high + 1
	}
	if id >= maxBlocks {
		return false
	}
	b, behind := p.At(id), uint32(0)
	if id == p.free {
		behind = b.states[0] // of new memory it would be a fault of its own
	}
	for i := range b.states {
		b.states[i] = uint32(v.state(uintptr(i)))
	}
	switch {
	case !offheap.CAS64(&c.states, uint64(v), uint64(id)):
		b.states[0] = behind
	case id == p.free:
		p.free = behind
	default:
		p.high = id
	}
	return true
}

// Shadow is the memory of the lines and cells in use, and shadowed that of the program
// that they are about; both in steps of 4096 bytes of the program's.
func (h *History) Shadow() (bytes, shadowed uint64) {
	for i := range h.Windows {
		shadow, of := h.Windows[i].memory()
		bytes, shadowed = bytes+shadow, shadowed+of
	}
	return bytes, shadowed
}

// Bytes is the memory used beside the cells.
func (h *History) Bytes() uint64 {
	t := &h.states
	return t.used()*uint64(unsafe.Sizeof(record{})) + t.audiences.readersBytes() + t.journals.bytes() + t.rolls.bytes() +
		uint64(h.blocks.high)*uint64(unsafe.Sizeof(block{})) + uint64(h.pairs.high)*uint64(unsafe.Sizeof(pair{}))
}

// States is the number of states in use.
func (h *History) States() uint64 { return h.states.used() }
