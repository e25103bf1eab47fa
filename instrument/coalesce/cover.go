package coalesce

import "slices"

// uncovered leaves of references that read what the nest itself wrote in an earlier round
// only the rounds in which it did not: those at the borders of loops. A read adds nothing
// to a write of its strand.
func (e *emission) uncovered() {
	var refs []*ref
	for _, r := range e.refs {
		if parts := e.borders(r); parts != nil {
			refs = append(refs, parts...)
			e.covered++
		} else {
			refs = append(refs, r)
		}
	}
	e.refs = refs
}

// borders is the parts of r that no write covers; nil if that is not known to be less.
func (e *emission) borders(r *ref) []*ref {
	if r.write || r.silent || len(r.chain) > maxDims || !rectangular(r.chain) {
		return nil
	}
	for _, w := range e.refs {
		if !w.write || !slices.Equal(w.chain, r.chain) || !e.always(w) {
			continue
		}
		if ago := roundsAgo(w, r); ago != nil {
			return e.cut(r, ago)
		}
	}
	return nil
}

// always reports whether all rounds write what w does: without a condition, or in both
// branches of one.
func (e *emission) always(w *ref) bool {
	if w.branch == nil {
		return true
	}
	return w.branch.parent == nil && slices.ContainsFunc(e.refs, func(other *ref) bool {
		return other.write && other.branch != nil && other.branch != w.branch && other.branch.of == w.branch.of &&
			slices.Equal(other.chain, w.chain) && other.place.key() == w.place.key()
	})
}

// rectangular reports whether the rounds of all loops are as many in each round of others.
func rectangular(chain []*loop) bool {
	for k, l := range chain {
		for _, outer := range chain[:k] {
			if outer.v != "" && (l.lo.mentions(outer.v) || l.count.mentions(outer.v)) {
				return false
			}
		}
	}
	return true
}

// farAgo is how many rounds of one loop may lie between a write and a read that it covers.
const farAgo = 2

// roundsAgo returns how many rounds of each loop before r comes to an element, w has
// been there; nil if that is not so or not known.
func roundsAgo(w, r *ref) []int64 {
	last := len(r.place.segs) - 1
	if len(w.place.segs) != last+1 || segsText(w.place.segs[:last]) != segsText(r.place.segs[:last]) {
		return nil
	}
	x, y := w.place.segs[last].index, r.place.segs[last].index
	if x == nil || y == nil {
		return nil
	}
	steps := make([]poly, len(r.chain))
	for k, l := range r.chain {
		prefix := &place{segs: r.place.segs[:last]}
		if l.v == "" {
			steps[k] = poly{}
			continue
		}
		factor, ok := x.coefficient(l.v)
		if !ok || prefix.mentions(l.v) || slices.ContainsFunc(r.chain, func(other *loop) bool { return other.v != "" && factor.mentions(other.v) }) {
			return nil
		}
		steps[k] = intPoly(l.step).times(factor)
	}
	return combine(x.sub(y), steps, make([]int64, 0, len(steps)))
}

// combine finds how many times each step makes up the distance. The first that is not 0
// must be positive.
func combine(distance poly, steps []poly, times []int64) []int64 {
	k := len(times)
	ahead := slices.ContainsFunc(times, func(n int64) bool { return n != 0 })
	if k == len(steps) {
		if ahead && len(distance) == 0 {
			return times
		}
		return nil
	}
	for _, n := range []int64{0, 1, -1, farAgo, -farAgo} {
		if n < 0 && !ahead || n != 0 && len(steps[k]) == 0 {
			continue
		}
		if found := combine(distance.plus(-n, steps[k]), steps, append(slices.Clone(times), n)); found != nil {
			return found
		}
	}
	return nil
}

// cut returns r in the rounds that are less than so many behind the first one of a loop,
// or before the last one if the number is negative.
func (e *emission) cut(r *ref, ago []int64) []*ref {
	var parts []*ref
	bits := intPoly(1) // from a round of the loop to its next one in a mask
	for k := len(r.chain) - 1; k >= 0; k-- {
		l := r.chain[k]
		if n := max(ago[k], -ago[k]); n != 0 {
			e.least = append(e.least, atLeast{l.count, n})
			part, border := *r, *l
			border.count = intPoly(n)
			if ago[k] < 0 {
				before := l.count.add(intPoly(-n))
				border.lo = l.lo.plus(l.step, before)
				part.first = before.times(bits)
			}
			part.chain = slices.Clone(r.chain)
			part.chain[k] = &border
			part.border = true
			parts = append(parts, &part)
		}
		bits = bits.times(l.count)
	}
	return parts
}
