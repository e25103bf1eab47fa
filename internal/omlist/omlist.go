// Package omlist is an ordered list that says which of two items is before the
// other.
//
// Items are in groups of at most 64; a group has a 64-bit tag, an item a 32-bit
// label within its group, and both are in order along the list (two levels, as in
// Dietz and Sleator; the tags are respread in the way of Bender, Cole, Demaine,
// Farach-Colton and Zito, "Two simplified algorithms for maintaining order in a
// list", 2002: the smallest aligned range of tags around the full place that is
// sparse enough). A group is split when it is full, so that an insertion costs a
// logarithmic number of tags once in 32 insertions.
//
// Costs: InsertAfter O(1) amortised, O(items/32) in the worst case; Before O(1), six
// loads. 12 bytes an item and 24 a group, which has at least 32 items but for the
// first.
package omlist

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
)

// List is an ordered list of items, numbered from 1 in order of insertion. One
// goroutine at a time may insert; any number may call Before meanwhile, of items
// whose insertion happened before. Before waits while labels are respread.
type List struct {
	items  offheap.Table[item]  // item 0 is a hidden one in front of all
	groups offheap.Table[group] // group 0 is the first

	itemCount, groupCount uint32

	// version is odd while labels of items that others may ask about change.
	version uint64
}

// item's words, and a group's tag, are read while they change: all accesses to them
// are whole.
type item struct {
	group uint32
	label uint32
	next  uint32 // in the same group, 0 if it is the last
}

type group struct {
	tag        uint64
	prev, next uint32 // next is 0 for the last
	first      uint32 // item
	count      uint32
}

const (
	groupSize   = 64
	labelSpace  = 1 << 32
	tagBits     = 63
	labelStride = labelSpace / (2 * groupSize) // appending does not halve what is left
	tagStride   = 1 << 32
)

// Init makes room for max items. The list is empty.
func (l *List) Init(max uint32) {
	l.items.Init(max + 1)
	l.groups.Init(max/(groupSize/2) + 2)
	l.itemCount, l.groupCount, l.version = 0, 1, 0
	l.groups.At(0).count = 1
}

// First inserts an item in front of all others and returns it, 0 if the list is
// full.
func (l *List) First() uint32 { return l.InsertAfter(0) }

// InsertAfter inserts an item immediately after x and returns it, 0 if the list is
// full.
func (l *List) InsertAfter(x uint32) uint32 {
	if l.itemCount+1 >= l.items.Max() {
		return 0
	}
	if l.groups.At(l.items.At(x).group).count == groupSize {
		l.split(l.items.At(x).group)
	}
	at := l.items.At(x)
	if l.gap(at) < 2 {
		l.respread(at.group)
	}
	l.itemCount++
	id := l.itemCount
	n := l.items.At(id)
	offheap.Put32(&n.label, at.label+uint32(min(l.gap(at)/2, labelStride)))
	offheap.Put32(&n.group, at.group)
	n.next, at.next = at.next, id
	l.groups.At(at.group).count++
	if invariants.Enabled {
		l.checkGroup(at.group)
	}
	return id
}

// Before reports whether x is before y in the list; an item is not before itself.
func (l *List) Before(x, y uint32) bool {
	a, b := l.items.At(x), l.items.At(y)
	for {
		version := offheap.Load64(&l.version)
		if version&1 == 0 {
			var before bool
			if g, h := offheap.Load32(&a.group), offheap.Load32(&b.group); g == h {
				before = offheap.Load32(&a.label) < offheap.Load32(&b.label)
			} else {
				before = offheap.Load64(&l.groups.At(g).tag) < offheap.Load64(&l.groups.At(h).tag)
			}
			if offheap.Load64(&l.version) == version {
				return before
			}
		}
		offheap.Yield()
	}
}

// Len is the number of items.
func (l *List) Len() uint32 { return l.itemCount }

// Bytes is the memory in use.
func (l *List) Bytes() uint64 {
	return uint64(l.itemCount)*uint64(unsafe.Sizeof(item{})) + uint64(l.groupCount)*uint64(unsafe.Sizeof(group{}))
}

// gap is the distance of labels from an item to the next in its group, or to the end
// of the space.
func (l *List) gap(at *item) uint64 {
	if at.next == 0 {
		return labelSpace - uint64(at.label)
	}
	return uint64(l.items.At(at.next).label) - uint64(at.label)
}

// respread makes the labels of a group equally far apart.
func (l *List) respread(g uint32) {
	offheap.Add64(&l.version, 1)
	gr := l.groups.At(g)
	l.spread(g, gr.first, gr.count)
	offheap.Add64(&l.version, 1)
}

// spread makes the n items from x on the items of group g, with labels equally far
// apart, and returns the last of them.
func (l *List) spread(g, x, n uint32) (last *item) {
	distance := uint32(labelSpace / (uint64(n) + 1))
	label := uint32(0)
	for range n {
		last = l.items.At(x)
		offheap.Put32(&last.group, g)
		offheap.Put32(&last.label, label)
		label += distance
		x = last.next
	}
	return last
}

// split moves the second half of a full group to a new one after it.
func (l *List) split(g uint32) {
	offheap.Add64(&l.version, 1)
	id := l.insertGroup(g)
	gr, half := l.groups.At(g), l.groups.At(id)
	gr.count, half.count = groupSize/2, groupSize/2
	last := l.spread(g, gr.first, groupSize/2)
	half.first, last.next = last.next, 0
	l.spread(id, half.first, groupSize/2)
	offheap.Add64(&l.version, 1)
}

// insertGroup makes an empty group after g.
func (l *List) insertGroup(g uint32) uint32 {
	gr := l.groups.At(g)
	if l.tagGap(gr) < 2 {
		l.spreadTags(g)
	}
	id := l.groupCount
	l.groupCount++
	n := l.groups.At(id)
	offheap.Store64(&n.tag, gr.tag+min(l.tagGap(gr)/2, tagStride))
	n.prev, n.next = g, gr.next
	if gr.next != 0 {
		l.groups.At(gr.next).prev = id
	}
	gr.next = id
	return id
}

func (l *List) tagGap(gr *group) uint64 {
	if gr.next == 0 {
		return 1<<tagBits - gr.tag
	}
	return l.groups.At(gr.next).tag - gr.tag
}

// spreadTags makes the tags around g's equally far apart, in the smallest aligned
// range of 2^i tags that has at most (10/7)^i groups. The whole space has room for
// so many groups that there is one.
func (l *List) spreadTags(g uint32) {
	tag := l.groups.At(g).tag
	first, last, count := g, g, uint64(1)
	most := uint64(1 << 16) // 2^16 times (10/7)^i
	for i := 1; i <= tagBits; i++ {
		most = most * 10 / 7
		low := tag &^ (1<<i - 1)
		for first != 0 && l.groups.At(l.groups.At(first).prev).tag >= low {
			first = l.groups.At(first).prev
			count++
		}
		for next := l.groups.At(last).next; next != 0 && l.groups.At(next).tag-low < 1<<i; next = l.groups.At(last).next {
			last = next
			count++
		}
		if i < 3 || count<<16 > most { // below 3 a range with so many is full
			continue
		}
		distance := uint64(1) << i / count
		for at, x := low, first; ; at, x = at+distance, l.groups.At(x).next {
			offheap.Store64(&l.groups.At(x).tag, at)
			if x == last {
				return
			}
		}
	}
	invariants.Assert(false, "omlist: there are more groups than tags")
}

// checkGroup panics unless the group and its neighbours are in order.
func (l *List) checkGroup(g uint32) {
	gr := l.groups.At(g)
	n, x := uint32(1), gr.first
	for ; l.items.At(x).next != 0; n++ {
		it := l.items.At(x)
		invariants.Assert(it.group == g && it.label < l.items.At(it.next).label, "omlist: labels of a group are out of order")
		x = it.next
	}
	invariants.Assert(n == gr.count && n <= groupSize, "omlist: a group has another number of items than it counts")
	invariants.Assert(g == 0 || l.groups.At(gr.prev).tag < gr.tag, "omlist: tags are out of order")
	invariants.Assert(gr.next == 0 || l.groups.At(gr.next).tag > gr.tag, "omlist: tags are out of order")
}
