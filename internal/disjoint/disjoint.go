// Package disjoint is disjoint sets of small numbers, each set with a label of one
// bit, and the S and P bags of serial detectors, which are such sets.
//
// The sets are Tarjan's: union by rank, and paths halved where they are walked, so
// that n operations cost O(n α(n)). An element takes 4 bytes: its parent, or at the
// root the set's label and rank. State is off-heap, nothing allocates, and the
// package is portable (see internal/offheap).
package disjoint

import (
	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// Sets is a collection of disjoint sets. Elements are numbers below the maximum given
// to Init, 0 excepted. A set is known by its root, one of its elements, which
// changes with unions only. One goroutine at a time: Find changes paths. The zero
// value must be initialised.
type Sets struct {
	// A word with rootBit is a root, with the set's label and rank; any other is the
	// parent; 0 is no element.
	words offheap.Table[uint32]
}

const (
	rootBit  = 1 << 31
	labelBit = 1 << 30
	rankMask = 1<<6 - 1
)

// Init reserves address space for elements below max.
func (s *Sets) Init(max uint32) {
	invariants.Assert(max <= labelBit, "disjoint: too many elements")
	s.words.Init(max)
}

// Add makes a set of x, which is in no set, with the label.
func (s *Sets) Add(x uint32, label bool) { *s.words.At(x) = rootBit | labelled(label) }

func labelled(label bool) uint32 {
	if label {
		return labelBit
	}
	return 0
}

// Insert adds x, which is in no set, to the set of root.
func (s *Sets) Insert(x, root uint32) {
	*s.words.At(x) = root
	if w := s.words.At(root); *w&rankMask == 0 {
		*w++
	}
}

// Find is the root of x's set. Cost: O(α) amortised.
func (s *Sets) Find(x uint32) uint32 {
	for {
		w := s.words.At(x)
		parent := *w
		if parent&rootBit != 0 {
			return x
		}
		above := *s.words.At(parent)
		if above&rootBit != 0 {
			return parent
		}
		*w, x = above, above
	}
}

// Label is the label of the set of root.
func (s *Sets) Label(root uint32) bool { return *s.words.At(root)&labelBit != 0 }

// SetLabel changes the label of the set of root.
func (s *Sets) SetLabel(root uint32, label bool) {
	w := s.words.At(root)
	*w = *w&^labelBit | labelled(label)
}

// Union merges the sets of two roots, from and into, which keeps its label, and
// returns the root of the result.
func (s *Sets) Union(into, from uint32) uint32 {
	if into == from {
		return into
	}
	a, b := s.words.At(into), s.words.At(from)
	label := *a & labelBit
	switch ra, rb := *a&rankMask, *b&rankMask; {
	case ra < rb:
		into, from, a, b = from, into, b, a
	case ra == rb:
		*a++
	}
	*a = *a&^labelBit | label
	*b = into
	return into
}

// Bytes is the memory of n elements.
func Bytes(n uint32) uint64 { return 4 * uint64(n) }
