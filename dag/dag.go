// Package dag is the oracle: a computation dag with every strand and every
// edge kept, its transitive closure, and every access to every location. Its
// answers are right by construction and cost quadratic time and memory;
// engines and access histories are judged by them on small programs.
//
// A strand is a node. Precedence is the existence of a path. Strands are
// added in an order in which they could have run, after all that precedes
// them, so that the closure of a strand is known when it is added and never
// changes.
package dag

import (
	"fmt"
	"slices"
)

// Strand is a node of a [Graph]. Strands are numbered from 1 in order of
// creation; 0 is none.
type Strand uint32

// Graph is a computation dag. The zero value is empty and ready for use.
// Reading it concurrently is safe while nobody adds to it.
type Graph struct {
	nodes    []node // nodes[i] is strand i+1
	accesses []Access
	bytes    map[uint64][]int // per byte address: the accesses since the last Alloc
	races    []Race
}

type node struct {
	preds  []Strand
	before bitset // every strand that strictly precedes this one
}

type bitset []uint64

func (b bitset) has(s Strand) bool {
	return int(s/64) < len(b) && b[s/64]&(1<<(s%64)) != 0
}

// Add creates a strand with an edge from each of preds, which must exist.
// Zeros and repetitions among them are ignored. Cost: linear in the number of
// strands for each edge.
func (g *Graph) Add(preds ...Strand) Strand {
	s := Strand(len(g.nodes) + 1)
	n := node{before: make(bitset, s/64+1)}
	for _, p := range preds {
		if p == 0 || slices.Contains(n.preds, p) {
			continue
		}
		n.preds = append(n.preds, p)
		for i, word := range g.node(p).before {
			n.before[i] |= word
		}
		n.before[p/64] |= 1 << (p % 64)
	}
	g.nodes = append(g.nodes, n)
	return s
}

func (g *Graph) node(s Strand) *node {
	if s == 0 || int(s) > len(g.nodes) {
		panic(fmt.Sprintf("dag: strand %d of %d", s, len(g.nodes)))
	}
	return &g.nodes[s-1]
}

// Len is the number of strands; they are 1 to Len.
func (g *Graph) Len() int { return len(g.nodes) }

// Preds returns the sources of the edges into s, in the order given to Add.
// The caller must not change the slice.
func (g *Graph) Preds(s Strand) []Strand { return g.node(s).preds }

// Precedes reports whether there is a path of at least one edge from u to v.
// No strand precedes itself. Cost: O(1).
func (g *Graph) Precedes(u, v Strand) bool {
	g.node(u)
	return g.node(v).before.has(u)
}

// Parallel reports whether u and v differ and neither precedes the other.
func (g *Graph) Parallel(u, v Strand) bool {
	return u != v && !g.Precedes(u, v) && !g.Precedes(v, u)
}
