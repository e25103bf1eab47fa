package forder

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// element is a strand in a past, and a root of one: a treap, ordered by future and
// then English order, with the higher priority above. 0 is the empty past. Elements
// made by the current construct, after mark, may change; the others are published and
// never do. Element 0 takes what there is no room for.
type element struct{ strand, future, left, right uint32 }

func (e *Engine) at(t uint32) *element { return e.pasts.At(t) }

// priority is a permutation of all words (the finaliser of MurmurHash3).
func priority(strand uint32) uint32 {
	strand ^= strand >> 16
	strand *= 0x85ebca6b
	strand ^= strand >> 13
	strand *= 0xc2b2ae35
	return strand ^ strand>>16
}

func (e *Engine) above(s, t uint32) bool { return priority(e.at(s).strand) > priority(e.at(t).strand) }

// overflow reports whether there was no room for an element.
func (e *Engine) overflow() bool { return e.elementCount >= e.pasts.Max() }

// pastsFull takes back what the current construct has made.
func (e *Engine) pastsFull() reach.Refusal {
	e.elementCount = e.mark
	*e.at(0) = element{}
	return reach.Refusal{Why: "forder has no room for another past"}
}

// settle takes back what was made in vain, if the past that came of it is a published
// one.
func (e *Engine) settle(past uint32) {
	if past <= e.mark && !e.overflow() {
		e.elementCount = e.mark
	}
}

func (e *Engine) newElement(x element) uint32 {
	e.elementCount++
	t := e.elementCount
	if e.overflow() {
		t = 0
	}
	*e.at(t) = x
	return t
}

// own is t, or a copy of it if it is published.
func (e *Engine) own(t uint32) uint32 {
	if t > e.mark {
		return t
	}
	return e.newElement(*e.at(t))
}

// withLeft is t with another left subtree, and withRight with another right one.
func (e *Engine) withLeft(t, left uint32) uint32 {
	if e.at(t).left != left {
		t = e.own(t)
		e.at(t).left = left
	}
	return t
}

func (e *Engine) withRight(t, right uint32) uint32 {
	if e.at(t).right != right {
		t = e.own(t)
		e.at(t).right = right
	}
	return t
}

// placeOf is the place of t's strand.
func (e *Engine) placeOf(t uint32) place {
	x := e.at(t)
	return place{future: x.future, strand: x.strand, level: uint32(offheap.Load64(e.strands.At(x.strand)) >> 32)}
}

// less is the order of elements.
func (e *Engine) less(u, v place) bool {
	if u.future != v.future {
		return u.future < v.future
	}
	return u.strand != v.strand && e.labels.Meet(u.level, u.strand, v.level, v.strand).English()
}

// within reports whether t is of k's future and precedes k or is k.
func (e *Engine) within(t uint32, k place) bool {
	return e.at(t).future == k.future && e.precedes(e.placeOf(t), k)
}

// has reports whether k precedes an element of past t in the SP order of its future,
// or is one.
func (e *Engine) has(t uint32, k place) bool {
	first := uint32(0)
	for t != 0 {
		if e.less(e.placeOf(t), k) {
			t = e.at(t).right
		} else {
			first, t = t, e.at(t).left
		}
	}
	return first != 0 && e.at(first).future == k.future && e.precedes(k, e.placeOf(first))
}

// split is the elements of t before k, and those after it.
func (e *Engine) split(t uint32, k place) (before, after uint32) {
	if t == 0 {
		return 0, 0
	}
	switch x := e.placeOf(t); {
	case x.strand == k.strand:
		return e.at(t).left, e.at(t).right
	case e.less(x, k):
		before, after = e.split(e.at(t).right, k)
		return e.withRight(t, before), after
	default:
		before, after = e.split(e.at(t).left, k)
		return before, e.withLeft(t, after)
	}
}

// concat is s and t, all of s before all of t.
func (e *Engine) concat(s, t uint32) uint32 {
	switch {
	case s == 0:
		return t
	case t == 0:
		return s
	case e.above(s, t):
		return e.withRight(s, e.concat(e.at(s).right, t))
	}
	return e.withLeft(t, e.concat(s, e.at(t).left))
}

// trim is t, whose elements are before k, without those that precede k: they are its
// last ones, because what is later in the English order is earlier in the Hebrew one.
func (e *Engine) trim(t uint32, k place) uint32 {
	for t != 0 && e.within(t, k) {
		t = e.at(t).left
	}
	if t == 0 {
		return 0
	}
	return e.withRight(t, e.trim(e.at(t).right, k))
}

// add is past t and k, and all that precedes it in the SP order.
func (e *Engine) add(t uint32, k place) uint32 {
	if e.has(t, k) {
		return t
	}
	before, after := e.split(t, k)
	single := e.newElement(element{strand: k.strand, future: k.future})
	return e.concat(e.concat(e.trim(before, k), single), after)
}

// forget is past t without what k or its predecessors in the SP order say.
func (e *Engine) forget(t uint32, k place) uint32 {
	last := uint32(0)
	for s := t; s != 0; {
		if e.less(k, e.placeOf(s)) {
			s = e.at(s).left
		} else {
			last, s = s, e.at(s).right
		}
	}
	if last == 0 || !e.within(last, k) {
		return t
	}
	before, after := e.split(t, k)
	return e.concat(e.trim(before, k), after)
}

// union is what s or t says; one of them if that says it all.
func (e *Engine) union(s, t uint32) uint32 {
	switch {
	case s == t || t == 0:
		return s
	case s == 0:
		return t
	case e.above(t, s):
		s, t = t, s
	}
	x := *e.at(s)
	k := e.placeOf(s)
	var before, after uint32
	if e.at(t).strand == x.strand {
		before, after = e.at(t).left, e.at(t).right
	} else {
		before, after = e.split(t, k)
	}
	left, right := e.union(x.left, before), e.union(x.right, after)
	if right != 0 {
		if first := e.first(right); e.at(first).future == k.future && e.within(s, e.placeOf(first)) {
			return e.concat(e.trim(left, e.placeOf(first)), right)
		}
	}
	left = e.trim(left, k)
	if y := e.at(t); y.strand == x.strand && y.left == left && y.right == right {
		return t
	}
	return e.withRight(e.withLeft(s, left), right)
}

// first is the first element of t, which is not empty.
func (e *Engine) first(t uint32) uint32 {
	for e.at(t).left != 0 {
		t = e.at(t).left
	}
	return t
}
