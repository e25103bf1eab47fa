package coalesce

import "slices"

// merge makes one box of two that a few steps of one dimension lie between, as those of a
// stencil: together they are as many elements more in that dimension, as long as there
// is no gap. Both must be the same to a report: of one kind and on one line.
func (e *emission) merge() {
	for i := 0; i < len(e.boxes); i++ {
		for k := i + 1; k < len(e.boxes); k++ {
			if e.mergeInto(e.boxes[i], e.boxes[k]) {
				e.boxes = slices.Delete(e.boxes, k, k+1)
				k = i // what is larger now may meet others
			}
		}
	}
}

// between is the number of steps that may lie between two boxes that are merged.
const between = 4

// mergeInto adds b to a, if it can.
func (e *emission) mergeInto(a, b *box) bool {
	last := len(a.segs) - 1
	if a.write != b.write || a.whole != b.whole || a.silent || b.silent || a.branch != nil || b.branch != nil || len(a.each)+len(b.each) > 0 ||
		e.fset.Position(a.pos).Line != e.fset.Position(b.pos).Line || len(b.segs) != last+1 || len(a.dims) != len(b.dims) ||
		a.segs[last].index == nil || b.segs[last].index == nil || segsText(a.segs[:last]) != segsText(b.segs[:last]) ||
		!slices.EqualFunc(a.when, b.when, poly.equal) {
		return false
	}
	for i := range a.dims {
		if !a.dims[i].count.equal(b.dims[i].count) || !slices.EqualFunc(a.dims[i].steps, b.dims[i].steps, poly.equal) {
			return false
		}
	}
	distance := b.segs[last].index.sub(a.segs[last].index)
	for i, d := range a.dims {
		for m := int64(1); m <= between; m++ {
			ahead := distance.equal(poly{}.plus(m, d.steps[last]))
			if !ahead && !distance.equal(poly{}.plus(-m, d.steps[last])) {
				continue
			}
			if !ahead {
				a.segs = b.segs
			}
			// With fewer rounds there would be a gap.
			e.least = append(e.least, atLeast{d.count, m})
			a.dims = slices.Clone(a.dims)
			a.dims[i].count = d.count.add(intPoly(m))
			return true
		}
	}
	return false
}

// atLeast is a number of rounds that a guard asks for.
type atLeast struct {
	count poly
	least int64
}
