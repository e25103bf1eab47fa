package detect

import (
	"unsafe"

	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

const (
	knownSize = 256 // remembered states per kind, a power of two
	movesSize = 256 // remembered transitions, a power of two
	moveWays  = 4   // places of each, a power of two

	seatsSize = 8   // remembered seats, a power of two
	spotsSize = 128 // remembered spots, a power of two
)

// Proc is one thread's context: memos that let most accesses end without a look
// at the history, the counters, and the flag that says the thread is inside the
// detector. One thread at a time uses it.
//
// A memo names its strand. The history that it leads to has an access by that
// strand, which is thereby remembered as long as the memo is.
type Proc struct {
	inside   uint32 // set between Enter and Leave
	leaves   uint32
	kept     bool // a collection kept the memos
	detector uintptr

	Accesses [2]uint64 // reads, writes of memory that is looked after; see Local too
	Checked  uint64    // accesses that came to the history

	Mixed uint64 // pairs that Unordered of the host was told of

	query query    // the access being made
	turns [2]query // of which it is one, where two are made by turns
	Walk  callstack.Walk

	// Elsewhere says that the call path looked for last was not the remembered one; the
	// host's.
	Elsewhere bool

	// Uncounted says that the access being made is in a frame that nothing tells from the next
	// one at its place, see Local.Enters: no shortcut for it is remembered that needs the call
	// path. It is the host's.
	Uncounted bool

	activations [activationsSize]activation

	known [2]facts // for reads, for writes
	moves [movesSize]move

	ranges shadow.RangeMemo

	answers [2]answers // about all edges, about the certain ones

	seats [seatsSize]seat

	spots [spotsSize]spot
}

// spot is what the history is told of accesses at an instruction, by one call path, whoever makes
// them.
type spot struct {
	at                   uintptr
	context, place, site uint32
}

// spot is where that of the instruction is, if it is known.
//
//go:nosplit
func (p *Proc) spot(at uintptr) *spot { return &p.spots[at*0x9E3779B97F4A7C15>>40%spotsSize] }

// seat is what the reads of a strand at one instruction, by one call path, are in audiences.
type seat struct {
	strand          reach.Strand
	at              uintptr
	context, reader uint32
}

//go:nosplit
func (s *seat) is(u reach.Strand, at uintptr, context uint32) bool {
	return s.at == at && s.strand == u && s.context == context
}

// seat is where that of the instruction and call path is, if it is known.
//
//go:nosplit
func (p *Proc) seat(at uintptr, context uint32) *seat {
	return &p.seats[(at^uintptr(context)*7)%seatsSize]
}

// Where a fast path in assembly finds what Known looks at.
const (
	ProcKnown    = unsafe.Offsetof(Proc{}.known)
	KnownSize    = knownSize
	FactsStrands = unsafe.Offsetof(facts{}.strands)
	FactsStates  = unsafe.Offsetof(facts{}.states)
	FactsRuns    = unsafe.Offsetof(facts{}.runs)
	FactsBytes   = unsafe.Offsetof(facts{}.bytes)
	FactsSize    = unsafe.Sizeof(facts{})
)

// Where one finds what Repeat looks at.
const (
	ProcMoves  = unsafe.Offsetof(Proc{}.moves)
	MovesSize  = movesSize
	MoveBytes  = unsafe.Sizeof(move{})
	MoveStrand = unsafe.Offsetof(move{}.strand)
	MoveAt     = unsafe.Offsetof(move{}.at)
	MoveStates = unsafe.Offsetof(move{}.Move)
	MoveCounts = unsafe.Offsetof(move{}.counts)
)

// facts are states that an access by a strand leaves as they are, and of each a run of a
// line in that state and bytes that were found to be in it. Arrays, for the sake of the
// addressing modes of the fast path.
type facts struct {
	strands [knownSize]reach.Strand
	states  [knownSize]shadow.State
	runs    [knownSize]shadow.Run
	bytes   [knownSize]uint64
}

// move is one remembered transition of a location by a plain access at one
// instruction, and the one race that it is, if any.
type move struct {
	strand reach.Strand
	at     uintptr // the instruction and the kind of access, see AccessAt
	shadow.Move
	counts uintptr // a *record.Entry or 0
}

// AccessAt is one word for an instruction and what it does (kind as in Known): no
// address has the top bit.
//
//go:nosplit
func AccessAt(pc, kind uintptr) uintptr { return pc | kind<<63 }

// Enter lets the thread into the detector, waiting out a collection. p may be
// nil for a thread that has none.
func (d *Detector) Enter(p *Proc) {
	for {
		if p != nil && d.fences {
			offheap.Release32(&p.inside, 1)
		} else if p != nil {
			offheap.Swap32(&p.inside, 1)
		} else {
			offheap.Add32(&d.others, 1)
		}
		if offheap.Load32(&d.stop) == 0 {
			return
		}
		d.out(p)
		for n := 0; offheap.Load32(&d.stop) != 0; n++ {
			offheap.Wait(n)
		}
	}
}

func (d *Detector) out(p *Proc) {
	if p != nil {
		offheap.Release32(&p.inside, 0)
	} else {
		offheap.Add32(&d.others, ^uint32(0))
	}
}

// Leave ends what Enter began, and collects memory when enough has been used
// since the last time.
func (d *Detector) Leave(p *Proc) {
	// Inside, no sweep changes what due looks at.
	due := false
	if p != nil {
		p.leaves++
		due = p.leaves%checkEvery == 0 && d.due()
	}
	d.out(p)
	if due {
		d.Collect(false)
	}
}

// checkEvery is how often a thread leaves between two looks at how much memory
// is in use; a look costs some 300 loads.
const checkEvery = 1024

// Known reports whether a plain read (kind 0) or write (kind 1) by strand s of a
// location in state st, not 0, is known to change nothing. It is the fast path: a
// dozen instructions, on the program's own stack.
//
//go:nosplit
func (p *Proc) Known(s reach.Strand, kind uintptr, st shadow.State) bool {
	f := &p.known[kind&1]
	return f.states[st%knownSize] == st && f.strands[st%knownSize] == s
}

// KnownInRun reports whether Known said yes of the byte at addr, when its line had the
// same run as l has, and would say so again. So most bytes of lines need not be looked for.
// l is not split and has no pair.
//
//go:nosplit
func (p *Proc) KnownInRun(s reach.Strand, kind uintptr, l shadow.Line, addr uintptr) bool {
	f, run := &p.known[kind&1], l.Run()
	i := run.State() % knownSize
	return f.runs[i] == run && f.strands[i] == s && f.bytes[i]>>(addr%lineBytes)&1 != 0
}

const lineBytes = 1 << shadow.LineShift

// learnInRun lets KnownInRun say of the byte at addr what Known says of its state.
//
//go:nosplit
func (p *Proc) learnInRun(kind uintptr, l shadow.Line, addr uintptr) {
	f, run := &p.known[kind&1], l.Run()
	i := run.State() % knownSize
	if f.runs[i] != run {
		f.runs[i], f.bytes[i] = run, 0
	}
	f.bytes[i] |= 1 << (addr % lineBytes)
}

// Learn lets Known answer yes from now on.
//
//go:nosplit
func (p *Proc) Learn(s reach.Strand, kind uintptr, st shadow.State) {
	p.known[kind&1].set(st%knownSize, s, st)
}

// Unlearn takes back what Learn said of a state.
//
//go:nosplit
func (p *Proc) Unlearn(kind uintptr, st shadow.State) {
	p.known[kind&1].set(st%knownSize, 0, 0)
}

// set changes entry i.
//
//go:nosplit
func (f *facts) set(i shadow.State, s reach.Strand, st shadow.State) {
	f.strands[i], f.states[i], f.bytes[i] = s, st, 0
}

// move returns what the access at (see AccessAt) by strand s makes of a location in
// state before, nil when that is not known.
//
//go:nosplit
func (p *Proc) move(s reach.Strand, before shadow.State, at uintptr) *move {
	i := moveIndex(before, at)
	for k := range uintptr(moveWays) {
		if m := &p.moves[i^k]; m.at == at && m.Before == before && m.strand == s {
			return m
		}
	}
	return nil
}

// moveIndex is the first of the places of a transition: i, i^1 and so on.
//
//go:nosplit
func moveIndex(before shadow.State, at uintptr) uintptr {
	return (uintptr(before)*0x9E3779B97F4A7C15 + at*0xC2B2AE3D27D4EB4F) >> 40 % movesSize
}

// newMove is where the transition that move returned nil for is to be remembered: in the first
// of its places. What the strand has there goes one place on, as far as there are none of another
// strand's.
func (p *Proc) newMove(s reach.Strand, before shadow.State, at uintptr) *move {
	i, last := moveIndex(before, at), uintptr(0)
	for last < moveWays-1 && p.moves[i^last].strand == s {
		last++
	}
	for k := last; k > 0; k-- {
		p.moves[i^k] = p.moves[i^(k-1)]
	}
	return &p.moves[i]
}

// count counts one more occurrence of the race that m is.
//
//go:nosplit
func (m *move) count() { (*record.Entry)(offheap.Pointer(m.counts)).Count() }

// Learned fills the memo of Known after a plain access by strand s.
func (p *Proc) Learned(s reach.Strand, op shadow.Op, out shadow.Outcome) {
	if out.Uniform && !out.Full {
		p.learnBy(s, op, out.After)
	}
}

// learnBy is Learn of a state that an access by the strand led to or changed nothing about.
//
//go:nosplit
func (p *Proc) learnBy(s reach.Strand, op shadow.Op, st shadow.State) {
	p.Learn(s, 0, st)
	if op == shadow.Write {
		p.Learn(s, 1, st)
	}
}

// keepMemos adds the states that the thread may meet by their ids: those that a
// fast path may put into a cell, and those that it knows to be no news. It only looks:
// the thread may be on a fast path.
func (p *Proc) keepMemos(c shadow.Collector) {
	p.ranges.Forget()
	p.answers = [2]answers{} // a task may get the number of another
	p.seats = [seatsSize]seat{}
	p.kept = true
	for i := range p.moves {
		c.Keep(p.moves[i].Before)
		c.Keep(p.moves[i].After)
	}
	for i := range p.known {
		for _, st := range &p.known[i].states {
			c.Keep(st)
		}
	}
}

// forgetOthers forgets the memos of all strands but s, so that the next collection
// need not keep what they name. The thread of p calls it, inside.
func (p *Proc) forgetOthers(s reach.Strand) {
	p.kept = false
	for i := range p.moves {
		if m := &p.moves[i]; m.strand != s {
			*m = move{}
		}
	}
	for i := range p.known {
		f := &p.known[i]
		for j := range f.states {
			if f.strands[j] != s {
				f.set(shadow.State(j), 0, 0)
			}
		}
	}
}

// Counts sums up the hooks reached and the accesses that came to the history.
func (d *Detector) Counts() (reads, writes, checked uint64) {
	for i := uint32(0); i < min(offheap.Load32(&d.nprocs), MaxProcs); i++ {
		p := d.procs.At(i)
		reads, writes, checked = reads+p.Accesses[0], writes+p.Accesses[1], checked+p.Checked
	}
	for t := uint32(1); t <= offheap.Load32(&d.highest); t++ {
		l := d.Local(reach.Task(t))
		reads, writes = reads+l.Accesses[0], writes+l.Accesses[1]
	}
	return reads, writes, checked
}
