package coalesce

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A poly is an integer polynomial in atoms: loop variables, and expressions that do not
// change while the nest runs, by their text. The key of a term is its atoms in order,
// separated by mul; the constant term's is empty. Zero terms are left out, so that equal
// polynomials are equal maps. Arithmetic wraps, as the program's own does.
type poly map[string]int64

const mul = "\x00"

func intPoly(k int64) poly {
	if k == 0 {
		return poly{}
	}
	return poly{"": k}
}

func atom(text string) poly { return poly{text: 1} }

// plus returns p + k·q.
func (p poly) plus(k int64, q poly) poly {
	sum := maps.Clone(p)
	for t, c := range q {
		if sum[t] += k * c; sum[t] == 0 {
			delete(sum, t)
		}
	}
	return sum
}

func (p poly) add(q poly) poly { return p.plus(1, q) }
func (p poly) sub(q poly) poly { return p.plus(-1, q) }

func (p poly) times(q poly) poly {
	product := poly{}
	for s, c := range p {
		for t, d := range q {
			product = product.plus(c*d, poly{term(append(atoms(s), atoms(t)...)): 1})
		}
	}
	return product
}

func atoms(key string) []string {
	if key == "" {
		return nil
	}
	return strings.Split(key, mul)
}

func term(atoms []string) string {
	slices.Sort(atoms)
	return strings.Join(atoms, mul)
}

func (p poly) equal(q poly) bool { return maps.Equal(p, q) }

// mentions reports whether v is an atom of p.
func (p poly) mentions(v string) bool {
	for t := range p {
		if slices.Contains(atoms(t), v) {
			return true
		}
	}
	return false
}

// constant returns the value of a polynomial without atoms.
func (p poly) constant() (k int64, ok bool) {
	for t := range p {
		if t != "" {
			return 0, false
		}
	}
	return p[""], true
}

// coefficient returns the factor of v; false when p is not linear in v.
func (p poly) coefficient(v string) (poly, bool) {
	factor := poly{}
	for t, c := range p {
		all := atoms(t)
		i := slices.Index(all, v)
		if i < 0 {
			continue
		}
		rest := slices.Delete(all, i, i+1)
		if slices.Contains(rest, v) {
			return nil, false
		}
		factor = factor.plus(c, poly{term(rest): 1})
	}
	return factor, true
}

// with returns p with q in the place of v.
func (p poly) with(v string, q poly) poly {
	sum := poly{}
	for t, c := range p {
		product := intPoly(c)
		for _, a := range atoms(t) {
			if a == v {
				product = product.times(q)
			} else {
				product = product.times(atom(a))
			}
		}
		sum = sum.add(product)
	}
	return sum
}

// String is p as a Go expression of type int.
func (p poly) String() string {
	terms := slices.Collect(maps.Keys(p))
	slices.SortFunc(terms, func(a, b string) int {
		return cmp.Or(strings.Count(b, mul)-strings.Count(a, mul), len(b)-len(a), cmp.Compare(a, b))
	})
	var b strings.Builder
	for _, t := range terms {
		c, factors := p[t], strings.ReplaceAll(t, mul, "*")
		switch {
		case t == "":
			fmt.Fprintf(&b, "%+d", c)
		case c == 1:
			fmt.Fprintf(&b, "+%s", factors)
		case c == -1:
			fmt.Fprintf(&b, "-%s", factors)
		default:
			fmt.Fprintf(&b, "%+d*%s", c, factors)
		}
	}
	if b.Len() == 0 {
		return "0"
	}
	return strings.TrimPrefix(b.String(), "+")
}

// How many bits atoms of the bounds of loops may have. A nest is coalesced if nothing wraps where
// they have the least; it runs one by one where one has more than its bounds allow, or more
// than the most, of which there is no memory.
const (
	leastAtomBits = 28
	mostAtomBits  = 40
)

// exact reports whether no wrapping can happen in computing p when each of its atoms has
// at most so many bits.
func (p poly) exact(bits int) bool {
	sum := 0.0
	for t, c := range p {
		sum += max(float64(c), -float64(c)) * float64(uint64(1)<<min(63, bits*len(atoms(t))))
	}
	return sum < 1<<62
}
