package shadow

// cell is what a granule of 8 bytes remembers: two slots of 32 bits, each a byte
// mask above a 24-bit state; or, when both masks are empty and the rest is not zero,
// the id of a block.
type cell uint64

// CellMasks is the bits of a cell's value of which one is set unless it is empty or
// a block.
const CellMasks = 0xff000000_ff000000

//go:nosplit
func (c cell) isBlock() bool { return c&CellMasks == 0 && c != 0 }

// occupied is the bytes of which a cell remembers something; a block says all.
//
//go:nosplit
func (c cell) occupied() uint8 {
	if c.isBlock() {
		return 0xff
	}
	return uint8(c>>24) | uint8(c>>56)
}

// slot returns mask and state of slot i of a cell that is not a block.
//
//go:nosplit
func (c cell) slot(i int) (mask uint8, s State) {
	v := uint32(c >> (32 * i))
	return uint8(v >> 24), State(v & (MaxStates - 1))
}

// state is what the cell remembers of byte i.
//
//go:nosplit
func (c cell) state(i uintptr) State {
	if m, s := c.slot(0); m>>i&1 != 0 {
		return s
	}
	if m, s := c.slot(1); m>>i&1 != 0 {
		return s
	}
	return 0
}

//go:nosplit
func slots(m0 uint8, s0 State, m1 uint8, s1 State) cell {
	if m0 == 0 {
		s0 = 0
	}
	if m1 == 0 {
		s1 = 0
	}
	return cell(uint64(m1)<<56 | uint64(s1)<<32 | uint64(m0)<<24 | uint64(s0))
}

// without forgets the bytes in mask.
//
//go:nosplit
func (c cell) without(mask uint8) cell {
	m0, s0 := c.slot(0)
	m1, s1 := c.slot(1)
	return slots(m0&^mask, s0, m1&^mask, s1)
}

// with sets the bytes in mask to state s, which is not 0; it returns 0 when both
// slots are taken by other states.
//
//go:nosplit
func (c cell) with(mask uint8, s State) cell {
	bytes := uint32(mask) << 24
	return c.put(bytes, bytes|uint32(s))
}

// put is with for bytes and state of a slot, so small as to be inlined.
//
//go:nosplit
func (c cell) put(bytes, slot uint32) cell {
	lo, hi := uint32(c)&^bytes, uint32(c>>32)&^bytes
	if lo < MaxStates {
		lo = 0 // no bytes are left
	}
	if hi < MaxStates {
		hi = 0
	}
	if (hi^slot)&(MaxStates-1) == 0 {
		hi |= slot
	} else if lo == 0 || (lo^slot)&(MaxStates-1) == 0 {
		lo |= slot
	} else if hi == 0 {
		hi = slot
	} else {
		return 0
	}
	return cell(hi)<<32 | cell(lo)
}
