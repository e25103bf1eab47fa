package shadow

import "github.com/detrace/detrace/internal/offheap"

// sheetSlots finds the sheet of a reader in a roll without a lock. A reader comes to rolls of
// neighbouring ids, as these are made when the first of them comes to a table, so what it
// looks for lies together. There are levels of slots, each four times as large as the one
// before; what is full is left as it is until the next collection, and the next level is used.
type sheetSlots struct {
	offheap.Table[uint64]        // roll, reader and sheet, see slotOf
	level                 uint32 // atomic: the one in use
	used                  uint32 // of it
}

const (
	slotLevels = 7
	firstSlots = 1 << 10
	slotLanes  = 16 // neighbouring rolls
	slotProbes = 8

	sheetBits  = 21
	readerBits = 20
)

// startOf is the first slot of a level.
//
//go:nosplit
func startOf(level uint32) uint32 { return (firstSlots<<(2*level) - firstSlots) / 3 }

// slotKey is what of a slot is not the sheet.
//
//go:nosplit
func slotKey(roll, reader uint32) uint64 {
	return uint64(roll)<<(sheetBits+readerBits) | uint64(reader)<<sheetBits
}

// at is slot i of a key in a level.
//
//go:nosplit
func (p *sheetSlots) at(level, roll, reader, i uint32) *uint64 {
	h := uint64(roll/slotLanes)<<32 | uint64(reader)
	h = (h * 0x9E3779B97F4A7C15) >> 32
	block := (uint32(h) + i) & (firstSlots/slotLanes<<(2*level) - 1)
	return p.At(startOf(level) + block*slotLanes + roll%slotLanes)
}

// find returns the id of the sheet of the reader in the roll, 0 if it has none.
func (p *sheetSlots) find(roll, reader uint32) uint32 {
	for level := int(offheap.Load32(&p.level)); level >= 0; level-- {
		if s := p.findIn(uint32(level), roll, reader); s != 0 {
			return s
		}
	}
	return 0
}

// findIn is find in one level.
//
//go:nosplit
func (p *sheetSlots) findIn(level, roll, reader uint32) uint32 {
	for i := range uint32(slotProbes) {
		switch v := offheap.Load64(p.at(level, roll, reader, i)); {
		case v == 0:
			return 0
		case v^slotKey(roll, reader) < 1<<sheetBits:
			return uint32(v ^ slotKey(roll, reader))
		}
	}
	return 0
}

// insert makes the sheet known; false if there is no room. Nobody else may insert meanwhile.
func (p *sheetSlots) insert(roll, reader, sheet uint32) bool {
	for {
		for i := range uint32(slotProbes) {
			if slot := p.at(p.level, roll, reader, i); *slot == 0 {
				offheap.Store64(slot, slotKey(roll, reader)|uint64(sheet))
				if p.used++; p.used > firstSlots<<(2*p.level)/2 && p.level+1 < slotLevels {
					p.grow()
				}
				return true
			}
		}
		if p.level+1 == slotLevels {
			return false
		}
		p.grow()
	}
}

func (p *sheetSlots) grow() {
	offheap.Store32(&p.level, p.level+1)
	p.used = 0
}

// clear empties the slots.
func (p *sheetSlots) clear() {
	p.Discard(0, startOf(p.level+1))
	p.level, p.used = 0, 0
}
