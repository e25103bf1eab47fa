package coalesce

import "slices"

// order puts references that follow each other through one array into the order in which
// they come to an element: of the accesses that a strand makes to an element the history
// keeps the first ones. Where it cannot be told, it is that of the source.
func order(refs []*ref) {
	for i := range refs {
		slots := []int{i}
		for k := i + 1; k < len(refs); k++ {
			if refs[i].follows(refs[k]) != 0 {
				slots = append(slots, k)
			}
		}
		group := make([]*ref, len(slots))
		for n, k := range slots {
			group[n] = refs[k]
		}
		slices.SortStableFunc(group, func(a, b *ref) int { return a.follows(b) })
		for n, k := range slots {
			refs[k] = group[n]
		}
	}
}

// follows returns 1 if r comes to an element after s has been there in an earlier round,
// -1 if it is the other way round, and 0 if neither or if that is not known. Variables
// are taken to be positive, as widths and indices are.
func (r *ref) follows(s *ref) int {
	chain := r.chain
	if len(s.chain) < len(chain) {
		chain = s.chain
	}
	if !around(chain, r.chain) || !around(chain, s.chain) || len(r.place.segs) != len(s.place.segs) {
		return 0
	}
	last := len(r.place.segs) - 1
	x, y := r.place.segs[last].index, s.place.segs[last].index
	if x == nil || y == nil || segsText(r.place.segs[:last]) != segsText(s.place.segs[:last]) {
		return 0
	}
	for k := len(chain) - 1; k >= 0; k-- {
		l := chain[k]
		if l.v == "" || !x.mentions(l.v) {
			continue
		}
		factor, _ := x.coefficient(l.v)
		step, ok := factor.constant()
		other, _ := y.coefficient(l.v)
		if !ok || !factor.equal(other) {
			return 0
		}
		if step*l.step < 0 {
			return -y.sub(x).sign()
		}
		return y.sub(x).sign()
	}
	return 0
}

// sign is that of p when all its variables are positive, 0 if that does not decide it.
func (p poly) sign() int {
	sign := 0
	for _, c := range p {
		this := 1
		if c < 0 {
			this = -1
		}
		if sign != 0 && sign != this {
			return 0
		}
		sign = this
	}
	return sign
}
