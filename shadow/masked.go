package shadow

import (
	"math/bits"

	"github.com/detrace/detrace/internal/invariants"
)

// MaskBits is how many elements a mask can tell apart.
const MaskBits = 4096

// Mask is a bit for each element of a box, in the order of the loops: that of the first
// dimension is the innermost.
type Mask [MaskBits / 64]uint64

// AccessMasked is AccessBox for those elements of a box whose bits are set. The box is as
// the loops have it, not Normal, and has at most MaskBits elements. It returns how many
// bits are set. Cost: a comparison per granule with an element that is accessed, beside
// that of Access for each distinct state in turn.
func (h *History) AccessMasked(b Box, m *Mask, a Access, o Order) (out Outcome, accesses uint64) {
	n := b.Normal()
	w := h.Window(n.Base)
	if w == nil {
		return Outcome{}, 0
	}
	invariants.Assert(n.Last()-w.Lo < w.Size, "shadow: a box leaves its window")
	g := granules{step: step{history: h, window: w, access: a, order: o, olds: [4]State{none, none, none, none}}}
	for _, w := range m {
		accesses += uint64(bits.OnesCount64(w))
	}
	at := 0
	for k := range b.Dims[2].Count {
		for j := range b.Dims[1].Count {
			row := b.Base + uintptr(k*b.Dims[2].Stride) + uintptr(j*b.Dims[1].Stride)
			g.row(row, b.Dims[0], m, at)
			at += b.Dims[0].Count
		}
	}
	g.flush()
	return Outcome{Before: g.olds[g.last], After: g.news[g.last], Changed: g.moved, Full: g.full}, accesses
}

// granules gathers the bytes of one granule that are accessed in turn.
type granules struct {
	step
	at    uintptr // address of the granule
	bytes uint8

	// Cells that stay as they are, by the bytes accessed.
	same [32]struct {
		value uint64
		bytes uint8
	}
}

// row accesses the elements of a row whose bits are set from bit at on.
func (g *granules) row(p uintptr, d Dim, m *Mask, at int) {
	if d.Stride > 0 && d.Stride < 8 && 8%d.Stride == 0 {
		g.dense(p, d, m, uint(at))
		return
	}
	for i := 0; i < d.Count; {
		bit := uint(at + i)
		rest := m[bit/64] >> (bit % 64)
		if rest == 0 {
			i += 64 - int(bit%64)
			continue
		}
		i += bits.TrailingZeros64(rest)
		if i >= d.Count {
			break
		}
		q := p + uintptr(i*d.Stride)
		if q&^7 != g.at {
			g.flush()
			g.at = q &^ 7
		}
		g.bytes |= 1 << (q & 7)
		if i++; d.Stride == 0 {
			break // one element, however often
		}
	}
}

// dense is row for several elements in a granule.
func (g *granules) dense(p uintptr, d Dim, m *Mask, bit uint) {
	g.flush()
	stride := uintptr(d.Stride)
	per, left := uint(8/stride), uint(d.Count)
	for left > 0 {
		first := uint(p & 7 / stride)
		n := min(per-first, left)
		set := m[bit/64%uint(len(m))] >> (bit % 64)
		if end := bit%64 + n; end > 64 {
			set |= m[(bit/64+1)%uint(len(m))] << (64 - bit%64)
		}
		if set &= 1<<n - 1; set != 0 {
			g.access(p&^7, spread(uint8(set), stride)<<(p&7))
		}
		bit += n
		left -= n
		p += uintptr(n) * stride
	}
}

// spread is the bytes at which the elements of set begin, stride apart.
func spread(set uint8, stride uintptr) uint8 {
	switch stride {
	case 2:
		return set&1 | set&2<<1 | set&4<<2 | set&8<<3
	case 4:
		return set&1 | set&2<<3
	}
	return set
}

// flush accesses what was gathered.
func (g *granules) flush() {
	if g.bytes != 0 {
		g.access(g.at, g.bytes)
		g.bytes = 0
	}
}

// access makes the access to bytes of the granule at p.
func (g *granules) access(p uintptr, bytes uint8) {
	v := g.window.Value(p)
	e := &g.same[(v^v>>29^uint64(bytes)*5)%uint64(len(g.same))]
	if v == e.value && bytes == e.bytes && v != 0 {
		return
	}
	g.granule(p, bytes)
	if !g.full && !cell(v).isBlock() && g.window.Value(p) == v {
		e.value, e.bytes = v, bytes
	}
}
