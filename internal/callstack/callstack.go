// Package callstack keeps call stacks as paths in one tree, so that a stack is
// a 4-byte id and two stacks share what they have in common. It has two homes,
// like internal/offheap.
package callstack

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// ID names a stack: the path from the outermost frame to one frame. 0 is the
// empty stack.
type ID uint32

// Depth is the number of frames a stack keeps: the innermost ones of a deeper
// stack.
const Depth = 64

const (
	maxNodes = 1 << markShift
	buckets  = 1 << 18

	// Frames below one of the first early nodes are found by the few buckets, others by
	// the many, of which a program with few stacks touches none.
	early       = 1 << 16
	manyBuckets = 1 << 21
	fanned      = 64 // buckets that the frames below one of the early nodes are in
)

// Describe says what the tree cannot know of a program counter: a non-zero
// word to remember with every stack that ends there, or 0 to inherit the word
// of the caller's frame; and whether all frames of the function it is in are counted when
// they are entered.
type Describe func(pc uintptr) (word uint32, counted bool)

// First returns a program counter that stands for all those that mean the same to people, as
// the instructions of one line do; for what it returns, it returns that.
type First func(pc uintptr) uintptr

// node is one frame below its caller. Immutable once linked, but for what it says of frames
// below.
type node struct {
	pc     uint64
	caller ID
	next   ID // in its bucket
	word   uint32
	depth  uint32    // and isCounted, if the function that pc is in is
	recent [2]uint32 // atomic: the frames below that were looked for last, with marks
}

// A frame below has the mark of its program counter above its id: a look at the wrong one
// would be as far as one at its bucket.
const markShift = 27

func marked(id ID, pc uintptr) uint32 { return uint32(id) | mark(pc)<<markShift }

func mark(pc uintptr) uint32 { return uint32(uint64(pc) * 0x9E3779B97F4A7C15 >> (32 + markShift)) }

const isCounted = 1 << 31

// Tree holds all stacks. Safe for concurrent use.
type Tree struct {
	nodes    offheap.Table[node]
	buckets  offheap.Table[uint32]
	many     offheap.Table[uint32]
	places   offheap.Table[ID] // atomic: by stack of one frame, see Place; 0 unknown
	count    uint32            // nodes handed out
	describe Describe
	first    First
}

// Init makes an empty tree.
func (t *Tree) Init(d Describe, f First) {
	t.nodes.Init(maxNodes)
	offheap.PreferHuge(unsafe.Pointer(t.nodes.At(early)), (maxNodes-early)*unsafe.Sizeof(node{}))
	t.buckets.Init(buckets)
	t.many.Init(manyBuckets)
	t.places.Init(maxNodes)
	t.describe, t.first = d, f
}

// Place returns the stack of one frame that stands for id, which is one, and for all that mean
// the same.
func (t *Tree) Place(id ID) ID {
	p := (*uint32)(t.places.At(uint32(id)))
	place := ID(offheap.Load32(p))
	if place == 0 {
		pc, _ := t.Frame(id)
		place = t.Call(0, t.first(pc))
		offheap.Store32(p, uint32(place))
	}
	return place
}

// Call returns the stack in which the frame at pc was called from caller.
// Cost: one hash look-up, if it is none of the two that were looked for below caller last; a new
// frame takes one more. When the tree is full it
// returns caller.
func (t *Tree) Call(caller ID, pc uintptr) ID {
	if caller == 0 {
		return t.call(0, pc)
	}
	recent := &t.nodes.At(uint32(caller)).recent
	first := offheap.Load32(&recent[0])
	for _, v := range [2]uint32{first, offheap.Load32(&recent[1])} {
		if id := ID(v & (maxNodes - 1)); id != 0 && v>>markShift == mark(pc) && uintptr(t.nodes.At(uint32(id)).pc) == pc {
			return id
		}
	}
	id := t.call(caller, pc)
	offheap.Put32(&recent[1], first)
	offheap.Put32(&recent[0], marked(id, pc))
	return id
}

// call is Call for a frame that was not looked for lately.
func (t *Tree) call(caller ID, pc uintptr) ID {
	head := t.bucket(caller, pc)
	first := offheap.Load32(head)
	if id := t.find(ID(first), 0, caller, pc); id != 0 {
		return id
	}
	if offheap.Load32(&t.count) >= maxNodes-spare {
		return caller
	}
	if caller != 0 {
		// Described once for all callers: it may be slow.
		return t.link(head, ID(first), t.below(caller, t.Call(0, pc), pc))
	}
	n := node{pc: uint64(pc), depth: 1}
	word, counted := t.describe(pc)
	if n.word = word; counted {
		n.depth |= isCounted
	}
	return t.link(head, ID(first), n)
}

// below is the node of the frame at pc below caller, where alone is that frame by itself.
func (t *Tree) below(caller, alone ID, pc uintptr) node {
	above := t.nodes.At(uint32(caller))
	n := node{pc: uint64(pc), caller: caller, word: above.word, depth: above.depth&^isCounted + 1}
	if alone != 0 {
		described := t.nodes.At(uint32(alone))
		n.depth |= described.depth & isCounted
		if described.word != 0 {
			n.word = described.word
		}
	}
	return n
}

// Counted reports whether the innermost frame of id, which is not 0, returns into a function
// whose frames are counted.
func (t *Tree) Counted(id ID) bool { return t.nodes.At(uint32(id)).depth&isCounted != 0 }

// Extend is Call for a frame that returns into a function whose frames are counted; of
// others it returns 0.
func (t *Tree) Extend(caller ID, pc uintptr) ID {
	id := t.Call(caller, pc)
	if t.Extends(id, caller, pc) {
		return id
	}
	return 0
}

// Extends reports whether id, which may be 0, is what Extend returns.
func (t *Tree) Extends(id, caller ID, pc uintptr) bool {
	n := t.nodes.At(uint32(id))
	return n.caller == caller && n.pc == uint64(pc) && t.Counted(id)
}

// bucket is where the frame at pc below caller is to be found. A small program touches few pages
// of buckets: single frames that are near each other in the program have buckets near each other, and so
// have frames of stacks found one after the other.
func (t *Tree) bucket(caller ID, pc uintptr) *uint32 {
	h := uint32(uint64(pc) * 0x9E3779B97F4A7C15 >> 40)
	switch {
	case caller == 0:
		return t.buckets.At(uint32(pc>>3) & (buckets - 1))
	case caller < early:
		return t.buckets.At((uint32(caller)*(buckets/early) + h%fanned) & (buckets - 1))
	}
	return t.many.At((h + uint32(caller)) & (manyBuckets - 1))
}

// spare is how many threads may find at once that there is room for one more.
const spare = 1 << 16

// link puts n, which is not in the bucket's list from first on, at its head,
// unless another thread was faster: then the place it took is lost.
func (t *Tree) link(head *uint32, first ID, n node) ID {
	id := ID(offheap.Add32(&t.count, 1))
	for {
		n.next = first
		*t.nodes.At(uint32(id)) = n
		if offheap.CAS32(head, uint32(first), uint32(id)) {
			return id
		}
		now := ID(offheap.Load32(head))
		if other := t.find(now, first, n.caller, uintptr(n.pc)); other != 0 {
			return other
		}
		first = now
	}
}

// find looks for a frame in the list of a bucket, from one node up to another.
func (t *Tree) find(from, to, caller ID, pc uintptr) ID {
	for id := from; id != to; {
		n := t.nodes.At(uint32(id))
		if n.pc == uint64(pc) && n.caller == caller {
			return id
		}
		id = n.next
	}
	return 0
}

// Word is what Describe said of the innermost frame it had a word for.
func (t *Tree) Word(id ID) uint32 {
	if id == 0 {
		return 0
	}
	return t.nodes.At(uint32(id)).word
}

// Frame splits a stack into its innermost program counter and the stack that
// called it.
func (t *Tree) Frame(id ID) (pc uintptr, caller ID) {
	n := t.nodes.At(uint32(id))
	return uintptr(n.pc), n.caller
}

// Matches reports whether the chain of frames from base, on a stack of frame
// pointers within [lo, hi), has the return addresses of id. Cost: two loads per
// frame.
//
//go:nosplit
func (t *Tree) Matches(id ID, base, lo, hi uintptr) bool {
	for i := 0; i < Depth && base-lo < hi-lo-16; i++ {
		if id == 0 {
			return false
		}
		n := t.nodes.At(uint32(id))
		frame := (*[2]uintptr)(offheap.Pointer(base))
		if uintptr(n.pc) != frame[1] {
			return false
		}
		id = n.caller
		if frame[0] <= base {
			break
		}
		base = frame[0]
	}
	return id == 0
}

// Len is the number of frames of a stack.
func (t *Tree) Len(id ID) uint32 {
	if id == 0 {
		return 0
	}
	return t.nodes.At(uint32(id)).depth &^ isCounted
}

// Bytes is the memory the tree uses.
func (t *Tree) Bytes() uint64 {
	return uint64(offheap.Load32(&t.count)) * uint64(unsafe.Sizeof(node{}))
}

// Walk remembers the stack interned last by one thread, so that the next one
// only looks up the frames in which it differs, and stacks of one frame. One thread at a
// time.
type Walk struct {
	n    uint32 // frames in pcs, innermost first
	pcs  [Depth]uintptr
	last struct {
		n   uint32
		pcs [Depth]uintptr // outermost first
		ids [Depth]ID
	}
	singles [singles]Single
	recent  [recents]recent
}

const (
	singles = 128 // remembered stacks of one frame, a power of two
	recents = 16  // remembered stacks of frames, a power of two
)

// recent is the stack that a chain of frames was, by its first frame and where that returns.
type recent struct {
	base, ret uintptr
	id        ID
}

// Single is a stack of one frame.
type Single struct {
	pc      uintptr
	Place   ID // as Tree.Place says
	Word    uint32
	Counted bool // as Tree.Counted says
}

// Single tells of the stack of one frame, t.Call(0, pc), without a look at the tree if it came
// up lately.
func (w *Walk) Single(t *Tree, pc uintptr) *Single {
	e := &w.singles[(pc^pc>>7)%singles]
	if e.pc != pc {
		id := t.Call(0, pc)
		*e = Single{pc, 0, t.Word(id), id != 0 && t.Counted(id)}
		if id != 0 {
			e.Place = t.Place(id)
		}
	}
	return e
}

// Chain returns the stack of the return addresses of the chain of frames from base on, on a
// stack of frame pointers within [lo, hi). Cost: two loads per frame where what the frame at base
// was lately still is so, else that of Intern.
func (w *Walk) Chain(t *Tree, base, lo, hi uintptr) ID {
	if base-lo >= hi-lo-16 {
		return 0
	}
	ret := (*[2]uintptr)(offheap.Pointer(base))[1]
	e := &w.recent[(base>>4^ret)%recents]
	if e.base != base || e.ret != ret || !t.Matches(e.id, base, lo, hi) {
		w.Reset()
		w.Climb(base, lo, hi)
		*e = recent{base, ret, w.Intern(t)}
	}
	return e.id
}

// Reset starts a new stack.
func (w *Walk) Reset() { w.n = 0 }

// Push adds the next outer frame and reports whether there is room for more.
func (w *Walk) Push(pc uintptr) bool {
	if w.n < Depth {
		w.pcs[w.n] = pc
		w.n++
	}
	return w.n < Depth
}

// Climb pushes the return addresses of the chain of frames from base on, on a stack of
// frame pointers within [lo, hi), as far as there is room.
func (w *Walk) Climb(base, lo, hi uintptr) {
	n := w.n
	for n < Depth && base-lo < hi-lo-16 {
		frame := (*[2]uintptr)(offheap.Pointer(base))
		w.pcs[n] = frame[1]
		n++
		if frame[0] <= base {
			break
		}
		base = frame[0]
	}
	w.n = n
}

// Intern returns the id of the pushed stack. Cost: a comparison per frame that
// the last stack had too, a hash look-up per frame that is new.
func (w *Walk) Intern(t *Tree) ID {
	same := uint32(0)
	for same < w.n && same < w.last.n && w.last.pcs[same] == w.pcs[w.n-1-same] {
		same++
	}
	id := ID(0)
	if same > 0 {
		id = w.last.ids[same-1]
	}
	for i := same; i < w.n; i++ {
		pc := w.pcs[w.n-1-i]
		id = t.Call(id, pc)
		w.last.pcs[i], w.last.ids[i] = pc, id
	}
	w.last.n = w.n
	return id
}
