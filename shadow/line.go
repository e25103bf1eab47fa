package shadow

import "math/bits"

// A Line is the word of 64 bytes of memory. Of a line that is not split it says all:
// the bytes of a run, which are those from a first to a last one by steps of 1, 2, 4 or
// 8, have one state, remembered last in one context, and the others have none.
// Elements of 4 or 8 bytes that are accessed in loops may have one of two states, or none, in
// any order: then it has a pair. Anything else splits a line, for as long as its memory lives: then it has a group of
// cells, and they count.
//
// From the lowest bit: 24 of the state, 6 each for the first byte and for how far the
// last one is from it, 3 for the step less one, 23 of the context, whether it has a pair (see
// pair.go), and whether it is split: then the rest is the address of the group. No state
// means no bytes.
type Line uint64

const (
	// LineFirst, LineLength and LineStep are where these parts are.
	LineFirst  = 24
	LineLength = 30
	LineStep   = 36

	// LineSplit is the bit that says that a line is split: the rest is the address of its cells.
	LineSplit = 63

	// LinePair is the bit that says that a line has a pair.
	LinePair = 62

	// LineShift is log2 of the bytes that a line is about.
	LineShift = 6

	// RunShift is how many bits a line has above those of its Run.
	RunShift = 64 - lineContext

	lineContext  = 39
	lineContexts = 1 << 23 // contexts beyond do not fit
	lineSplit    = Line(1) << LineSplit

	lineBytes = 1 << LineShift
)

// IsSplit reports whether it is cells that say what there is to say.
//
//go:nosplit
func (l Line) IsSplit() bool { return l&lineSplit != 0 }

// A Run is all that a line says that is not split and has no pair, but for the context, in
// the upper bits.
type Run uint64

// Run returns the run of a line that is one.
//
//go:nosplit
func (l Line) Run() Run { return Run(l << RunShift) }

// State is the state of its bytes.
//
//go:nosplit
func (r Run) State() State { return State(r>>RunShift) & (MaxStates - 1) }

//go:nosplit
func (l Line) state() State { return State(l & (MaxStates - 1)) }

//go:nosplit
func (l Line) context() uint32 { return uint32(l>>lineContext) & (lineContexts - 1) }

// At is the state of the byte at addr, of a line that is a run.
//
//go:nosplit
func (l Line) At(addr uintptr) State {
	from := (uint64(addr) - uint64(l>>LineFirst)) % lineBytes
	if from > uint64(l>>LineLength)%lineBytes || from&uint64(l>>LineStep)&7 != 0 {
		return 0
	}
	return l.state()
}

// Of is the state that bytes of a line have; false if it is no run, or they have not all one.
//
//go:nosplit
func (l Line) Of(bytes uint64) (State, bool) {
	if !l.IsRun() {
		return 0, false
	}
	switch all := l.bytes(); {
	case bytes&all == 0:
		return 0, true
	case bytes&^all != 0:
		return 0, false
	}
	return l.state(), true
}

// InLine is which bytes of the line of addr are elements from there up to end, stride bytes
// apart, and where the next one begins.
//
//go:nosplit
func InLine(addr, end, stride uintptr) (bytes uint64, next uintptr) {
	if stride > 8 || stride&(stride-1) != 0 {
		return 1 << (addr % lineBytes), addr + stride
	}
	bytes = steps[stride-1] << (addr % lineBytes)
	stop := addr&^(lineBytes-1) + lineBytes
	if end < stop {
		return bytes & (1<<(end%lineBytes) - 1), end
	}
	return bytes, stop + addr%stride
}

// bytes is the bytes of the run.
//
//go:nosplit
func (l Line) bytes() uint64 {
	if l.state() == 0 {
		return 0
	}
	return steps[l>>LineStep&7] & (2<<(l>>LineLength%lineBytes) - 1) << (l >> LineFirst % lineBytes)
}

// steps is bytes from 0 on, by steps of one more than the index.
var steps = [8]uint64{0: ^uint64(0), 1: 0x5555555555555555, 3: 0x1111111111111111, 7: 0x0101010101010101}

// Cell is the cell of the granule of addr, of a line that is split.
//
//go:nosplit
func (l Line) Cell(addr uintptr) *Cell { return &l.group()[addr/8%(lineBytes/8)] }

// newLine returns the line in which bytes have state s; false if they are no run, or the
// context is too large.
//
//go:nosplit
func newLine(bytes uint64, s State, context uint32) (Line, bool) {
	if bytes == 0 {
		return 0, true
	}
	first := uint64(bits.TrailingZeros64(bytes))
	length := 63 - uint64(bits.LeadingZeros64(bytes)) - first
	less := uint64(7)
	if length > 0 {
		less = uint64(bits.TrailingZeros64(bytes>>first&^1)) - 1
	}
	if less > 7 || steps[less]&(2<<length-1) != bytes>>first || context >= lineContexts {
		return 0, false
	}
	return Line(s) | Line(first)<<LineFirst | Line(length)<<LineLength | Line(less)<<LineStep | Line(context)<<lineContext, true
}

// with returns the line after bytes took state s, which is not 0, in context; false if
// it is to be split for that.
//
//go:nosplit
func (l Line) with(bytes uint64, s State, context uint32) (Line, bool) {
	rest := l.bytes() &^ bytes
	if rest != 0 && (l.state() != s || l.context() != context) {
		return 0, false
	}
	return newLine(rest|bytes, s, context)
}

// take is with for one byte that is not in state s; 0 if the line is to be split for
// that, or just may be.
//
//go:nosplit
func (l Line) take(addr uintptr, s State, context uint32) Line {
	if context >= lineContexts {
		return 0
	}
	at, length := uint64(addr)%lineBytes, uint64(l>>LineLength)%lineBytes
	fresh := Line(s) | Line(context)<<lineContext
	if l == 0 || length == 0 && at == uint64(l>>LineFirst)%lineBytes {
		return fresh | Line(at)<<LineFirst | 7<<LineStep
	}
	const same = Line(MaxStates-1) | (lineContexts-1)<<lineContext
	if (l^fresh)&same != 0 {
		return 0
	}
	first, less := uint64(l>>LineFirst)%lineBytes, uint64(l>>LineStep)&7
	d := at - first - length // from the last byte
	if at < first {
		d, first = first-at, at
	}
	if length == 0 {
		less = d - 1
	}
	if d != less+1 || d > 8 || d&less != 0 {
		return 0
	}
	return fresh | Line(first)<<LineFirst | Line(length+d)<<LineLength | Line(less)<<LineStep
}

// inLine makes the access to bytes of the line of address p, which had the word l and
// was not split. false means that it must be looked at again; it is split if need be.
func (s *step) inLine(p uintptr, l Line, bytes uint64) bool {
	if l == s.sameLine && bytes == s.sameBytes {
		return true
	}
	if l.isRolled() {
		return s.inRoll(p, l, bytes)
	}
	next, ok := s.lineAfter(p, l, bytes)
	if !ok {
		if !s.rolls(p, l, bytes) {
			s.window.split(p, l)
		}
		return false
	}
	if next == l {
		s.sameLine, s.sameBytes = l, bytes
		return true
	}
	return s.window.exchange(p, l, next)
}

// lineAfter returns the line after the access to bytes; false if it is to be split.
func (s *step) lineAfter(p uintptr, l Line, bytes uint64) (Line, bool) {
	s.cell, s.base = nil, p&^(lineBytes-1)
	if next, ok := s.runAfter(l, bytes); ok {
		return next, true
	}
	t := &s.history.pairs
	before, after := t.parts(l), parts{}
	changed, ok := false, true
	for _, q := range before.all[:before.n] {
		old := bytes & q.bytes
		n := q.state
		if old != 0 {
			s.latest = q.context
			n = s.next(q.state, bits.TrailingZeros64(old))
		}
		if n == q.state {
			ok = after.add(q.bytes, q.state, q.context) && ok
			continue
		}
		changed = true
		ok = after.add(q.bytes&^old, q.state, q.context) && after.add(old, n, s.access.Context) && ok
	}
	if fresh := bytes &^ before.bytes(); fresh != 0 {
		s.latest = 0
		if n := s.next(0, bits.TrailingZeros64(fresh)); n != 0 {
			changed = true
			ok = after.add(fresh, n, s.access.Context) && ok
		}
	}
	if !changed {
		return l, true
	}
	if !ok {
		return 0, false
	}
	return t.line(&after, s.ranges != nil)
}

// runAfter is lineAfter where all bytes are in one state before and after, as most are; false
// if they are not, or something else about the line changes. What it asked is remembered.
func (s *step) runAfter(l Line, bytes uint64) (Line, bool) {
	if l.isPair() {
		return 0, false
	}
	old, all := l.state(), l.bytes()
	s.latest = l.context()
	if bytes&all == 0 {
		old, s.latest = 0, 0
	} else if bytes&^all != 0 {
		return 0, false
	}
	switch n := s.next(old, bits.TrailingZeros64(bytes)); {
	case n == old:
		return l, true
	case all&^bytes == 0:
		return newLine(bytes, n, s.access.Context)
	}
	return 0, false
}

// wholeLine is inLine for what a range or a row of elements accesses; what came up
// lately is known.
func (s *step) wholeLine(p uintptr, l Line, bytes uint64) bool {
	if l == s.sameLine && bytes == s.sameBytes {
		return true
	}
	if l.isRolled() {
		return s.inRoll(p, l, bytes)
	}
	if next := s.pairAfter(l, bytes); next != 0 {
		s.moved = s.moved || next != l
		return next == l || s.window.exchange(p, l, next)
	}
	e := s.ranges.line(l, bytes)
	if e.before != l || e.bytes != bytes || e.context != s.access.Context {
		next, ok := s.lineAfter(p, l, bytes)
		if !ok {
			s.window.split(p, l)
			return false
		}
		if s.full {
			return next == l || s.window.exchange(p, l, next)
		}
		*e = lineMove{l, next, bytes, s.access.Context, e.age}
		s.learnPair(l, next, bytes)
	}
	if e.after == l {
		s.sameLine, s.sameBytes = l, bytes
		return true
	}
	s.moved = true
	return s.window.exchange(p, l, e.after)
}
