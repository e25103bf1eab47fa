package history

// atomics are the atomic operations of a run. An atomic read conflicts with plain writes, an
// atomic write with every plain access, and atomic operations never with each other. So each kind
// is remembered like readers of memory that nobody writes, by the policy of the plain
// accesses; a plain access is compared with them, and an atomic one with the plain accesses, as
// a read or write that is not remembered there. A policy that finds the racing bytes of
// every run finds those of the plain accesses up to such a one and of that one, and
// those of the atomic operations of a kind and one plain access: together all. Costs
// what these accesses cost, and nothing where there are no atomic operations.
type atomics struct{ reads, writes segments }

// atomicAccess makes an atomic operation.
func (h *History) atomicAccess(op Op, addr, last uint64) {
	if h.atomics == nil {
		h.atomics = new(atomics)
		h.atomics.reads.init(h.policy)
		h.atomics.writes.init(h.policy)
	}
	as, own := Read, &h.atomics.reads
	if op == AtomicWrite {
		as, own = Write, &h.atomics.writes
	}
	h.op = as
	h.segments.update(addr, last, h.look)
	h.op = Read
	own.update(addr, last, h.visit)
}

// compareAtomics compares a plain access with the atomic operations.
func (h *History) compareAtomics(op Op, addr, last uint64) {
	h.op = Write // to a policy of readers, who conflicts with them
	if op == Write {
		h.looking = AtomicRead
		h.atomics.reads.update(addr, last, h.look)
	}
	h.looking = AtomicWrite
	h.atomics.writes.update(addr, last, h.look)
	h.looking = 0
}

// check tells of the races of an access with one segment and leaves it as it is.
func (h *History) check(state uint32, lo, last uint64) uint32 {
	if state == 0 {
		return 0
	}
	h.lo, h.last = lo, last
	if after := h.apply(state); after != state {
		h.policy.release(after)
		h.written = 0 // it may be gone
	}
	return state
}
