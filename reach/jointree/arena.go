package jointree

import "github.com/detrace/detrace/internal/offheap"

// arena holds fronts and link arrays: blocks of 2, 4, 8, ... words, the first
// of which is a header. A block is known by the number of its first word, 0 is
// none. Blocks are freed by a sweep only, so that queries may read them
// without a lock. Safe for concurrent alloc.
type arena struct {
	lock  offheap.Lock
	fresh uint32 // the first word never used
	words offheap.Table[uint64]
	live  uint32     // blocks
	size  uint64     // words in them
	free  [32]uint32 // heads of the lists of free blocks, by class
}

// A header is length | class<<32 and flags; in a free block the length is the
// next free one. In a front with a trunk, or a run, it counts the words about that too.
const (
	classShift   = 32
	classMask    = 0xff
	headerMarked = 1 << 40
	headerFree   = 1 << 41
	headerTrunk  = 1 << 42 // see trunk.go
	headerFamily = 1 << 43 // a front of one family, see family.go
	headerRun    = 1 << 44 // a run of a trunk
)

func (a *arena) init(maxTasks uint32) {
	words := 64*uint64(maxTasks) + 4096
	if words > 1<<32-1 {
		words = 1<<32 - 1
	}
	a.words.Init(uint32(words))
	*a = arena{words: a.words, fresh: 2}
}

// classOf is the smallest class with room for n words and the header.
func classOf(n uint32) (class uint32) {
	for class = 1; uint64(1)<<class <= uint64(n); class++ {
	}
	return class
}

// alloc returns a block with room for n words after its header, whose length
// it sets to n; 0 when the arena is full.
func (a *arena) alloc(n uint32) uint32 {
	class := classOf(n)
	a.lock.Lock()
	b := a.free[class]
	if b != 0 {
		a.free[class] = uint32(*a.words.At(b))
	} else if uint64(a.fresh)+1<<class <= uint64(a.words.Max()) {
		b = a.fresh
		a.fresh += 1 << class
	}
	if b != 0 {
		a.live++
		a.size += 1 << class
		*a.words.At(b) = uint64(n) | uint64(class)<<classShift
	}
	a.lock.Unlock()
	return b
}

// length is the number of words in use after the header.
func (a *arena) length(b uint32) uint32 { return uint32(*a.words.At(b)) }

func (a *arena) used() uint32 {
	a.lock.Lock()
	n := a.live
	a.lock.Unlock()
	return n
}

func (a *arena) bytes() uint64 {
	a.lock.Lock()
	n := a.size * 8
	a.lock.Unlock()
	return n
}

func (e *Engine) linkCount(b uint32) uint32 { return e.blocks.length(b) / 2 }

// linkAt is the k-th link of block b.
func (e *Engine) linkAt(b, k uint32) link {
	w := b + 1 + 2*k
	head := *e.blocks.words.At(w)
	return link{upTo: uint32(head >> 32), to: uint32(head), at: uint32(*e.blocks.words.At(w + 1))}
}

func (e *Engine) setLink(b, k uint32, l link) {
	w := b + 1 + 2*k
	*e.blocks.words.At(w) = uint64(l.upTo)<<32 | uint64(l.to)
	*e.blocks.words.At(w + 1) = uint64(l.at)
}
