package shadow

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// Marker is told of every strand that is still remembered.
type Marker interface{ Mark(u Strand) }

// Collector frees what no location needs any more.
type Collector struct {
	history *History
	marker  Marker
}

// Collect starts a collection, with the world stopped; m may be told of one
// strand more than once.
func (h *History) Collect(m Marker) Collector {
	h.states.beginMark()
	return Collector{h, m}
}

// Keep adds a state that something else than a cell refers to.
func (c Collector) Keep(s State) { c.history.states.reachFrom(s, c.marker) }

// Finish marks from all cells and frees the rest. Cost: proportional to the
// shadow memory in use and the number of states.
func (c Collector) Finish() {
	h := c.history
	for i := range h.Windows {
		w := &h.Windows[i]
		for off := w.next(0); off < w.Size; off = w.next(off + chunk) {
			c.scanLines(w, off)
		}
	}
	h.states.sweep()
	c.sweepBlocks()
	if invariants.Enabled {
		h.check()
	}
}

// scanLines marks from the chunk at offset off.
func (c Collector) scanLines(w *Window, off uintptr) {
	last := Line(0)
	words := w.words(off, off+chunk)
	for i := range words {
		l := Line(offheap.Load64(&words[i]))
		if l.isSplit() {
			cells := w.span(off+uintptr(i)*lineBytes, off+uintptr(i+1)*lineBytes)
			l = w.settle(off+uintptr(i)*lineBytes, l, cells)
			c.scan(cells)
		}
		if l != last {
			c.Keep(l.state())
			last = l
		}
	}
}

// settle drops the run of a split line if no empty cell stands for a part of it any
// more, and returns the line.
func (w *Window) settle(off uintptr, l Line, cells []Cell) Line {
	for i := range cells {
		if l.cell(uintptr(8*i)) != 0 && offheap.Load64(&cells[i].states) == 0 {
			return l
		}
	}
	offheap.Store64(w.line(w.Lo+off), uint64(lineSplit))
	return lineSplit
}

func (c Collector) scan(cells []Cell) {
	last := uint64(0)
	for i := range cells {
		v := offheap.Load64(&cells[i].states)
		if v == last || cell(v) == nothing {
			continue
		}
		last = v
		if cell(v).isBlock() {
			*c.history.blocks.marks.At(uint32(v)) = c.history.states.mark
			b := c.history.blocks.At(uint32(v))
			for i := range b.states {
				c.Keep(State(b.states[i]))
			}
			continue
		}
		_, s0 := cell(v).slot(0)
		_, s1 := cell(v).slot(1)
		c.Keep(s0)
		c.Keep(s1)
	}
}

func (c Collector) sweepBlocks() {
	b := &c.history.blocks
	b.free = 0
	for id := b.high; id > 0; id-- {
		if *b.marks.At(id) != c.history.states.mark {
			b.At(id).states[0] = b.free
			b.free = id
		}
	}
}
