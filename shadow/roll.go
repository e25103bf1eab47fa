package shadow

import (
	"math/bits"
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// A roll is the state of lines of which many strands read elements at random, as those of a
// table that is filled once and looked at by all. Such a line says no more than its word did
// before, but for the state: all of its bytes are in the list rest, and in front of that are
// the readers. Which these are is not said byte by byte, but reader by reader: each has a sheet
// with a bit for each element of a stretch of memory. Who reads sets a bit in its own sheet,
// which nobody else writes, and changes nothing that others look at; where each element had a
// state of its own for each of its readers, or an audience, a read of a table that does not fit
// into the caches missed them two or three times.
//
// Lines leave a roll one by one, for good: whoever would do more to a line than read elements of
// it closes the line, and it becomes what the sheets say (see [History.unroll]). Who reads sets
// the bit, and looks then whether the line was closed; who closes it looks at the sheets then.
// So each read is in what the line becomes, or finds the line closed and goes the way of other
// reads; an access and its check are one step here too.
//
// Only lines are in rolls, never cells, and only lists are behind them.
type roll struct {
	rest   State
	shift  uint32  // log2 of the bytes per element
	base   uintptr // of the stretch
	closed uint64  // atomic: the lines of the stretch that left, or never came
	first  uint32  // its sheets, the latest first
	sheets uint32  // how many
	next   uint32  // roll of the same chunk
	mark   uint32  // the last collection that reached it
	full   bool    // nobody else gets a sheet
	chunk  *uint32 // where the first roll of the chunk is

	// latest is the readers of the latest sheets, that of sheet n at n modulo how many: the
	// sheets themselves are a cache miss each.
	latest [looksBack]uint32
}

// sheet is what a reader has read of the stretch of a roll.
type sheet struct {
	bits   [rollElements / 64]uint64 // atomic: written by the reader alone
	reader uint32
	next   uint32 // sheet of the same roll
	again  uint32 // reads of what had been read
}

const (
	rollElements = 512 // of a stretch

	maxRolls  = 1 << 17
	maxSheets = 1 << 21
	firstRoll = MaxStates - maxRolls // states from here on are rolls

	// mostSheets is how many readers a roll has: a line that more come to leaves it.
	mostSheets = 1024
	// mostAgain is how often a reader may read what it has read, before it takes the lines at
	// which it does so out: the fast path, which is faster, knows states.
	mostAgain = 2 * rollElements
	rollLocks = 64
)

// rolls is the table of rolls and their sheets.
type rolls struct {
	offheap.Table[roll]
	sheets  offheap.Table[sheet]
	slots   sheetSlots
	scatter int32  // see scatters; noScatter for no rolls
	lost    uint32 // atomic: readers were dropped for want of room
	locks   [rollLocks]offheap.Lock
	lock    offheap.Lock // guards the rest; taken after one of those
	own     pool         // of rolls
	all     pool         // of sheets
}

func (p *rolls) init() {
	p.Table.Init(maxRolls)
	p.sheets.Init(maxSheets)
	p.slots.Init(startOf(slotLevels))
	p.scatter = scatterReads
}

// bytes is the memory used by rolls and sheets.
func (p *rolls) bytes() uint64 {
	return uint64(offheap.Load32(&p.own.used))*uint64(unsafe.Sizeof(roll{})) + uint64(offheap.Load32(&p.all.used))*uint64(unsafe.Sizeof(sheet{}))
}

//go:nosplit
func (s State) isRoll() bool { return s >= firstRoll }

//go:nosplit
func (l Line) isRolled() bool { return l.IsRun() && l.state().isRoll() }

//go:nosplit
func (t *states) roll(s State) *roll { return t.rolls.At(uint32(s - firstRoll)) }

// lockOf guards the rolls of the chunk of addr: which there are, who has sheets, and what lines
// are in them.
func (p *rolls) lockOf(addr uintptr) *offheap.Lock { return &p.locks[addr/chunk%rollLocks] }

// link is where a roll that is free has the id of the next.
func (p *rolls) link(id uint32) *uint32 { return &p.At(id).next }

// sheetLink is link for sheets.
func (p *rolls) sheetLink(id uint32) *uint32 { return &p.sheets.At(id).next }

// place is where in a sheet the element at addr is.
//
//go:nosplit
func (r *roll) place(addr uintptr) (word uintptr, bit uint64) {
	element := (addr - r.base) >> r.shift
	return element / 64 % (rollElements / 64), 1 << (element % 64)
}

// places is place for elements of the line at addr, which are in one word.
func (r *roll) places(addr uintptr, bytes uint64) (word uintptr, set uint64) {
	for ; bytes != 0; bytes &= bytes - 1 {
		at, bit := r.place(addr + uintptr(bits.TrailingZeros64(bytes)))
		word, set = at, set|bit
	}
	return word, set
}

// line is the bit of the line of addr in closed.
//
//go:nosplit
func (r *roll) line(addr uintptr) uint64 { return 1 << ((addr - r.base) / lineBytes % 64) }

// open reports whether the line of addr is in r, if its word says so.
//
//go:nosplit
func (r *roll) open(addr uintptr) bool { return offheap.Load64(&r.closed)&r.line(addr) == 0 }

// close takes lines out of r.
func (r *roll) close(lines uint64) {
	for {
		old := offheap.Load64(&r.closed)
		if old&lines == lines || offheap.CAS64(&r.closed, old, old|lines) {
			return
		}
	}
}

// has is which elements of a set were read.
func (p *sheet) has(word uintptr, set uint64) uint64 { return offheap.Load64(&p.bits[word]) & set }

// reads notes that elements were read, and reports whether that was worth while, see mostAgain.
// Whoever looks whether their line is closed looks at it as it is after that.
//
//go:nosplit
func (p *sheet) reads(word uintptr, set uint64) bool {
	old := offheap.Load64(&p.bits[word])
	if old&set != set {
		offheap.CAS64(&p.bits[word], old, old|set)
		return true
	}
	p.again++
	return p.again <= mostAgain
}

// rollOf is the state of lines around addr with elements of 1<<shift bytes in state rest, 0
// if there is no room. The lock is held.
func (w *Window) rollOf(addr uintptr, rest State, shift uint32) State {
	p, head := &w.history.states.rolls, w.rollsOf(addr-w.Lo)
	base := addr &^ (rollElements<<shift - 1)
	for id := offheap.Load32(head); id != 0; id = p.At(id).next {
		if r := p.At(id); r.rest == rest && r.shift == shift && r.base == base {
			return firstRoll + State(id)
		}
	}
	p.lock.Lock()
	id := p.own.take(maxRolls, p.link)
	p.lock.Unlock()
	if id == 0 {
		return 0
	}
	*p.At(id) = roll{rest: rest, shift: shift, base: base, chunk: head, next: offheap.Load32(head)}
	offheap.Store32(head, id)
	return firstRoll + State(id)
}

// newSheet gives the reader a sheet of the roll of that id; nil if there is no room. The lock is
// held, and the reader has none.
func (p *rolls) newSheet(id, reader uint32) *sheet {
	r := p.At(id)
	if r.sheets >= mostSheets {
		r.full = true
		return nil
	}
	p.lock.Lock()
	high := p.all.high
	own := p.all.take(maxSheets, p.sheetLink)
	if own == sparse && own > high {
		offheap.PreferHuge(unsafe.Pointer(p.sheets.At(sparse)), (maxSheets-sparse)*unsafe.Sizeof(sheet{}))
	}
	if own != 0 && !p.slots.insert(id, reader, own) {
		p.all.put(own, p.sheetLink)
		own = 0
	}
	p.lock.Unlock()
	if own == 0 {
		return nil
	}
	s := p.sheets.At(own)
	*s = sheet{reader: reader, next: r.first}
	r.first = own
	r.latest[r.sheets%looksBack] = reader
	r.sheets++
	return s
}

// closeRolls takes the lines of the offsets [lo, hi), of one chunk, out of their rolls: they are
// about to be forgotten.
func (w *Window) closeRolls(lo, hi uintptr) {
	head := w.rollsOf(lo)
	if offheap.Load32(head) == 0 {
		return
	}
	p := &w.history.states.rolls
	lock := p.lockOf(w.Lo + lo)
	lock.Lock()
	for id := offheap.Load32(head); id != 0; id = p.At(id).next {
		r := p.At(id)
		for addr := w.Lo + lo; addr < w.Lo+hi; addr += lineBytes {
			if addr-r.base < rollElements<<r.shift {
				r.close(r.line(addr))
			}
		}
	}
	if hi-lo == chunk {
		offheap.Store32(head, 0)
	}
	lock.Unlock()
}

// rollsOf is where the first roll of the chunk at offset off is.
//
//go:nosplit
func (w *Window) rollsOf(off uintptr) *uint32 {
	return (*uint32)(unsafe.Add(w.rolls, off/chunk*4))
}

// reachRoll marks s and its readers, and returns what is to be marked then.
func (t *states) reachRoll(s State, m Marker) (rest State) {
	r := t.roll(s)
	if r.mark == t.mark {
		return 0
	}
	r.mark = t.mark
	for id := r.first; id != 0; id = t.rolls.sheets.At(id).next {
		e := t.audiences.readers.At(t.rolls.sheets.At(id).reader)
		e.mark = t.mark
		m.Mark(e.strand)
	}
	return r.rest
}

// sweepRolls frees what the current collection did not reach.
func (t *states) sweepRolls() {
	p := &t.rolls
	for id := p.own.high; id > 0; id-- {
		if r := p.At(id); r.chunk != nil {
			*r.chunk = 0
		}
	}
	p.own.sweep(p.link, func(id uint32) bool {
		r := p.At(id)
		if r.chunk == nil || r.mark != t.mark {
			p.tear(r)
			*r = roll{}
			return false
		}
		r.next = *r.chunk
		*r.chunk = id
		return true
	})
	p.slots.clear() // threads have forgotten who they are as readers
}

// tear frees the sheets of r.
func (p *rolls) tear(r *roll) {
	for id := r.first; id != 0; {
		next := p.sheets.At(id).next
		p.all.put(id, p.sheetLink)
		id = next
	}
}

// checkRoll asserts, after a collection, that s is whole.
func (t *states) checkRoll(s State) {
	r, n := t.roll(s), uint32(0)
	invariants.Assert(uint32(s-firstRoll) <= t.rolls.own.high && r.mark == t.mark, "shadow: a line leads to a roll that was freed")
	invariants.Assert(r.rest.isList(), "shadow: a roll in front of something else than a list")
	t.checkInUse(r.rest)
	for id := r.first; id != 0; id = t.rolls.sheets.At(id).next {
		e := t.rolls.sheets.At(id)
		invariants.Assert(t.audiences.readers.At(e.reader).mark == t.mark, "shadow: a sheet of a reader that was freed")
		n++
	}
	invariants.Assert(n == r.sheets, "shadow: a wrong number of sheets")
}
