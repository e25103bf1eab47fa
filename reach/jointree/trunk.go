package jointree

import (
	"unsafe"

	"github.com/detrace/detrace/internal/invariants"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
)

// A front that would be long is in several sorted lists: a delta of a few strands, and the
// runs of a trunk that it shares with others. Who learns a front that includes its own takes
// over the trunk and copies the delta only. A full delta becomes a run before those of the
// trunk, or is merged with the first of them, and that, when it has grown too long for its
// place, with the next: in each place a run may be growth times as long as in the one before.
// So a strand is copied some times in each place, and trunks share most of their runs.
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
// tip of a front knows what that says. A run keeps the version and the tip of the front that
// it was made for, so that of two fronts only the blocks that neither shares nor knows of the
// other are looked at: those are the first and short ones mostly.

// trunks are most of the runs of trunks that were gone through lately, together with those
// that follow them. Those who took one lock learned from each other and share runs, of which
// some are as long as they are many, and they end in another order: to go through a run for
// each of them would take the square of their number.
type trunks [64]uint32

// meets reports whether a run, not 0, is among t, which may be nil, and adds it.
func (t *trunks) meets(run uint32) bool {
	if t == nil {
		return false
	}
	at := &t[run*0x9e3779b1>>26]
	met := *at == run
	*at = run
	return met
}

const (
	maxPlain = 55              // longer fronts have a trunk
	maxDelta = 31 - trunkWords // makes the block of a front with a full delta fill its class
	growth   = 16              // how many full deltas fit in the first run, and runs in the next
	maxLists = 10              // of a front: more places than all tasks need
)

// A front with a trunk is a block whose header has the flag headerTrunk. It begins with these
// words; the rest is the delta. A run has the flag headerRun, and the first three of the words:
// what they say of it is about it together with the runs that follow, as they were a front once.
const (
	nextWord   = iota // the block of the next run; 0 if a run is the last
	tipWord           // the tip, 0 if it is not known
	claimWord         // own version, then others of other lines; 0 for none
	trunkWords = 6
	runWords   = claimWord + 1
)

// version is line<<32 | number<<1; 0 is none. In the first claim of a front,
// bit 0 is set when the line goes on: atomic.
type version uint64

const continued = 1

// includes reports whether v is on the same line as w and not before it.
func (v version) includes(w version) bool {
	return w != 0 && v>>32 == w>>32 && v >= w
}

// trunk is the first run of the trunk of front f, 0 if it has none; f may be 0.
func (e *Engine) trunk(f uint32) uint32 {
	if f == 0 {
		return 0
	}
	return e.nextRun(f)
}

// nextRun is the run that follows block b, a front or a run, in the lists of a front; 0 if
// that is the last.
func (e *Engine) nextRun(b uint32) uint32 {
	if *e.blocks.words.At(b)&(headerTrunk|headerRun) == 0 {
		return 0
	}
	return uint32(*e.blocks.words.At(b + 1 + nextWord))
}

// hasRun reports whether a run is one of front f, which may be 0.
func (e *Engine) hasRun(f, run uint32) bool {
	for b := e.trunk(f); b != 0; b = e.nextRun(b) {
		if b == run {
			return true
		}
	}
	return false
}

// isLong reports whether block b, which may be 0, is a run or a front with a trunk.
func (e *Engine) isLong(b uint32) bool {
	return b != 0 && *e.blocks.words.At(b)&(headerTrunk|headerRun) != 0
}

// tip is the tip of block b, 0 if there is none.
func (e *Engine) tip(b uint32) reach.Strand {
	if !e.isLong(b) {
		return 0
	}
	return reach.Strand(*e.blocks.words.At(b + 1 + tipWord))
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

// size is the number of strands in front f.
func (e *Engine) size(f uint32) (n uint32) {
	for ; f != 0; f = e.nextRun(f) {
		n += uint32(len(e.elements(f)))
	}
	return n
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

// ownVersion is the version of block b, 0 if it has none.
func (e *Engine) ownVersion(b uint32) version {
	if !e.isLong(b) {
		return 0
	}
	return version(offheap.Load64(e.blocks.words.At(b+1+claimWord)) &^ continued)
}

// includes reports whether h knows what block b, a front or a run, and the runs after it say.
func (e *Engine) includes(h Handle, b uint32) bool {
	return e.hasRun(h.Front, b) || e.claims(h.Front, e.ownVersion(b)) || e.knownTo(e.tip(b), h)
}

// beyond is the first of the blocks of front f that h knows, and the number of strands before it.
func (e *Engine) beyond(h Handle, f uint32) (known, n uint32) {
	for known = f; known != 0 && !e.includes(h, known); known = e.nextRun(known) {
		n += uint32(len(e.elements(known)))
	}
	return known, n
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
	e.claim(to, e.ownVersion(e.trunk(a)))
	e.claim(to, e.ownVersion(e.trunk(b)))
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
func (e *Engine) grow(trunk uint32, delta []reach.Strand, tip reach.Strand, a, b uint32) (front uint32, ok bool) {
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
	for k := f + 1; k < f+1+trunkWords; k++ {
		*e.blocks.words.At(k) = 0
	}
	*e.blocks.words.At(f + 1 + nextWord) = uint64(trunk)
	*e.blocks.words.At(f + 1 + tipWord) = uint64(tip)
	e.claim(f, own)
	e.claimTrunks(f, a, b)
	e.claimAll(f, b)
	e.claimAll(f, a)
	copy(e.elements(f), delta)
	return f, true
}

// newFront stores the strands of s from lo on, before the runs from rest on, which may be 0,
// as a front with the given tip that includes the fronts a and b: a itself if it says the
// same, 0 if there are none. It is not ok when there is no room.
func (e *Engine) newFront(s *scratch, lo, rest uint32, tip reach.Strand, a, b uint32) (front uint32, ok bool) {
	list := unsafe.Slice(s.list.At(lo), s.n-lo)
	switch {
	case rest != 0:
	case len(list) == 0:
		return 0, true
	case e.says(a, list):
		return a, true
	case uint32(len(list)) <= e.maxPlain:
		f := e.blocks.alloc(uint32(len(list)))
		if f != 0 {
			copy(e.elements(f), list)
		}
		return f, f != 0
	}
	if len(list) == 0 {
		return e.grow(rest, nil, tip, a, b)
	}
	run := e.blocks.alloc(runWords + uint32(len(list)))
	if run == 0 {
		return 0, false
	}
	*e.blocks.words.At(run) |= headerRun
	*e.blocks.words.At(run + 1 + nextWord) = uint64(rest)
	copy(e.elements(run), list)
	front, ok = e.grow(run, nil, tip, a, b)
	*e.blocks.words.At(run + 1 + tipWord) = uint64(tip)
	*e.blocks.words.At(run + 1 + claimWord) = uint64(e.ownVersion(front))
	return front, ok
}

// says reports whether front f, which may be 0, has one list, not empty, and that is the given one.
func (e *Engine) says(f uint32, list []reach.Strand) bool {
	if run := e.trunk(f); run != 0 && len(e.elements(f)) == 0 {
		f = run
	}
	return f != 0 && e.nextRun(f) == 0 && equal(e.elements(f), list)
}

// checkTrunk asserts that the trunk of front f is well formed.
func (e *Engine) checkTrunk(f uint32) {
	lists := 1
	for run := e.trunk(f); run != 0; run = e.nextRun(run) {
		lists++
		invariants.Assert(*e.blocks.words.At(run)&(headerTrunk|headerRun) == headerRun, "jointree: a trunk is not of runs")
		invariants.Assert(len(e.elements(run)) > 0, "jointree: an empty run")
		e.checkOrder(e.elements(run))
	}
	invariants.Assert(lists <= maxLists, "jointree: too many runs")
}
