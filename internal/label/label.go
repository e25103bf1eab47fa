// Package label orders the strands of series-parallel programs by immutable labels
// that share their prefixes.
//
// The label of a strand is a list of components, one for each level that it is in:
// the task, the sync blocks and finishes that the task has open, and the levels of
// the task's ancestors around its fork. A level is a sequence of strands; off one of
// them, children may hang, which are parallel to all that comes later in the level,
// and scopes, which come wholly after the strand that opens them and before the
// level's next. A join is the end of a scope: what was forked inside is in levels
// under it. Nothing marks the end, so that a label never changes once it is there.
//
// Labels with a common prefix share it: what is stored is a tree of levels, each with
// the strand of the level above that it hangs off. A label is a level and a strand
// number, its length the depth of the level. Two labels are compared at their first
// different component, which is found by jump pointers (Myers, "An applicative
// random-access stack", 1983). The scheme is that of dag depth and fork path
// (Westrick, Wang, Acar, "DePa", 2022) with components for words and a tree for
// vectors.
//
// Costs: a new level O(1) and 16 bytes, a strand 4 bytes of its user's, a comparison
// O(1) within a level and between children of one level, else O(log depth).
package label

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// Forest is a set of trees of levels. Levels are numbered from 1; 0 is none. One
// goroutine at a time may add levels. Any number may compare meanwhile: whoever asks
// about a level must have learned of it through something that orders memory.
// Strands are numbered by the caller, within a level in order of creation, from 1.
type Forest struct {
	levels offheap.Table[level]
	count  uint32
}

// level is immutable.
type level struct {
	outer uint32 // 0 for the root of a tree
	at    uint32 // the strand of outer that it hangs off
	depth uint32 // twice the number of levels above, plus 1 for a child
	jump  uint32 // a level above, itself for a root
}

func (l *level) isChild() bool { return l.depth&1 != 0 }
func (l *level) above() uint32 { return l.depth / 2 }

// maxDepth keeps twice a depth in a word.
const maxDepth = 1<<31 - 1

// Init makes room for max levels, at most 2^31-1.
func (f *Forest) Init(max uint32) {
	f.levels.Init(min(max, maxDepth) + 1)
	f.count = 0
}

// Room reports whether n more levels can be added.
func (f *Forest) Room(n uint32) bool { return uint64(f.count)+uint64(n) < uint64(f.levels.Max()) }

// Levels is the number of levels.
func (f *Forest) Levels() uint32 { return f.count }

// Bytes is the memory in use.
func (f *Forest) Bytes() uint64 { return uint64(f.count) * uint64(unsafe.Sizeof(level{})) }

// Root adds a tree and returns its root level. There must be room, as for Child and
// Scope.
func (f *Forest) Root() uint32 {
	f.count++
	*f.levels.At(f.count) = level{jump: f.count}
	return f.count
}

// Child adds a level that begins after strand at of level outer and is parallel to
// what comes later in outer.
func (f *Forest) Child(outer, at uint32) uint32 { return f.add(outer, at, 1) }

// Scope adds a level that begins after strand at of level outer and ends before what
// comes later in outer.
func (f *Forest) Scope(outer, at uint32) uint32 { return f.add(outer, at, 0) }

func (f *Forest) add(outer, at, child uint32) uint32 {
	f.count++
	o := f.levels.At(outer)
	jump := outer
	if j := f.levels.At(o.jump); o.above()-j.above() == j.above()-f.levels.At(j.jump).above() {
		jump = j.jump
	}
	*f.levels.At(f.count) = level{outer: outer, at: at, depth: 2*(o.above()+1) + child, jump: jump}
	return f.count
}

// Outer is the level that l hangs in, 0 for the root of a tree.
func (f *Forest) Outer(l uint32) uint32 { return f.levels.At(l).outer }

// Depth is the number of levels around l.
func (f *Forest) Depth(l uint32) uint32 { return f.levels.At(l).above() }

// Meeting is where two strands of a tree stand in the innermost level that both are
// in.
type Meeting struct {
	Level uint32
	u, v  component
}

// component is a strand's place in a level: the strand itself, or what hangs off a
// strand of the level and has the strand in it.
type component struct {
	strand uint32
	hangs  bool
	child  bool
}

// Meet compares the labels of two strands, each given by its level and number. Both
// must be of one tree.
func (f *Forest) Meet(ul, u, vl, v uint32) Meeting {
	common, x, y := f.relate(ul, vl)
	return Meeting{Level: common, u: f.component(x, u), v: f.component(y, v)}
}

// component is that of a strand in the level that x hangs in, or in its own when x
// is 0.
func (f *Forest) component(x, strand uint32) component {
	if x == 0 {
		return component{strand: strand}
	}
	l := f.levels.At(x)
	return component{strand: l.at, hangs: true, child: l.isChild()}
}

// Precedes reports whether the first strand precedes the second or is it.
func (m Meeting) Precedes() bool {
	switch {
	case m.u.child:
		return false
	case m.u.hangs:
		return m.u.strand < m.v.strand
	}
	return m.u.strand <= m.v.strand
}

// English reports whether the first strand is before the second in the order in which
// a child comes before what is parallel to it in the level that it hangs in. The
// order is total and includes Precedes.
func (m Meeting) English() bool {
	if m.u.strand != m.v.strand {
		return m.u.strand < m.v.strand
	}
	return !m.u.hangs && m.v.hangs
}

// relate finds the innermost level around both of two of one tree, and in it the
// levels x towards a and y towards b, 0 where that is the common one itself.
func (f *Forest) relate(a, b uint32) (common, x, y uint32) {
	if a == b {
		return a, 0, 0
	}
	al, bl := f.levels.At(a), f.levels.At(b)
	if al.outer == bl.outer {
		return al.outer, a, b
	}
	if al.above() > bl.above() {
		a = f.lift(a, bl.above()+1)
		if al = f.levels.At(a); al.outer == b {
			return b, a, 0
		}
		a = al.outer
	} else if bl.above() > al.above() {
		b = f.lift(b, al.above()+1)
		if bl = f.levels.At(b); bl.outer == a {
			return a, 0, b
		}
		b = bl.outer
	}
	for {
		al, bl = f.levels.At(a), f.levels.At(b)
		switch {
		case al.outer == bl.outer:
			return al.outer, a, b
		case al.jump != bl.jump:
			a, b = al.jump, bl.jump
		default:
			a, b = al.outer, bl.outer
		}
	}
}

// lift is the level around l, or l itself, that has so many levels around it.
func (f *Forest) lift(l, depth uint32) uint32 {
	for {
		r := f.levels.At(l)
		if r.above() <= depth {
			return l
		}
		if f.levels.At(r.jump).above() >= depth {
			l = r.jump
		} else {
			l = r.outer
		}
	}
}
