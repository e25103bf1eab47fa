package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// A group is the cells of a split line. It is the line's for as long as that is split.
type group [lineBytes / 8]Cell

const (
	stocks      = 64 // of a window
	refillStock = 32 // groups that a stock takes at a time
	groupBytes  = unsafe.Sizeof(group{})
)

// stock has groups for the lines of some chunks: those they gave back, and fresh ones. It
// fills a cache line.
type stock struct {
	lock      offheap.Lock // guards the rest
	free      uint32       // list of groups that were given back
	next, end uint32       // fresh groups
	used      uint32       // groups of lines
	_         [44]byte
}

// groups is how many groups a window of the given size can come to need: a stock has never
// more than its chunks have lines, and fresh ones.
func groups(size uintptr) uint32 { return uint32(size/lineBytes) + 1 + stocks*refillStock }

// group returns the cells of a split line.
//
//go:nosplit
func (l Line) group() *group { return (*group)(offheap.Pointer(uintptr(l &^ lineSplit))) }

// stock is where the line of addr has its group from.
//
//go:nosplit
func (w *Window) stock(addr uintptr) *stock { return &w.stocks[(addr-w.Lo)/chunk%stocks] }

// split splits the line of addr if it is still l; if that is in a roll, it leaves it, which may be enough.
// Cost: that of writing the cells.
func (w *Window) split(addr uintptr, l Line) {
	if l.isRolled() {
		w.history.unroll(w, addr, l)
		return
	}
	w.splitTo(addr, l, func(g *group) {
		q := w.history.pairs.parts(l)
		for _, part := range q.all[:q.n] {
			g.fill(part.bytes, part.state, part.context)
		}
	})
}

// splitTo splits the line of addr, if it is still l, into cells that fill fills.
func (w *Window) splitTo(addr uintptr, l Line, fill func(g *group)) {
	p := w.stock(addr)
	p.lock.Lock()
	id := w.take(p)
	g := w.groups.At(id)
	behind := g.behind()
	*g = group{}
	fill(g)
	w.hand(p, id, behind, addr, l)
	p.lock.Unlock()
}

// TrySplit is split for a run, and does not wait; false if there was somebody to wait for.
//
//go:nosplit
func (w *Window) TrySplit(addr uintptr, l Line) bool {
	p := w.stock(addr)
	if l.isRolled() || !p.lock.TryLock() {
		return false
	}
	id := w.take(p)
	g := w.groups.At(id)
	behind := g.behind()
	*g = group{}
	g.fill(l.bytes(), l.state(), l.context())
	w.hand(p, id, behind, addr, l)
	p.lock.Unlock()
	return true
}

// take returns the group that p, which is locked, has at hand.
//
//go:nosplit
func (w *Window) take(p *stock) uint32 {
	if p.free != 0 {
		return p.free
	}
	if p.next == p.end {
		p.end = offheap.Add32(&w.high, refillStock) + 1
		p.next = p.end - refillStock
	}
	return p.next
}

// hand hands the group that p has at hand, behind which there is another one, to the line of
// addr, if that is still l.
//
//go:nosplit
func (w *Window) hand(p *stock, id, behind uint32, addr uintptr, l Line) {
	g := w.groups.At(id)
	if !w.hasSplit(addr) { // said before it can be seen
		w.touch(addr)
		offheap.Store32(w.flag(addr-w.Lo), splitChunk)
	}
	switch {
	case !offheap.CAS64(w.line(addr), uint64(l), uint64(uintptr(unsafe.Pointer(g)))|uint64(lineSplit)):
		g.setBehind(behind)
	case p.free == 0:
		p.next++
		p.used++
	default:
		p.free = behind
		p.used++
	}
}

// fill makes the cells say that bytes, of which they say nothing yet, have state s, reached
// in context. It is called once, or twice for bytes in different units.
//
//go:nosplit
func (g *group) fill(bytes uint64, s State, context uint32) {
	for i := range g {
		c, mask := &g[i], bytes>>(8*i)&0xff
		if mask == 0 {
			continue
		}
		if State(c.states&(MaxStates-1)) != s { // no byte of the cell has s yet
			c.states = c.states<<32 | uint64(s)
		}
		c.states |= mask << 24
		for k := range c.contexts {
			if mask>>(4*k)&0x0f != 0 {
				c.contexts[k] = context
			}
		}
	}
}

// behind is the group that follows g in a list of free ones.
//
//go:nosplit
func (g *group) behind() uint32 { return g[0].contexts[0] }

//go:nosplit
func (g *group) setBehind(id uint32) { g[0] = Cell{contexts: [2]uint32{id}} }

// giveBack takes the groups of the split lines at the offsets [lo, hi), of one chunk, which
// are to be forgotten.
func (w *Window) giveBack(lo, hi uintptr) {
	p := w.stock(w.Lo + lo)
	locked := false
	words := w.words(lo, hi)
	for i, word := range words {
		if l := Line(word); l.IsSplit() {
			if !locked {
				p.lock.Lock()
				locked = true
			}
			words[i] = 0
			g := l.group()
			g.setBehind(p.free)
			p.free = uint32((uintptr(unsafe.Pointer(g)) - uintptr(unsafe.Pointer(w.groups.At(0)))) / groupBytes)
			p.used--
		}
	}
	if locked {
		p.lock.Unlock()
	}
}
