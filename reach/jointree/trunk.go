package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// A front that would be long is in two sorted parts: a trunk, which is a plain
// front that it shares with others, and a delta of a few strands. Who learns a
// front that includes its own takes over the trunk and copies the delta only.
//
// Which front includes which is told by versions. Fronts that arise from one
// another are numbered along a line; only the first front made from another
// continues its line. So who knows what a front of a line says knows what all
// those with lower numbers say, and a few such numbers, of its own line and of
// others, are the claims of a front. A claim is about a front together with
// the strand it belongs to: what that strand implied was left out of the
// front, and the release that handed the front on is an element of the next.
//
// Where many tasks learn from one release and go on by turns, each begins a line, and
// there are soon more lines than claims. So a front also has a tip: a strand that all of its
// strands are or precede, mostly the release that it was learned from. Who comes after the
// tip of a front, or of its trunk, knows what that says.

// trunks are most of the trunks that were gone through lately. Those who took one lock learned
// from each other and share trunks, of which each is as long as they are many, and they end in
// another order: to go through a trunk for each of them would take the square of their number.
type trunks [64]uint32

// meets reports whether a trunk, not 0, is among t, which may be nil, and adds it.
func (t *trunks) meets(trunk uint32) bool {
	if t == nil {
		return false
	}
	at := &t[trunk*0x9e3779b1>>26]
	met := *at == trunk
	*at = trunk
	return met
}

// maxDelta makes the block of a front with a full delta fill its class.
const maxDelta = 63 - trunkWords

// deltaFor is how long the delta on a trunk of n strands may be: some square root of n, so
// that copying deltas and, when they are full, making trunks costs about the same.
func (e *Engine) deltaFor(n uint32) uint32 {
	most := e.maxDelta
	for most*most < n {
		most *= 2
	}
	return most
}

// A block whose header has the flag headerTrunk begins with these words; the
// rest is the delta.
const (
	trunkWord    = iota // the block of the trunk
	originWord          // version of the front that the trunk was made for
	tipWord             // the tip, 0 if it is not known
	trunkTipWord        // that of the trunk
	claimWord           // own version, then others of other lines; 0 for none
	trunkWords   = 8
)

// version is line<<32 | number<<1; 0 is none. In the first claim of a front,
// bit 0 is set when the line goes on: atomic.
type version uint64

const continued = 1

// includes reports whether v is on the same line as w and not before it.
func (v version) includes(w version) bool {
	return w != 0 && v>>32 == w>>32 && v >= w
}

// trunk is the trunk of front f, 0 if it has none; f may be 0.
func (e *Engine) trunk(f uint32) uint32 {
	if f == 0 || *e.blocks.words.At(f)&headerTrunk == 0 {
		return 0
	}
	return uint32(*e.blocks.words.At(f + 1 + trunkWord))
}

func (e *Engine) origin(f uint32) version {
	return version(*e.blocks.words.At(f + 1 + originWord))
}

// tip is the tip of front f and trunkTip that of its trunk; 0 if there is none.
func (e *Engine) tip(f uint32) reach.Strand {
	if e.trunk(f) == 0 {
		return 0
	}
	return reach.Strand(*e.blocks.words.At(f + 1 + tipWord))
}

func (e *Engine) trunkTip(f uint32) reach.Strand {
	if e.trunk(f) == 0 {
		return 0
	}
	return reach.Strand(*e.blocks.words.At(f + 1 + trunkTipWord))
}

// knownTo reports whether u, 0 for none, precedes h or is it; an h without a task is what a
// front says alone.
func (e *Engine) knownTo(u reach.Strand, h Handle) bool {
	switch {
	case u == 0:
		return false
	case h.Task != 0:
		return e.PrecedesStrand(u, h)
	}
	return e.inFront(h.Front, uint32(u.Task()), u.Index())
}

// topOf is which of top, which may have no task, and h knows more, by the lengths of their
// fronts: who was late with a release knows little of what others have released before.
func (e *Engine) topOf(top, h Handle) Handle {
	if h.Front == 0 || top.Task != 0 && e.size(h.Front) <= e.size(top.Front) {
		return top
	}
	return h
}

// knownToTop is knownTo for a top, which may have no task.
func (e *Engine) knownToTop(u reach.Strand, top Handle) bool {
	return top.Task != 0 && e.knownTo(u, top)
}

// parts are the two sorted lists that front f, which may be 0, consists of.
func (e *Engine) parts(f uint32) (trunk, delta []reach.Strand) {
	if f == 0 {
		return nil, nil
	}
	if t := e.trunk(f); t != 0 {
		trunk = e.elements(t)
	}
	return trunk, e.elements(f)
}

// size is the number of strands in front f, which is not 0.
func (e *Engine) size(f uint32) uint32 {
	trunk, delta := e.parts(f)
	return uint32(len(trunk) + len(delta))
}

// claims reports whether whoever has front f, which may be 0, knows what the
// fronts up to version v say.
func (e *Engine) claims(f uint32, v version) bool {
	if v == 0 || e.trunk(f) == 0 {
		return false
	}
	for k := f + 1 + claimWord; k < f+1+trunkWords; k++ {
		if version(offheap.Load64(e.blocks.words.At(k)) &^ continued).includes(v) {
			return true
		}
	}
	return false
}

// ownVersion is the version of front f, 0 if it has no trunk.
func (e *Engine) ownVersion(f uint32) version {
	if e.trunk(f) == 0 {
		return 0
	}
	return version(offheap.Load64(e.blocks.words.At(f+1+claimWord)) &^ continued)
}

// includes reports whether h knows what front f says.
func (e *Engine) includes(h Handle, f uint32) bool {
	return e.claims(h.Front, e.ownVersion(f)) || e.knownTo(e.tip(f), h)
}

// includesTrunk reports whether h knows what the trunk of f, which has one, says.
func (e *Engine) includesTrunk(h Handle, f uint32) bool {
	return e.trunk(h.Front) == e.trunk(f) || e.claims(h.Front, e.origin(f)) || e.knownTo(e.trunkTip(f), h)
}

// continueLine returns the version of a front that includes f: the next on f's
// line unless that is taken.
func (e *Engine) continueLine(f uint32) version {
	if e.trunk(f) == 0 {
		return 0
	}
	w := e.blocks.words.At(f + 1 + claimWord)
	own := offheap.Load64(w)
	if own == 0 || own&continued != 0 || uint32(own) >= ^uint32(0)-1 || !offheap.CAS64(w, own, own|continued) {
		return 0
	}
	return version(own) + 2
}

// newLine returns the first version of a new line, 0 when there are no more.
func (e *Engine) newLine() version {
	if offheap.Load32(&e.lines) > 1<<31 {
		return 0
	}
	return version(offheap.Add32(&e.lines, 1)) << 32
}

// claim makes v a claim of front f, which is not published yet, if there is
// room.
func (e *Engine) claim(f uint32, v version) {
	for k := f + 1 + claimWord; v != 0 && k < f+1+trunkWords; k++ {
		w := e.blocks.words.At(k)
		old := version(*w)
		if old == 0 || v.includes(old) {
			*w = uint64(v)
			return
		}
		if old.includes(v) {
			return
		}
	}
}

// claimTrunks claims for the new front to what the trunks of a and b were made
// for: that is what helps most to recognise an older front.
func (e *Engine) claimTrunks(to, a, b uint32) {
	if e.trunk(a) != 0 {
		e.claim(to, e.origin(a))
	}
	if e.trunk(b) != 0 {
		e.claim(to, e.origin(b))
	}
}

// claimAll makes the claims of front f claims of the new front to.
func (e *Engine) claimAll(to, f uint32) {
	if e.trunk(f) == 0 {
		return
	}
	for k := f + 1 + claimWord; k < f+1+trunkWords; k++ {
		e.claim(to, version(offheap.Load64(e.blocks.words.At(k))&^continued))
	}
}

// grow stores trunk and delta as a front that includes the fronts a and b,
// either of which may be 0. It goes on with the line of b, where others will
// look for it, rather than with that of a. It is not ok when there is no room.
// The trunk is that of front like, or new if that is 0; then delta is empty.
func (e *Engine) grow(trunk, like uint32, delta []reach.Strand, tip reach.Strand, a, b uint32) (front uint32, ok bool) {
	f := e.blocks.alloc(trunkWords + uint32(len(delta)))
	if f == 0 {
		return 0, false
	}
	*e.blocks.words.At(f) |= headerTrunk
	own := e.continueLine(b)
	if own == 0 {
		own = e.continueLine(a)
	}
	if own == 0 {
		own = e.newLine()
	}
	origin, trunkTip := own, tip
	if like != 0 {
		origin, trunkTip = e.origin(like), e.trunkTip(like)
	}
	for k := f + 1; k < f+1+trunkWords; k++ {
		*e.blocks.words.At(k) = 0
	}
	*e.blocks.words.At(f + 1 + trunkWord) = uint64(trunk)
	*e.blocks.words.At(f + 1 + originWord) = uint64(origin)
	*e.blocks.words.At(f + 1 + tipWord) = uint64(tip)
	*e.blocks.words.At(f + 1 + trunkTipWord) = uint64(trunkTip)
	e.claim(f, own)
	e.claimTrunks(f, a, b)
	e.claimAll(f, b)
	e.claimAll(f, a)
	copy(e.elements(f), delta)
	return f, true
}

// newFront stores the strands of s from lo on as a front with the given tip that includes
// the fronts a and b: a itself if it says the same, 0 if there are none. It is not
// ok when there is no room.
func (e *Engine) newFront(s *scratch, lo uint32, tip reach.Strand, a, b uint32) (front uint32, ok bool) {
	if lo == s.n {
		return 0, true
	}
	list := unsafe.Slice(s.list.At(lo), s.n-lo)
	if trunk, delta := e.parts(a); trunk == nil && equal(list, delta) || len(delta) == 0 && equal(list, trunk) {
		return a, true
	}
	f := e.blocks.alloc(s.n - lo)
	if f == 0 {
		return 0, false
	}
	copy(e.elements(f), list)
	if uint32(len(list)) <= e.maxDelta {
		return f, true
	}
	return e.grow(f, 0, nil, tip, a, b)
}

// checkTrunk asserts that front f, whose delta is in order, is well formed.
func (e *Engine) checkTrunk(f uint32) {
	t := e.trunk(f)
	invariants.Assert(e.trunk(t) == 0 && e.blocks.length(t) > 0, "jointree: the trunk of a front has a trunk or nothing")
	e.checkFront(t)
}
