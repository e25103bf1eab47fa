// Package history is the access history of structured runs: what must be remembered
// of the accesses to each byte so that no race is missed.
//
// A history never knows an engine: it stores strands as opaque words and asks
// whether one precedes the strand that now accesses. What it remembers is a policy,
// each with the class of programs and the order for which it is sound:
//
//	OneReader     series-parallel programs and 2D lattices, serial depth-first
//	TwoReaders    series-parallel programs, any order
//	TwoPerFuture  structured futures, any order
//	ReaderList    every program, any order
//	Suprema       2D lattices, serial depth-first
//
// All of them find the racing bytes exactly, and every pair that they name races. OneReader
// and Suprema also report an access whenever it races with an earlier one, unless its strand
// did the same or more before; the others promise that for the first race of a byte only,
// because a writer that raced is forgotten at the next write.
//
// A policy is about plain accesses. Atomic operations, which never race with each other, are
// kept apart, reads and writes, as a policy keeps readers, see atomics.
//
// Every byte is a location of its own, and neighbouring bytes with one history are one
// segment, see segments: a megabyte written at once costs as much as a byte. Costs per access:
// logarithmic in the number of segments, and per segment what its policy says. Package shadow
// is the history of native execution; it keeps more readers and knows atomics, and
// its memory is bound to the addresses of a process.
package history

import "github.com/detrace/detrace/reach"

// Op is what an access does.
type Op uint8

// The operations.
const (
	Read Op = iota + 1
	Write
	AtomicRead
	AtomicWrite // a store or a read-modify-write
)

// Access is one access that is remembered: its strand, and what the caller calls it.
type Access struct {
	Strand reach.Strand // not 0
	ID     uint64
}

// Race is a pair of conflicting accesses by parallel strands: the one being made, and
// an earlier one.
type Race struct {
	First Access
	Op    Op // of First
	Addr  uint64
	Size  uint64 // bytes from Addr that both accessed; 0 stands for all 2^64
}

// Order answers about strands that have started; the second is the one that accesses.
type Order interface {
	// Precedes reports whether u precedes v or is v.
	Precedes(u, v reach.Strand) bool
}

// History is the history of one run. Make it with one of the policies. Not safe for
// concurrent use.
type History struct {
	segments segments
	atomics  *atomics // nil without atomic operations
	policy   policy
	visit    func(state uint32, lo, last uint64) uint32
	look     func(state uint32, lo, last uint64) uint32
	forget   func(state uint32, lo, last uint64) uint32

	// The access being made.
	now      Access
	op       Op // Read or Write, to the policy
	looking  Op // AtomicRead or AtomicWrite: what is looked at, if that
	races    []Race
	open     map[raceKey]int // the newest of races of a pair
	lo, last uint64          // the segment
	from, to uint32          // states: of a segment of this access, and what it became
	written  uint32          // the state after this write where nothing else is left; 0 not made yet
}

type raceKey struct {
	id uint64
	op Op
}

// policy decides what is remembered. State 0 is that of memory never accessed.
type policy interface {
	holder
	// read and write give the state after an access by h.now, held once if it is
	// another one than before, and tell h.race of what races.
	read(h *History, state uint32) uint32
	write(h *History, state uint32) uint32
	bytes() int
}

func newHistory(p policy) *History {
	h := &History{policy: p, open: make(map[raceKey]int)}
	h.segments.init(p)
	h.visit, h.look, h.forget = h.step, h.check, h.drop
	return h
}

// Access makes an access of the bytes from addr to last and returns what it
// races with, one element per earlier access and run of bytes. The result is valid until the next
// call.
func (h *History) Access(op Op, addr, last uint64, a Access) []Race {
	h.now, h.op = a, op
	h.from, h.to, h.written = 0, 0, 0
	if len(h.races) > 0 {
		h.races = h.races[:0]
		clear(h.open)
	}
	if op >= AtomicRead {
		h.atomicAccess(op, addr, last)
		return h.races
	}
	h.segments.update(addr, last, h.visit)
	if h.atomics != nil {
		h.compareAtomics(op, addr, last)
	}
	return h.races
}

// Alloc forgets what happened to the bytes from addr to last.
func (h *History) Alloc(addr, last uint64) {
	h.segments.update(addr, last, h.forget)
	if h.atomics != nil {
		h.atomics.reads.update(addr, last, h.forget)
		h.atomics.writes.update(addr, last, h.forget)
	}
}

// step is the access of one segment.
func (h *History) step(state uint32, lo, last uint64) uint32 {
	h.lo, h.last = lo, last
	if state == h.from && h.to != 0 && len(h.races) == 0 {
		h.policy.retain(h.to)
		h.policy.release(state)
		return h.to
	}
	after := h.apply(state)
	if after != state {
		h.from, h.to = state, after
		h.policy.release(state)
	}
	return after
}

// apply lets the policy see the access: it tells of races and gives the state after it.
func (h *History) apply(state uint32) uint32 {
	if h.op == Read {
		return h.policy.read(h, state)
	}
	return h.policy.write(h, state)
}

func (h *History) drop(state uint32, _, _ uint64) uint32 {
	h.policy.release(state)
	return 0
}

// race tells of a race with first at the segment being accessed.
func (h *History) race(first Access, op Op) {
	if h.looking != 0 {
		op = h.looking
	}
	key := raceKey{first.ID, op}
	if i, ok := h.open[key]; ok {
		if r := &h.races[i]; r.Addr+r.Size == h.lo {
			r.Size += h.last - h.lo + 1
			return
		}
	}
	h.open[key] = len(h.races)
	h.races = append(h.races, Race{First: first, Op: op, Addr: h.lo, Size: h.last - h.lo + 1})
}

// Bytes is the memory in use.
func (h *History) Bytes() int {
	n := h.segments.bytes() + h.policy.bytes()
	if h.atomics != nil {
		n += h.atomics.reads.bytes() + h.atomics.writes.bytes()
	}
	return n
}
