package dag

import (
	"fmt"
	"slices"

	"github.com/detrace/detrace/reach"
)

// Class is a class of structured programs.
type Class uint8

// SP, StructuredFutures, GeneralFutures and Promises each contain the one before.
// Lattice contains SP.
const (
	// SP: the strands are series-parallel ordered, however the program says it.
	SP Class = iota + 1
	// StructuredFutures: SP with futures that are got at most once, by a strand that
	// follows the create's continuation or is it.
	StructuredFutures
	// GeneralFutures: SP with futures that anyone may get.
	GeneralFutures
	// Promises: SP with futures and promises.
	Promises
	// Lattice: the strands, with one end of everything, are a two-dimensional lattice.
	Lattice
)

var classNames = [...]string{"", "series-parallel", "structured futures", "general futures", "promises", "2D lattice"}

// String is the class in words.
func (c Class) String() string { return classNames[c] }

// Break is what takes a program out of a class.
type Break struct {
	Construct int // its position among the constructs done, from 0
	Why       string
}

// Classify returns, for every class that the run so far is not in, what breaks it.
// SP and Lattice are properties of the graph alone; the others are about the
// constructs, too. Cost: up to the cube of the number of strands.
func (g *Structured) Classify() map[Class]Break {
	breaks := make(map[Class]Break)
	if u, v, at, ok := g.unordered(); ok {
		breaks[SP] = Break{g.begunBy(at), fmt.Sprintf("strands %d and %d cannot be composed in series or in parallel with strand %d", u, v, at)}
	}
	if b, ok := g.notLattice(); ok {
		breaks[Lattice] = b
	}
	for _, class := range []Class{StructuredFutures, GeneralFutures, Promises} {
		if b, ok := g.breaker(class); ok {
			breaks[class] = b
		}
	}
	return breaks
}

// begunBy is the construct that began strand s.
func (g *Structured) begunBy(s Strand) int {
	return slices.IndexFunc(g.constructs, func(c reach.Construct) bool {
		return max(number(c.First), number(c.After)) >= s
	})
}

// breaker finds the first construct that class does not have.
func (g *Structured) breaker(class Class) (Break, bool) {
	follows, got := map[reach.Task]Strand{}, map[reach.Task]int{}
	for i, c := range g.constructs {
		switch c.Kind {
		case reach.Fork, reach.Join:
			return Break{i, "tasks on a line"}, true
		case reach.Set, reach.Await, reach.Block:
			if class < Promises {
				return Break{i, "a promise"}, true
			}
		case reach.Create:
			follows[c.Other] = number(c.After)
		case reach.Get:
			if class > StructuredFutures {
				continue
			}
			if first, twice := got[c.Other]; twice {
				return Break{i, fmt.Sprintf("the future is got a second time, after construct %d", first)}, true
			}
			got[c.Other] = i
			if f := follows[c.Other]; f != number(c.Before) && !g.Precedes(f, number(c.Before)) {
				return Break{i, fmt.Sprintf("strand %d, the create's continuation, does not precede the get", f)}, true
			}
		}
	}
	return Break{}, false
}

// unordered finds the first strand with which the strands so far are not
// series-parallel: an induced order "N" then has it as one of four, two others are
// u and v. An order is series-parallel iff it has no induced N.
func (g *Structured) unordered() (u, v, at Strand, found bool) {
	n := g.Len()
	if g.decomposes(n) {
		return 0, 0, 0, false
	}
	lo, hi := 1, n // the first lo strands are, the first hi are not
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; g.decomposes(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	at = Strand(hi)
	for u = 1; u < at; u++ {
		for v = 1; v < at; v++ {
			if g.inN(u, v, at) {
				return u, v, at, true
			}
		}
	}
	panic("dag: an order that is not series-parallel has an N")
}

// inN reports whether u, v, at and a fourth strand before at are an N: a < c, b < c,
// b < d and nothing else.
func (g *Structured) inN(u, v, at Strand) bool {
	for w := Strand(1); w < at; w++ {
		four := [4]Strand{u, v, w, at}
		for _, p := range permutations {
			if g.isN(four[p[0]], four[p[1]], four[p[2]], four[p[3]]) {
				return true
			}
		}
	}
	return false
}

func (g *Structured) isN(a, b, c, d Strand) bool {
	return g.Precedes(a, c) && g.Precedes(b, c) && g.Precedes(b, d) && g.Parallel(a, b) && g.Parallel(a, d) && g.Parallel(c, d)
}

var permutations = func() (all [][4]int) {
	for i := range 256 {
		p := [4]int{i & 3, i >> 2 & 3, i >> 4 & 3, i >> 6}
		if sorted := p; func() bool { slices.Sort(sorted[:]); return sorted == [4]int{0, 1, 2, 3} }() {
			all = append(all, p)
		}
	}
	return all
}()

// decomposes reports whether the first n strands are series-parallel ordered: one
// strand, or two such parts of which all of one precede, or all are parallel to, all
// of the other.
func (g *Structured) decomposes(n int) bool {
	all := make([]Strand, n)
	for i := range all {
		all[i] = Strand(i + 1)
	}
	for work := [][]Strand{all}; len(work) > 0; {
		part := work[len(work)-1]
		work = work[:len(work)-1]
		if len(part) == 1 {
			continue
		}
		pieces := g.components(part, func(u, v Strand) bool { return !g.Parallel(u, v) })
		if len(pieces) == 1 {
			pieces = g.components(part, g.Parallel)
		}
		if len(pieces) == 1 {
			return false
		}
		work = append(work, pieces...)
	}
	return true
}

// components are the connected components of a relation on part.
func (g *Structured) components(part []Strand, related func(u, v Strand) bool) [][]Strand {
	var all [][]Strand
	for left := slices.Clone(part); len(left) > 0; {
		component := []Strand{left[0]}
		left = left[1:]
		for i := 0; i < len(component); i++ {
			rest := left[:0]
			for _, v := range left {
				if related(component[i], v) {
					component = append(component, v)
				} else {
					rest = append(rest, v)
				}
			}
			left = rest
		}
		all = append(all, component)
	}
	return all
}

// notLattice finds two strands without a supremum, or a construct with which the
// order is not two-dimensional. Everything that has no successor gets a common one.
func (g *Structured) notLattice() (Break, bool) {
	n := Strand(g.Len())
	for v := Strand(1); v <= n; v++ {
		for u := Strand(1); u < v; u++ {
			if g.Parallel(u, v) && !g.hasSupremum(u, v) {
				return Break{g.begunBy(v), fmt.Sprintf("strands %d and %d have several least successors in common", u, v)}, true
			}
		}
	}
	if u, v, ok := g.twoDimensional(); !ok {
		return Break{g.begunBy(max(u, v)), fmt.Sprintf("strands %d and %d have no place left or right of each other", u, v)}, true
	}
	return Break{}, false
}

// hasSupremum reports whether the common successors of u and v, if any, have a
// least one.
func (g *Structured) hasSupremum(u, v Strand) bool {
	least := Strand(0)
	for w := max(u, v) + 1; w <= Strand(g.Len()); w++ {
		if !g.Precedes(u, w) || !g.Precedes(v, w) {
			continue
		}
		if least == 0 {
			least = w // strands are numbered in an order in which they could run
		} else if !g.Precedes(least, w) {
			return false
		}
	}
	return true
}

// twoDimensional reports whether the order is the intersection of two linear ones:
// then "left of" can be defined on all parallel pairs so that it is transitive. Each
// pair that is given a direction forces others; an order is two-dimensional iff no
// pair is forced both ways (Golumbic, theorem of transitive orientation).
func (g *Structured) twoDimensional() (u, v Strand, ok bool) {
	n := Strand(g.Len())
	left := map[[2]Strand]bool{}
	for u = 1; u <= n; u++ {
		for v = u + 1; v <= n; v++ {
			if !g.Parallel(u, v) || left[[2]Strand{u, v}] || left[[2]Strand{v, u}] {
				continue
			}
			work := [][2]Strand{{u, v}}
			left[work[0]] = true
			for len(work) > 0 {
				p := work[len(work)-1]
				work = work[:len(work)-1]
				for _, q := range g.forces(p) {
					if left[[2]Strand{q[1], q[0]}] {
						return q[0], q[1], false
					}
					if !left[q] {
						left[q] = true
						work = append(work, q)
					}
				}
			}
		}
	}
	return 0, 0, true
}

// forces returns the pairs that must have the direction of p: those that share one
// end with it and whose other ends are ordered.
func (g *Structured) forces(p [2]Strand) (forced [][2]Strand) {
	a, b := p[0], p[1]
	for c := Strand(1); c <= Strand(g.Len()); c++ {
		if c == a || c == b {
			continue
		}
		if g.Parallel(a, c) && !g.Parallel(b, c) {
			forced = append(forced, [2]Strand{a, c})
		}
		if g.Parallel(b, c) && !g.Parallel(a, c) {
			forced = append(forced, [2]Strand{c, b})
		}
	}
	return forced
}
