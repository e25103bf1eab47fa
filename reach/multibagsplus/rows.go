package multibagsplus

import "github.com/detrace/detrace/internal/offheap"

// rows is an arena of rows: immutable sets of numbers, that is of bits, in tries whose
// blocks are shared. A row that is another and one number more shares all blocks with
// it but those on one path, and two rows are united without a look into blocks that they
// share.
type rows struct {
	blocks offheap.Table[block]
	used   uint32 // blocks in use, the first of which is none
	mine   uint32 // blocks from here on are of the row that is being made, and may be changed
	full   bool
}

// block is 512 bits or the numbers of 16 blocks, 0 for an empty one.
type block [8]uint64

// row is a trie; the zero value is empty.
type row struct {
	root   uint32 // block, 0 if empty
	height uint32 // of the root; that of bits is 0
}

const (
	leafShift = 9 // log of bits in a block
	fanShift  = 4 // log of children of a block

	maxBlocks = 1 << 27 // 8 GiB
)

// init makes room for rows of numbers up to max, as many as there are numbers, but at
// most maxBlocks.
func (t *rows) init(max, maxBlocks uint32) {
	atWorst := (uint64(max) + 1) * (uint64(max)>>(leafShift-1) + 8)
	t.blocks.Init(uint32(min(atWorst, uint64(maxBlocks))))
	*t = rows{blocks: t.blocks, used: 1}
}

// begin ends the making of one row: its blocks change no more.
func (t *rows) begin() { t.mine = t.used }

// alloc is a new block with the contents of another; 0 is empty. When there is no room
// it is 0 and the table full.
func (t *rows) alloc(like uint32) uint32 {
	if t.used >= t.blocks.Max() {
		t.full = true
		return 0
	}
	b := t.used
	t.used++
	*t.blocks.At(b) = *t.blocks.At(like)
	return b
}

// own is b, or a copy of it that may be changed.
func (t *rows) own(b uint32) uint32 {
	if b != 0 && b >= t.mine {
		return b
	}
	return t.alloc(b)
}

func (b *block) child(i uint32) uint32 { return uint32(b[i/2] >> (i % 2 * 32)) }

func (b *block) setChild(i, child uint32) {
	shift := i % 2 * 32
	b[i/2] = b[i/2]&^(0xffffffff<<shift) | uint64(child)<<shift
}

// index is the child of a block of this height in which number n is.
func index(n, height uint32) uint32 {
	return n >> (leafShift + fanShift*(height-1)) & (1<<fanShift - 1)
}

// capacity is the first number too great for a row of this height.
func capacity(height uint32) uint64 { return 1 << (leafShift + fanShift*height) }

// has reports whether n is in the row. Cost: one load for each level.
func (t *rows) has(in row, n uint32) bool {
	if uint64(n) >= capacity(in.height) {
		return false
	}
	b := in.root
	for h := in.height; h > 0 && b != 0; h-- {
		b = t.blocks.At(b).child(index(n, h))
	}
	return t.blocks.At(b)[n%(1<<leafShift)/64]>>(n%64)&1 != 0
}

// with is the row and n. It uses the row's own blocks where these were made since
// begin.
func (t *rows) with(to row, n uint32) row {
	if t.has(to, n) {
		return to
	}
	for uint64(n) >= capacity(to.height) {
		to = t.higher(to)
	}
	to.root = t.own(to.root)
	b := to.root
	for h := to.height; h > 0 && b != 0; h-- {
		child := t.own(t.blocks.At(b).child(index(n, h)))
		t.blocks.At(b).setChild(index(n, h), child)
		b = child
	}
	if b != 0 {
		t.blocks.At(b)[n%(1<<leafShift)/64] |= 1 << (n % 64)
	}
	return to
}

// higher is the same row, a level higher.
func (t *rows) higher(r row) row {
	if r.root == 0 {
		return row{height: r.height + 1}
	}
	root := t.alloc(0)
	if root != 0 {
		t.blocks.At(root).setChild(0, r.root)
	}
	return row{root, r.height + 1}
}

// union is what is in a or in b; it must be the first thing after begin.
func (t *rows) union(a, b row) row {
	for a.height < b.height {
		a = t.higher(a)
	}
	for b.height < a.height {
		b = t.higher(b)
	}
	root := t.merge(a.root, b.root, a.height)
	if root < t.mine && !t.full { // nothing was made but to raise a row that adds nothing
		t.used = t.mine
	}
	return row{root, a.height}
}

// merge is union for blocks. It makes no block that equals one of the two. Recursion is
// as deep as the trie.
func (t *rows) merge(a, b, height uint32) uint32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	}
	var merged block
	x, y := t.blocks.At(a), t.blocks.At(b)
	for i := range merged {
		switch {
		case height == 0:
			merged[i] = x[i] | y[i]
		case x[i] == y[i]:
			merged[i] = x[i]
		default:
			low := t.merge(uint32(x[i]), uint32(y[i]), height-1)
			high := t.merge(uint32(x[i]>>32), uint32(y[i]>>32), height-1)
			merged[i] = uint64(high)<<32 | uint64(low)
		}
	}
	switch merged {
	case *x:
		return a
	case *y:
		return b
	}
	n := t.alloc(0)
	if n != 0 {
		*t.blocks.At(n) = merged
	}
	return n
}

// bytes is the memory in use.
func (t *rows) bytes() uint64 {
	const blockBytes = 64
	return blockBytes * uint64(t.used)
}
