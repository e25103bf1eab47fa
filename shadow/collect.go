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
	h.pairs.sweep(h.states.mark)
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
		if l.IsSplit() {
			c.scan(l.group())
		} else if l != last {
			c.scanLine(l)
			last = l
		}
	}
}

// scanLine marks from a line that is not split.
func (c Collector) scanLine(l Line) {
	if !l.isPair() {
		c.Keep(l.state())
		return
	}
	t, id := &c.history.pairs, uint32(l.state())
	if mark := t.marks.At(id); *mark != c.history.states.mark {
		*mark = c.history.states.mark
		for _, s := range t.records.At(id).states {
			c.Keep(s)
		}
	}
}

func (c Collector) scan(g *group) {
	last := uint64(0)
	for i := range g {
		v := offheap.Load64(&g[i].states)
		if v == last {
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
