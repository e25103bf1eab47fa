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
// trunk, or a run of a trunk; to be read only once f is published.
func (e *Engine) elements(f uint32) []reach.Strand {
	h := *e.blocks.words.At(f)
	n := uint32(h)
	switch {
	case h&headerTrunk != 0:
		f, n = f+trunkWords, n-trunkWords
	case h&headerRun != 0:
		f, n = f+runWords, n-runWords
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
	for ; f != 0; f = e.nextRun(f) {
		list := e.elements(f)
		if e.inRest(list[e.search(list, reach.StrandOf(reach.Task(c), i)):], c, i) {
			return true
		}
	}
	return false
}

// inRest is inFront for one sorted list without what is less than the strand.
// The elements right of a strand start with those inside its interval; if the first is
// outside, none is inside, and the search goes on where the chain of links leads,
// further to the right. Tasks later in a chain come next: if the first element is about
// one of them, it is preceded, but for strands from before that task was a successor.
func (e *Engine) inRest(list []reach.Strand, c, i uint32) bool {
	for len(list) > 0 {
		v := list[0]
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
			list = list[e.search(list, reach.StrandOf(reach.Task(c), i)):]
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
		list = list[e.search(list, reach.StrandOf(reach.Task(c), i)):]
	}
	return false
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
