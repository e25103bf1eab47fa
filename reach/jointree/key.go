package jointree

import "github.com/detrace/detrace/internal/offheap"

// key is the beginning of the way from the root to a task: the strands at which it leaves the
// ancestors, as bits that are in order where the ways are. Where the keys of two tasks differ, neither is
// an ancestor of the other, and they are in the order of their keys; so most pairs of tasks in a
// tree that is not deep are put in order by eight bytes each, in a table that stays in the caches
// where the records of tasks do not. Where the keys do not differ, as far as the shorter one goes,
// one has to walk.
//
// A way has one number for each task on it: twice the strand that forked it. For a successor in a
// chain it has two: one more than that of the first in the chain, and how many are before it. So it is
// changed when a task becomes a successor, of which nobody has learned.
//
// The bits of the way are the upper ones; below is their number.
type key uint64

const (
	keyLength = 1<<6 - 1
	maxKey    = 64 - 6 // bits of the way
)

// codes has how many bits follow on zero, one, two ones and so on and a zero, for how far a number
// is above the greatest with fewer ones. Most tasks fork soon after they began.
var codes = [...]uint8{3, 4, 5, 8, 14, 33}

// and is the key of a way that goes on with v, of most bits at most.
func (k key) and(v uint64, most uint32) key {
	ones := 0
	for v>>codes[ones] != 0 {
		v -= 1 << codes[ones]
		ones++
	}
	code, width := key(1<<ones-1)<<(codes[ones]+1)|key(v), key(codes[ones])+key(ones)+1
	length := k & keyLength
	if room := key(most) - length; width > room {
		code >>= width - room
		width = room
	}
	length += width
	return k&^keyLength | code<<(64-length) | length
}

func (e *Engine) keyOf(t uint32) key { return key(offheap.Load64(e.keys.At(t))) }

// setKey gives t the key of its place among its siblings.
func (e *Engine) setKey(t uint32) {
	r := e.task(t)
	k, rank := e.keyOf(r.parent), e.rank(t)
	if r.succeeds() {
		k = k.and(rank>>32<<1|1, e.maxKey).and(rank&(1<<32-1), e.maxKey)
	} else {
		k = k.and(rank>>32<<1, e.maxKey)
	}
	offheap.Release64(e.keys.At(t), uint64(k))
}

// ahead reports whether the strands of c are less than those of t, if the keys of the two tell.
func (e *Engine) ahead(c, t uint32) (yes, known bool) {
	a, b := e.keyOf(c), e.keyOf(t)
	rest := 64 - min(a&keyLength, b&keyLength)
	a, b = a>>rest, b>>rest
	return a < b, a != b
}
