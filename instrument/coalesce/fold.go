package coalesce

import (
	"fmt"
	"slices"
	"strings"
)

// maxDims is how many dimensions the detector's boxes have.
const maxDims = 3

// A box is the elements that a reference touches in a part of the nest: all of it, or
// one round of the loops in each, which change the box.
type box struct {
	*ref
	each []*loop // outermost first
	when []poly  // nothing is touched unless these are above 0
	dims []dim
	segs []seg // of the place, with the indices of the box's first element
}

// A dim is what loops add to a box.
type dim struct {
	count poly
	steps []poly // what each index of segs goes up by, in elements
}

// fold makes the box of a reference, from the innermost loop outwards. A loop becomes
// a dimension when what is inside does not depend on it but for the first element; it is
// left out when nothing does; and one whose every round touches a part of what another
// round touches is replaced by that round.
func fold(r *ref) *box {
	b := &box{ref: r, segs: slices.Clone(r.place.segs)}
	header := r.place.header()
	if r.branch != nil && !r.silent {
		return b.rounds(header)
	}
	stuck := false
	for k := len(r.chain) - 1; k >= 0; k-- {
		l := r.chain[k]
		if !stuck && b.folds(l, header) {
			continue
		}
		if !b.mentions(l.v) && !slices.ContainsFunc(b.each, func(in *loop) bool { return in.lo.mentions(l.v) || in.count.mentions(l.v) }) {
			b.when = append(b.when, l.count)
			continue
		}
		stuck = true
		b.each = slices.Insert(b.each, 0, l)
	}
	return b
}

// rounds makes the box of what is touched in some rounds: each loop is a dimension, so
// that elements are in the order of the rounds. It returns nil if that cannot be.
func (b *box) rounds(header int) *box {
	if len(b.chain) > maxDims || b.whole {
		return nil
	}
	for k := len(b.chain) - 1; k >= 0; k-- {
		l := b.chain[k]
		for _, outer := range b.chain[:k] {
			if outer.v != "" && (l.lo.mentions(outer.v) || l.count.mentions(outer.v)) {
				return nil
			}
		}
		if b.mentions(l.v) {
			if !b.folds(l, header) {
				return nil
			}
			continue
		}
		b.dims = append(b.dims, dim{l.count, make([]poly, len(b.segs))})
	}
	return b
}

// folds takes one more loop into the box, if it can.
func (b *box) folds(l *loop, header int) bool {
	if !b.mentions(l.v) {
		b.when = append(b.when, l.count)
		return true
	}
	for i, s := range b.segs {
		if i < header && s.index != nil && s.index.mentions(l.v) {
			return false
		}
	}
	for _, d := range b.dims {
		for _, s := range d.steps {
			if s.mentions(l.v) {
				return false
			}
		}
	}
	if b.dependsOn(l.v) {
		return b.nested(l, header)
	}
	steps := make([]poly, len(b.segs))
	for i, s := range b.segs {
		if s.index == nil {
			continue
		}
		factor, ok := s.index.coefficient(l.v)
		if !ok || factor.mentions(l.v) {
			return false
		}
		steps[i] = intPoly(l.step).times(factor)
	}
	if len(b.dims) == maxDims || b.whole && len(b.dims) == maxDims-1 {
		return false
	}
	b.dims = append(b.dims, dim{l.count, steps})
	b.replace(l.v, l.lo)
	return true
}

// dependsOn reports whether how much is touched depends on v.
func (b *box) dependsOn(v string) bool {
	return slices.ContainsFunc(b.when, func(p poly) bool { return p.mentions(v) }) ||
		slices.ContainsFunc(b.dims, func(d dim) bool { return d.count.mentions(v) })
}

// nested replaces l by its round that touches the most, when all others touch a part of
// that: when all counts grow, or all fall, and one corner of the box stays where it is.
func (b *box) nested(l *loop, header int) bool {
	growth := int64(0)
	same := func(p poly) bool {
		factor, ok := p.coefficient(l.v)
		k, isConstant := factor.constant()
		ok = ok && isConstant && k*growth >= 0
		if k != 0 {
			growth = k
		}
		return ok
	}
	for _, p := range b.when {
		if !same(p) {
			return false
		}
	}
	for _, d := range b.dims {
		if !same(d.count) {
			return false
		}
	}
	if b.corner(l.v, false) {
		// The first elements are the same ones.
	} else if b.corner(l.v, true) {
		b.flip(l.v)
	} else {
		return false
	}
	round := l.lo
	if growth*l.step > 0 {
		round = l.last()
	}
	b.when = append(b.when, l.count)
	b.replace(l.v, round)
	return true
}

// corner reports whether the first element does not depend on v; with far set, the
// last one in those dimensions that do.
func (b *box) corner(v string, far bool) bool {
	for i, s := range b.segs {
		if s.index != nil && b.cornerIndex(i, v, far).mentions(v) {
			return false
		}
	}
	return true
}

func (b *box) cornerIndex(seg int, v string, far bool) poly {
	p := b.segs[seg].index
	for _, d := range b.dims {
		if far && d.count.mentions(v) {
			p = p.add(d.count.add(intPoly(-1)).times(d.steps[seg]))
		}
	}
	return p
}

// flip turns the dimensions that depend on v around.
func (b *box) flip(v string) {
	for i, s := range b.segs {
		if s.index != nil {
			b.segs[i].index = b.cornerIndex(i, v, true)
		}
	}
	for k, d := range b.dims {
		if !d.count.mentions(v) {
			continue
		}
		steps := make([]poly, len(d.steps))
		for i, s := range d.steps {
			if s != nil {
				steps[i] = poly{}.sub(s)
			}
		}
		b.dims[k].steps = steps
	}
}

// replace puts p in the place of v.
func (b *box) replace(v string, p poly) {
	for i, s := range b.segs {
		if s.index != nil {
			b.segs[i].index = s.index.with(v, p)
		}
	}
	for i := range b.when {
		b.when[i] = b.when[i].with(v, p)
	}
	for i := range b.dims {
		b.dims[i].count = b.dims[i].count.with(v, p)
	}
}

// mentions reports whether anything of the box depends on v.
func (b *box) mentions(v string) bool {
	return v != "" && (b.dependsOn(v) || slices.ContainsFunc(b.segs, func(s seg) bool { return s.index != nil && s.index.mentions(v) }))
}

// String says what the box is, for people.
func (b *box) String() string {
	var s strings.Builder
	s.WriteString(map[bool]string{false: "read ", true: "write "}[b.write])
	s.WriteString(segsText(b.segs))
	if b.whole {
		fmt.Fprintf(&s, " of %d bytes", amd64.Sizeof(b.place.typ))
	}
	for _, d := range b.dims {
		steps := ""
		for i, step := range d.steps {
			if b.segs[i].index != nil {
				steps += "[" + step.String() + "]"
			}
		}
		if steps != "" {
			s.WriteString(", " + d.count.String() + " times by " + steps)
		}
	}
	if b.border {
		s.WriteString(", the others were written before")
	}
	if b.branch != nil {
		s.WriteString(", in the rounds in which its condition holds")
	}
	for i := len(b.each) - 1; i >= 0; i-- {
		s.WriteString(", for each " + b.each[i].v)
	}
	return s.String()
}
