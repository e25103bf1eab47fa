package shadow

import (
	"math/bits"

	"github.com/detrace/detrace/internal/invariants"
)

// MaskBits is how many rounds a mask can tell apart.
const MaskBits = 4096

// Mask is a bit for each round of a nest of loops, in their order: that of the innermost
// loop first.
type Mask [MaskBits / 64]uint64

// Rounds says which elements of a box are accessed: those of which the bits are set. First
// is the bit of the box's first element, and the bits of the elements along its first
// dimension follow each other. Row and Plane are how far those of the next element along
// the other dimensions are.
type Rounds struct {
	Mask              *Mask
	First, Row, Plane int
}

// AccessMasked is AccessBox for some elements of a box, which is as the loops have it, not
// Normal. It returns how many times they are accessed. Cost: a comparison per granule with
// an element that is accessed, beside that of Access for each distinct state in turn.
func (h *History) AccessMasked(b Box, m Rounds, a *Access, o Order) (out Outcome, accesses uint64) {
	n := b.Normal()
	w := h.Window(n.Base)
	if w == nil {
		return Outcome{}, 0
	}
	invariants.Assert(n.Last()-w.Lo < w.Size, "shadow: a box leaves its window")
	a.thread = h.thread(o)
	var g granules
	g.begins(h, w, a, o)
	g.scattered = true
	g.ranges = o.Ranges().about(a, 0)
	for k := range b.Dims[2].Count {
		for j := range b.Dims[1].Count {
			row := b.Base + uintptr(k*b.Dims[2].Stride) + uintptr(j*b.Dims[1].Stride)
			g.row(row, b.Dims[0], m.Mask, uint(m.First+j*m.Row+k*m.Plane))
		}
	}
	g.flush()
	return Outcome{Before: g.olds[g.last], After: g.news[g.last], Did: Did{Changed: g.moved, Full: g.full}}, g.accesses
}

// from returns n bits from bit at on, at most 64.
func (m *Mask) from(at, n uint) uint64 {
	set := m[at/64%uint(len(m))] >> (at % 64)
	if at%64+n > 64 {
		set |= m[(at/64+1)%uint(len(m))] << (64 - at%64)
	}
	return set & (1<<n - 1)
}

// granules gathers the bytes of one granule that are accessed in turn.
type granules struct {
	step
	at       uintptr // address of the granule
	bytes    uint8
	accesses uint64
}

// row accesses the elements of a row whose bits are set from bit at on.
func (g *granules) row(p uintptr, d Dim, m *Mask, at uint) {
	stride := uintptr(d.Stride)
	for left := uint(d.Count); left > 0; {
		n := min(left, 64)
		set := m.from(at, n)
		g.accesses += uint64(bits.OnesCount64(set))
		switch {
		case set == 0:
		case d.Stride == 0:
			g.gather(p) // one element, however often
		case stride <= 8 && stride&(stride-1) == 0:
			g.dense(p, set, stride)
		default:
			for ; set != 0; set &= set - 1 {
				g.gather(p + uintptr(bits.TrailingZeros64(set))*stride)
			}
		}
		at, left, p = at+n, left-n, p+uintptr(n)*stride
	}
}

// dense accesses the elements of set, of which several may be in a granule.
func (g *granules) dense(p uintptr, set uint64, stride uintptr) {
	g.flush()
	for set != 0 {
		k := uintptr(bits.TrailingZeros64(set))
		q := p + k*stride
		here := uint64(2)<<((lineBytes-1-q%lineBytes)/stride) - 1
		g.line(q&^(lineBytes-1), spreadLine(set>>k&here, stride)<<(q%lineBytes))
		set &^= here << k
	}
}

// line accesses bytes of the line at p.
func (g *granules) line(p uintptr, bytes uint64) {
	g.window.Prepare(p)
	for {
		l := g.window.Line(p)
		if l.IsSplit() {
			break
		}
		if g.inLine(p, l, bytes) {
			return
		}
	}
	g.granulesOf(p, bytes)
}

// granulesOf accesses bytes of the granules from p on.
func (g *granules) granulesOf(p uintptr, bytes uint64) {
	for ; bytes != 0; bytes, p = bytes>>8, p+8 {
		if mask := uint8(bytes); mask != 0 {
			g.granuleOf(p, mask)
		}
	}
}

// gather accesses the byte at p, together with others of its granule that follow.
func (g *granules) gather(p uintptr) {
	if p&^7 != g.at {
		g.flush()
		g.at = p &^ 7
	}
	g.bytes |= 1 << (p & 7)
}

// flush accesses what was gathered.
func (g *granules) flush() {
	if g.bytes != 0 {
		g.granuleOf(g.at, g.bytes)
		g.bytes = 0
	}
}

// granuleOf is granule; what came up lately is known.
func (g *granules) granuleOf(p uintptr, mask uint8) {
	if c := g.window.Cell(p); c != nil {
		v := cell(c.Load())
		e := g.ranges.entry(v ^ cell(mask)<<16)
		if e.key == uint64(v)+1 && e.mask == mask && (e.new == v || g.shift(c, v, e)) {
			return
		}
	}
	g.mask = mask
	g.granule(p, mask)
}
