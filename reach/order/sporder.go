package order

import (
	"unsafe"

	"github.com/detrace/detrace/internal/label"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/omlist"
	"github.com/detrace/detrace/reach"
)

// spOrder is the order of strands in levels, kept in one of two ways. Each method
// says where new strands go; both ways number levels alike, from 1.
type spOrder struct {
	listed  bool
	strands uint32 // begun
	labels  label.Forest
	lists   lists
}

// lists are the English and the Hebrew order. What stands in them is a strand, or the
// end of an open level, which becomes the strand after it.
//
//	            English        Hebrew
//	fork        u child after  u after child
//	open level  u end          u end
//	step        u after        u after
//
// An item has the same number in both.
type lists struct {
	english, hebrew omlist.List
	items           offheap.Table[uint32] // by strand
	ends            offheap.Table[end]    // by level
	levels          uint32
}

type end struct{ outer, item uint32 }

// init returns the root level, which has strand reach.Root.
func (o *spOrder) init(maxStrands, maxLevels uint32) uint32 {
	if !o.listed {
		o.labels.Init(maxLevels)
		return o.labels.Root()
	}
	l := &o.lists
	maxItems := uint32(min(2*uint64(maxStrands)+2, 1<<32-2))
	l.english.Init(maxItems)
	l.hebrew.Init(maxItems)
	l.items.Init(min(maxStrands, 1<<32-2) + 1)
	l.ends.Init(maxLevels + 1)
	l.hebrew.First()
	l.place(reach.Root, l.english.First())
	l.levels = 1
	return 1
}

// room reports whether one more construct can be taken.
func (o *spOrder) room() bool {
	if o.listed {
		return o.lists.levels+2 < o.lists.ends.Max()
	}
	return o.labels.Room(2)
}

func (o *spOrder) levels() uint32 {
	if o.listed {
		return o.lists.levels
	}
	return o.labels.Levels()
}

func (o *spOrder) bytes() uint64 {
	if !o.listed {
		return o.labels.Bytes()
	}
	l := &o.lists
	return l.english.Bytes() + l.hebrew.Bytes() + uint64(o.strands)*uint64(unsafe.Sizeof(uint32(0))) + uint64(l.levels)*uint64(unsafe.Sizeof(end{}))
}

// fork puts the first strand of a child and the strand that goes on behind the strand
// before, and returns the child's level.
func (o *spOrder) fork(level uint32, before, first, after reach.Strand) (child uint32) {
	if !o.listed {
		return o.labels.Child(level, before.Index())
	}
	l := &o.lists
	l.step(before, after)
	l.hebrew.InsertAfter(l.item(after))
	l.place(first, l.english.InsertAfter(l.item(before)))
	l.levels++
	return l.levels
}

// step puts the strand after in the level behind the strand before.
func (o *spOrder) step(level uint32, before, after reach.Strand) {
	if o.listed {
		o.lists.step(before, after)
	}
}

// open returns a new level behind the strand before in its level.
func (o *spOrder) open(outer uint32, before reach.Strand) (level uint32) {
	if !o.listed {
		return o.labels.Scope(outer, before.Index())
	}
	l := &o.lists
	l.levels++
	*l.ends.At(l.levels) = end{outer: outer, item: l.insert(before)}
	return l.levels
}

// end puts the strand after behind everything in the level, and returns the outer one,
// which the strand is in.
func (o *spOrder) end(level uint32, after reach.Strand) (outer uint32) {
	if !o.listed {
		return o.labels.Outer(level)
	}
	x := o.lists.ends.At(level)
	o.lists.place(after, x.item)
	return x.outer
}

// precedes compares two different strands, each given by its level and number.
func (o *spOrder) precedes(ul, u, vl, v uint32) bool {
	if !o.listed {
		return o.labels.Meet(ul, u, vl, v).Precedes()
	}
	l := &o.lists
	x, y := *l.items.At(u), *l.items.At(v)
	return l.english.Before(x, y) && l.hebrew.Before(x, y)
}

func (l *lists) item(s reach.Strand) uint32 { return *l.items.At(s.Index()) }

func (l *lists) place(s reach.Strand, item uint32) { *l.items.At(s.Index()) = item }

// insert makes an item right behind a strand in both lists.
func (l *lists) insert(s reach.Strand) (item uint32) {
	l.hebrew.InsertAfter(l.item(s))
	return l.english.InsertAfter(l.item(s))
}

func (l *lists) step(before, after reach.Strand) { l.place(after, l.insert(before)) }
