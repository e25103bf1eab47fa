package shadow

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

const (
	latest    = 64      // strands of a stripe that have near slots
	fewSlots  = 16      // of them, with the first: a cache line
	manySlots = 128     // for those of which there are more
	nearby    = 16      // slots looked at among many
	farSize   = 1 << 16 // far slots of a stripe, at most
	farFirst  = 1 << 8  // at first
)

// few and many are near slots of one strand. The first of each says of which.
type (
	few  [fewSlots]uint32
	many [manySlots]uint32
)

// key is where a record is to be found, marked with tag: among the near slots of the strand
// that makes it, which are those of number block in stripe if the first is age; or else, when
// they are taken or the strand has none, in farStripe from far on.
//
// Most states are made and looked for by one strand alone, which most likely puts its own
// access in front of an older strand's too; so nobody else comes to the same list. Near slots
// are those of the latest strands of a thread. A strand that goes on in another thread, or that
// was not among the latest, does not find there what it has made, and makes it again.
type key struct{ stripe, block, age, farStripe, far, tag uint32 }

func (k *key) of(t *states, by *Access, u Strand, place uint32, siteOp siteOp, rest State) {
	n := by.Since
	if t.search == ownSerial {
		n = by.Strand.Index() + 1
	}
	k.ofFar(u, place, siteOp, rest)
	k.stripe, k.block, k.age = by.thread%stripes, n%latest, n
}

// ofFar is of for who has no near slots.
func (k *key) ofFar(u Strand, place uint32, siteOp siteOp, rest State) {
	h := (uint64(place)<<32|uint64(siteOp))*0xBF58476D1CE4E5B9 + uint64(u)*0x9E3779B97F4A7C15
	h = (h ^ h>>29 ^ uint64(rest)) * 0x94D049BB133111EB
	k.farStripe, k.far, k.tag = uint32(h>>48)%stripes, uint32(h>>32), uint32(h>>56)
}

// findNear returns the record, or 0 and the slot that it belongs into, nil when it
// can only be far. The stripe is locked. What a newer strand takes the slots from is not found
// any more.
func (t *states) findNear(k *key, a *Access, siteOp siteOp, rest State) (s State, slot *uint32) {
	if k.age == 0 {
		return 0, nil
	}
	id := k.stripe*latest + k.block
	few := t.few.At(id)
	if few[0] != k.age {
		if few[0] > k.age {
			return 0, nil
		}
		clear(few[1:])
		few[0] = k.age
	}
	for i := range few[1:] {
		slot = &few[i+1]
		if v := *slot; v == 0 {
			return 0, slot
		} else if s = State(v & (MaxStates - 1)); v>>24 == k.tag && t.is(s, a, siteOp, rest) {
			return s, nil
		}
	}
	many := t.many.At(id)
	if many[0] != k.age {
		clear(many[1:])
		many[0] = k.age
	}
	for i := range uint32(nearby) {
		slot = &many[(k.far+i)%(manySlots-1)+1]
		if v := *slot; v == 0 {
			return 0, slot
		} else if s = State(v & (MaxStates - 1)); v>>24 == k.tag && t.is(s, a, siteOp, rest) {
			return s, nil
		}
	}
	return 0, nil
}

// findFar is findNear for the far slots, from k.far on and around their end; nil means that
// there is none left.
func (t *states) findFar(k *key, a *Access, siteOp siteOp, rest State) (s State, slot *uint32) {
	n := max(t.stripes[k.farStripe].farSlots, farFirst)
	slots := t.farSlots(k.farStripe, n)
	for i := range n {
		slot = &slots[(k.far+i)&(n-1)]
		if v := *slot; v == 0 {
			return 0, slot
		} else if s = State(v & (MaxStates - 1)); v>>24 == k.tag && t.is(s, a, siteOp, rest) {
			return s, slot
		}
	}
	return 0, nil
}

func (t *states) farSlots(stripe, n uint32) []uint32 {
	return unsafe.Slice(t.far.At(stripe*farSize), n)
}

// grows makes more far slots in a stripe, if need be for one that was just taken.
func (t *states) grows(stripe uint32) {
	own := &t.stripes[stripe]
	own.farUsed++
	if n := max(own.farSlots, farFirst); n < farSize && own.farUsed >= n/4*3 {
		t.growing.Lock()
		t.resize(stripe, n, n*4)
		t.growing.Unlock()
	}
}

// resize moves what is in the far slots of a stripe, old of them, to as many as there are to be.
func (t *states) resize(stripe, old, size uint32) {
	slots := t.farSlots(stripe, old)
	moved := unsafe.Slice(t.moving.At(0), old)
	copy(moved, slots)
	clear(slots)
	t.stripes[stripe].farSlots = size
	for _, v := range moved {
		if v != 0 {
			r := t.at(State(v & (MaxStates - 1)))
			var k key
			k.ofFar(r.strand, r.place, r.siteOp, r.rest)
			_, slot := t.findFar(&k, &Access{}, 0, none)
			*slot = v
		}
	}
}

// sweepSlots forgets the states that the current collection did not reach, and what is in near
// slots: the strands that go on make that again.
func (t *states) sweepSlots() {
	clear(unsafe.Slice(t.few.At(0), min(offheap.Load32(&t.threads)+1, stripes)*latest))
	for i := range uint32(stripes) {
		own := &t.stripes[i]
		if own.farUsed == 0 {
			continue
		}
		old := max(own.farSlots, farFirst)
		own.farUsed = 0
		slots := t.farSlots(i, old)
		for j, v := range slots {
			if v != 0 && t.at(State(v&(MaxStates-1))).marked(t.colour) {
				own.farUsed++
			} else {
				slots[j] = 0
			}
		}
		size := uint32(farFirst)
		for size < old && own.farUsed >= size/4*3 {
			size *= 4
		}
		t.resize(i, old, size)
		t.far.Discard(i*farSize+size, i*farSize+old)
	}
}
