package rsketch

import (
	"math/bits"
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// closure is the transitive closure of a growing dag whose vertices are 1, 2, ...:
// for every vertex the set of those that reach it. Edges come in any order; what a
// vertex gains is propagated forward to its successors by a work list. One goroutine
// at a time.
//
// A set is a directory of blocks of 1024 bits, and sets share equal blocks: a vertex
// begins with its first predecessor's, and a union copies only a block to which both
// sides add something. With v vertices that is v/1024 words a set and the blocks that
// differ, instead of v bits. In the worst case none are equal.
type closure struct {
	vertices offheap.Table[vertex]
	arcs     offheap.Table[arc]
	entries  offheap.Table[uint32] // of directories: block numbers, 0 for no bits
	blocks   offheap.Table[block]
	refs     offheap.Table[uint32] // by block: how many entries have it; of a free one the next

	vertexCount, arcCount uint32
	entryCount            uint32 // used at least once, like blockCount
	blockCount            uint32
	freeBlock             uint32
	freeDirectories       [maxClass + 1]uint32 // by class: one more than the first entry of the first
	workFirst, workLast   uint32               // vertices whose successors must be told

	most      uint32 // vertices
	mostBytes uint64
	unions    uint64 // made so far
}

type vertex struct {
	directory uint32 // first entry
	arcs      uint32 // newest that goes out
	work      uint32 // next in the work list
	used      uint16 // entries up to the last that was ever not 0; 0: there is no directory
	low, high uint16 // while it is in the work list: the range of entries that have changed
	class     uint8  // it has 1<<class entries
}

type arc struct{ to, next uint32 }

type block [blockWords]uint64

const (
	blockWords = 16
	blockBits  = 64 * blockWords
	maxClass   = 10
	// mostVertices is what the longest directory holds.
	mostVertices = blockBits<<maxClass - 1
	// mostBytes keeps a program that is far from series-parallel from taking all
	// memory.
	mostBytes = 6 << 30
	// arcsPerVertex bounds the arcs: a fork that becomes an anchor brings three, a join
	// two, the target of a non-SP edge two.
	arcsPerVertex = 3
)

// Init makes room for max vertices, at most mostVertices.
func (c *closure) Init(max uint32) {
	*c = closure{most: min(max, mostVertices), mostBytes: mostBytes}
	n := c.most + 1
	longest := c.most/blockBits + 1
	c.vertices.Init(n)
	c.arcs.Init(arcsPerVertex*n + 1)
	// Outgrown directories are half of all, in the worst case, and every entry has a
	// block of its own.
	c.entries.Init(2 * n << bits.Len32(longest-1))
	c.blocks.Init(n*longest + 2)
	c.refs.Init(n*longest + 2)
}

// full reports whether there might be no room for so many more vertices and their
// edges.
func (c *closure) full(more uint64) bool {
	return uint64(c.vertexCount)+more > uint64(c.most) || c.bytes() > c.mostBytes
}

// bytes is the memory in use.
func (c *closure) bytes() uint64 {
	return uint64(c.vertexCount)*uint64(unsafe.Sizeof(vertex{})) + uint64(c.arcCount)*uint64(unsafe.Sizeof(arc{})) +
		uint64(c.entryCount)*4 + uint64(c.blockCount)*(uint64(unsafe.Sizeof(block{}))+4)
}

// vertex adds a vertex without edges and returns it.
func (c *closure) vertex() uint32 {
	invariants.Assert(c.vertexCount < c.most, "rsketch: more anchors than were announced")
	c.vertexCount++
	return c.vertexCount
}

// reaches reports whether x reaches y or is y. Cost: O(1).
func (c *closure) reaches(x, y uint32) bool {
	return x == y || c.has(c.vertices.At(y), x)
}

// has reports whether x is in the set of v, which has v itself as soon as v has arcs.
func (c *closure) has(v *vertex, x uint32) bool {
	if x/blockBits >= uint32(v.used) {
		return false
	}
	b := c.blocks.At(*c.entries.At(v.directory + x/blockBits)) // block 0 has no bits
	return b[x%blockBits/64]>>(x%64)&1 != 0
}

// edge adds an edge, or nothing if x reaches y already. Cost: a union of two
// directories, and for each arc that goes out of a vertex that gains something one of
// the entries that have changed.
func (c *closure) edge(x, y uint32) {
	if c.reaches(x, y) {
		return
	}
	if invariants.Enabled {
		invariants.Assert(!c.reaches(y, x), "rsketch: an edge closes a cycle")
	}
	from, to := c.vertices.At(x), c.vertices.At(y)
	c.arcCount++
	*c.arcs.At(c.arcCount) = arc{to: y, next: from.arcs}
	from.arcs = c.arcCount
	c.add(from, x)
	c.unite(from, y, 0, from.used)
	c.add(to, y)
	for c.workFirst != 0 {
		v := c.vertices.At(c.workFirst)
		c.workFirst = v.work
		v.work = 0
		for a := v.arcs; a != 0; a = c.arcs.At(a).next {
			c.unite(v, c.arcs.At(a).to, v.low, v.high)
		}
	}
}

// unite adds a range of entries of from's set to that of y, and y to the work list if
// that changes it. That happens once for each edge: y has all that the edge brings then,
// since from has, and lacked nothing of it that from did not lack.
func (c *closure) unite(from *vertex, y uint32, low, high uint16) {
	c.unions++
	to := c.vertices.At(y)
	c.grow(to, uint32(high))
	first, last := high, high
	for i := low; i < high; i++ {
		source, target := *c.entries.At(from.directory + uint32(i)), c.entries.At(to.directory+uint32(i))
		if source != *target && source != 0 && c.uniteBlock(source, target) {
			first, last = min(first, i), i+1
		}
	}
	if first == high || to.arcs == 0 {
		return
	}
	to.low, to.high = first, last
	if c.workFirst == 0 {
		c.workFirst = y
	} else {
		c.vertices.At(c.workLast).work = y
	}
	c.workLast = y
}

// uniteBlock adds the bits of source to the block of an entry and reports whether it
// lacked any.
func (c *closure) uniteBlock(source uint32, entry *uint32) bool {
	s, t := c.blocks.At(source), c.blocks.At(*entry)
	var lacks, extra uint64
	for i := range s {
		lacks |= s[i] &^ t[i]
		extra |= t[i] &^ s[i]
	}
	if lacks == 0 {
		return false
	}
	if extra == 0 {
		c.release(*entry)
		*c.refs.At(source)++
		*entry = source
		return true
	}
	t = c.own(entry)
	for i := range s {
		t[i] |= s[i]
	}
	return true
}

// add puts x into the set of v.
func (c *closure) add(v *vertex, x uint32) {
	if !c.has(v, x) {
		c.grow(v, x/blockBits+1)
		c.own(c.entries.At(v.directory + x/blockBits))[x%blockBits/64] |= 1 << (x % 64)
	}
}

// own makes the block of an entry one that no other entry has.
func (c *closure) own(entry *uint32) *block {
	old := *entry
	if old != 0 && *c.refs.At(old) == 1 {
		return c.blocks.At(old)
	}
	id := c.freeBlock
	if id != 0 {
		c.freeBlock = *c.refs.At(id)
	} else {
		c.blockCount++
		id = c.blockCount
	}
	*c.blocks.At(id) = *c.blocks.At(old)
	*c.refs.At(id) = 1
	*entry = id
	c.release(old)
	return c.blocks.At(id)
}

// release takes a block from an entry.
func (c *closure) release(id uint32) {
	if id == 0 {
		return
	}
	refs := c.refs.At(id)
	if *refs--; *refs == 0 {
		*refs, c.freeBlock = c.freeBlock, id
	}
}

// grow makes the directory of v at least n entries long.
func (c *closure) grow(v *vertex, n uint32) {
	if n <= uint32(v.used) {
		return
	}
	if v.used == 0 || n > 1<<v.class {
		class := uint8(bits.Len32(n - 1))
		to := c.directory(class)
		for i := range uint32(v.used) {
			*c.entries.At(to + i) = *c.entries.At(v.directory + i)
		}
		if v.used != 0 {
			c.entries.Discard(v.directory, v.directory+1<<v.class)
			*c.entries.At(v.directory) = c.freeDirectories[v.class]
			c.freeDirectories[v.class] = v.directory + 1
		}
		v.directory, v.class = to, class
	}
	v.used = uint16(n)
}

// directory returns the first of 1<<class entries that are 0.
func (c *closure) directory(class uint8) uint32 {
	if free := c.freeDirectories[class]; free != 0 {
		first := c.entries.At(free - 1)
		c.freeDirectories[class], *first = *first, 0
		return free - 1
	}
	first := c.entryCount
	c.entryCount += 1 << class
	return first
}
