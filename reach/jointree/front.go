package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/reach"
)

// less is the depth-first order of the fork forest, child before continuation:
// what a strand reaches by tree edges is one interval that begins with it. Siblings
// are in the order of their forks, but those of one chain stand together.
func (e *Engine) less(a, b reach.Strand) bool {
	at, bt := uint32(a.Task()), uint32(b.Task())
	if at == bt {
		return a.Index() < b.Index()
	}
	if yes, known := e.ahead(at, bt); known {
		return yes
	}
	_, x, y := e.relate(at, bt)
	if x == 0 {
		return a.Index() <= e.place(y)
	}
	if y == 0 {
		return e.place(x) < b.Index()
	}
	return e.rank(x) < e.rank(y)
}

// elements is front f, which is not 0, as a slice, or its delta if it has a
// trunk; to be read only once f is published.
func (e *Engine) elements(f uint32) []reach.Strand {
	n := e.blocks.length(f)
	if *e.blocks.words.At(f)&headerTrunk != 0 {
		f, n = f+trunkWords, n-trunkWords
	}
	return unsafe.Slice((*reach.Strand)(unsafe.Pointer(e.blocks.words.At(f+1))), n)
}

// search is the number of strands in a sorted list that are less than u.
func (e *Engine) search(list []reach.Strand, u reach.Strand) int {
	lo := 0
	for hi := len(list); lo < hi; {
		if mid := (lo + hi) / 2; e.less(list[mid], u) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// skip is search for who looks near the beginning of a list.
func (e *Engine) skip(list []reach.Strand, u reach.Strand) int {
	lo, step := 0, 1
	for step <= len(list) && e.less(list[step-1], u) {
		lo, step = step, 2*step
	}
	return lo + e.search(list[lo:min(step-1, len(list))], u)
}

// inFront reports whether strand (c, i) is in front f or tree and links say
// that it precedes an element of it.
func (e *Engine) inFront(f, c, i uint32) bool {
	trunk, delta := e.parts(f)
	trunk, delta = e.rightOf(trunk, delta, reach.StrandOf(reach.Task(c), i))
	return e.inRest(trunk, delta, c, i)
}

// rightOf is what of two sorted lists is not less than u.
func (e *Engine) rightOf(trunk, delta []reach.Strand, u reach.Strand) (_, _ []reach.Strand) {
	if len(trunk) > 0 {
		trunk = trunk[e.search(trunk, u):]
	}
	return trunk, delta[e.search(delta, u):]
}

// inRest is inFront for the two lists of a front without what is less than the strand.
// The elements right of a strand start with those inside its interval; if the first is
// outside, none is inside, and the search goes on where the chain of links leads,
// further to the right. Tasks later in a chain come next: if the first element is about
// one of them, it is preceded, but for strands from before that task was a successor.
func (e *Engine) inRest(trunk, delta []reach.Strand, c, i uint32) bool {
	for {
		if len(delta) == 0 && len(trunk) == 0 {
			return false
		}
		v := e.first(trunk, delta)
		vt := uint32(v.Task())
		if vt == c {
			return true
		}
		l, x, y := e.relate(c, vt)
		if x == 0 {
			return true
		}
		if y != 0 && e.task(y).succeeds() && e.alongChain(c, i, x, y) {
			start := e.chainOf(y).start
			if e.positionIn(y, v) > start {
				return true
			}
			c, i = y, start+1
			trunk, delta = e.rightOf(trunk, delta, reach.StrandOf(reach.Task(c), i))
			continue
		}
		task, at, ok := e.chainAt(c, i, x, l)
		if !ok {
			return false
		}
		if task == l && at <= e.position(y, v.Index()) {
			return true
		}
		c, i = task, at
		trunk, delta = e.rightOf(trunk, delta, reach.StrandOf(reach.Task(c), i))
	}
}

// first is the lesser of the first elements of two lists, not both empty.
func (e *Engine) first(a, b []reach.Strand) reach.Strand {
	if len(b) == 0 || len(a) > 0 && e.less(a[0], b[0]) {
		return a[0]
	}
	return b[0]
}

func equal(a, b []reach.Strand) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}
