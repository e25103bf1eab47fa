// Package shadow is the access history: for every byte at which an access
// starts, who accessed it and must still be remembered.
//
// It is byte-precise, keyed by start byte as the compiler's own instrumentation
// is: an access to one byte of a word says nothing about its neighbours. It
// lives outside the Go heap and has two homes, like internal/offheap. The
// history does not know who precedes whom: it stores opaque strands and asks
// an [Order].
//
// # Layout
//
// A [Window] maps a range of addresses to one [Line] per 64 bytes. As long as one state,
// reached in one context, describes the bytes of a line that have a history, evenly spaced,
// the line's word of 8 bytes says it all; or that of two such states which the elements have
// that loops accessed (see pair). Otherwise the line is split: it has a group of its own, of
// a [Cell] of 16 bytes per granule of 8, and the word says where that is. Groups lie together
// in the order in which lines were split, so that only those cost memory.
//
// A cell holds up to two (byte mask, state) pairs, or the id of a block with one
// state per byte when three or more states meet in one granule. A state is the
// interned, immutable list of remembered accesses, so most granules need
// nothing beside their cell. Where many concurrent strands read many bytes at random, so that
// each byte would have a state for each of its readers, a byte has an audience instead, which
// grows in place (see [audience]); and as long as nothing but reads comes to the lines of a
// table, these are in a roll, which has a bit for each reader and element (see [roll]). Where ordered strands come back to bytes that share their
// histories with hardly any other, a byte has a journal, which changes in place (see [journal]).
//
// The calling context of an access is not part of a state, or there would be as
// many states as call paths. Line and cell have the context of the access remembered
// last, exactly; a state has one for each of its accesses, exact unless the same
// strand did the same access from the same place through another call path, which
// it notes (see [Mixed]).
//
// # Policy
//
// The reader list of the literature, kept schedule-independent: an access is
// forgotten when a later access of the same source site that conflicts
// with at least as much, and that it precedes in every schedule, replaces it. An ordered access of another site is
// dominated too, and dropping it could hide no racy location, but which pair of
// sites a race is reported with would then depend on the schedule; so a few
// dominated entries per location are kept (see [maxDominated]), but in states that a strand makes by
// ranges when it has made several (see [wordyStates]). Unordered accesses
// are all kept: any number of concurrent readers. So are those that only the schedule
// orders; of a long list the parts under a lock that keeps them apart from an access are
// skipped in one step each, and what a task has made again under the same locks is forgotten when
// it is gone through.
//
// In serial runs a read is not remembered beside the same read, from the same place and
// through the same calls, of a strand of which [Order.Outlasted] says that it stands for
// both.
//
// A read after the same strand's own read or write adds nothing, nor does a
// write after its own write.
package shadow

import "github.com/detrace/detrace/reach"

// Op is the kind of an access.
type Op uint32

// The kinds of access. Two atomic accesses never conflict.
const (
	Read        Op = 1
	Write       Op = 2
	AtomicRead  Op = 3
	AtomicWrite Op = 4
)

// Atomic reports whether op is an atomic operation.
func (op Op) Atomic() bool { return op >= AtomicRead }

// Writes reports whether op may change memory.
func (op Op) Writes() bool { return op == Write || op == AtomicWrite }

// conflicts reports whether two accesses of these kinds race when unordered.
func conflicts(a, b Op) bool {
	return (a.Writes() || b.Writes()) && !(a.Atomic() && b.Atomic())
}

// covers reports whether a conflicts with every kind that b conflicts with.
//
//go:nosplit
func covers(a, b Op) bool {
	return a == b || a == Write || b == AtomicRead
}

// Strand is the history's word for who made an access.
type Strand = reach.Strand

// Access is one remembered access.
type Access struct {
	Strand  Strand
	Place   uint32 // opaque: the instruction, or all of a line that mean the same
	Context uint32 // opaque: the call path to it; 0 unknown, or Mixed
	Site    uint32 // opaque: the source site, for policy only; below 1<<30
	Op      Op
	Locks   uint32 // opaque: what the strand held; a strand holds the same from its first access to its last
	Guard   uint32 // one of these locks, alone, chosen by the history: see Order.Shared
	Since   uint32 // when the strand began or later, but before its first access: see [History.Now]; 0 unknown
	Learned uint32 // one more than the position from which on the strand's task has learned nothing; 0 unknown
	Taught  uint32 // the same by edges that exist in every schedule, or since all is to be told anew; 0 unknown
	Count   uint32 // how many accesses the strand has made, about; 0 unknown
	Brief   bool   // the strands of the task make few accesses each: what they make is hardly shared
	Header  bool   // the byte stands for an object, such as a channel: what is made there is hardly shared
	Loose   bool   // what it makes superfluous need not be forgotten at once, where that takes a question
	Lent    bool   // the Order says so: it said that something is certain which will not be once the memory is given back

	thread uint32 // that makes it, see RangeMemo.thread; 0 unknown
	single bool   // to one byte
}

// Mixed is set in the context of a remembered access of which it is only known that
// its strand came to its place by several call paths. The rest is one of them, with
// the same site. Contexts are below it.
const Mixed = uint32(1) << 31

// Order answers who precedes whom, for the thread that makes an access. Both orders, that of this
// schedule and that of every schedule, are transitive, and a yes stands as long as the strand.
type Order interface {
	// Precedes reports whether u precedes the strand making the access.
	Precedes(u Strand) bool
	// Outlasted reports whether the strand making the access, unless u precedes it, will
	// precede whatever u comes to precede. It may always say no.
	Outlasted(u Strand) bool
	// At says which byte the following calls are about.
	At(addr uintptr)
	// Race is told of every remembered access that conflicts with the
	// access being made and is not ordered before it.
	Race(earlier Access)
	// Certain reports whether u precedes that strand in every schedule. It is only
	// asked about strands of which Precedes said yes.
	Certain(u Strand) bool
	// Luck is told of every remembered access that conflicts with the access being
	// made and is ordered before it, but not in every schedule.
	Luck(earlier Access)
	// Excludes reports whether what is done under these locks cannot happen while the
	// access is made: then it is ordered, and no luck.
	Excludes(locks uint32) bool
	// Shared returns, alone, a lock of the one locks that is among the others too; if there is
	// none, or the others are 0, one of the one locks. Two such guards that differ in bit 0
	// alone are the same lock, held exclusively where the bit is set.
	Shared(locks, others uint32) (guard uint32, shared bool)
	// Unordered is told of atomic accesses of which one writes, that are not ordered
	// in every schedule: no race, but an outcome that the schedule decides.
	Unordered(earlier Access)
	// Crowded is told when something was forgotten that is not ordered in every
	// schedule, because there is too much of it at one location.
	Crowded()

	// Move returns the state that the access takes a location in state
	// before to, when the thread remembers it; otherwise 0.
	Move(before State) (after State)
	// Ranges is the thread's memo of ranges.
	Ranges() *RangeMemo
	// Moved is told of every other transition, after its races.
	Moved(before, after State)
}
