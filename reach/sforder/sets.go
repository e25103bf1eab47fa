package sforder

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// set is an immutable set of futures: a tree of pieces, known by that of its root with
// the tree's height in the upper bits. The zero value is empty.
type set uint32

const (
	heightShift = 29
	pieceMask   = 1<<heightShift - 1

	wordBits = 5
	fanBits  = 4
	fan      = 1 << fanBits
	leafBits = fanBits + wordBits // a leaf has a bit for each of 512 futures
)

func setOf(piece, height uint32) set {
	if piece == 0 {
		return 0
	}
	return set(piece | height<<heightShift)
}

func (s set) height() uint32 { return uint32(s) >> heightShift }
func (s set) piece() uint32  { return uint32(s) & pieceMask }

// piece is 16 words of bits in a leaf, else 16 pieces of the next lower height, 0 for
// empty ones. It fills a cache line.
type piece [fan]uint32

// sets makes sets. One goroutine at a time; has may be called meanwhile of what was
// made before.
type sets struct {
	pieces offheap.Table[piece]
	count  uint32 // of pieces, including those that there was no room for
}

// init makes room for the sets of maxFutures futures, for all but odd programs.
func (s *sets) init(maxFutures uint32) {
	s.pieces.Init(uint32(min(256*uint64(maxFutures)+4096, pieceMask)))
	s.count = 0
}

func (s *sets) bytes() uint64 { return uint64(s.count) * uint64(unsafe.Sizeof(piece{})) }

// overflow reports whether there was no room for a piece.
func (s *sets) overflow() bool { return s.count >= s.pieces.Max() }

// forget takes back all pieces after the first count ones, which nobody knows of.
func (s *sets) forget(count uint32) { s.count = count }

// add makes a piece.
func (s *sets) add(p *piece) uint32 {
	s.count++
	if s.overflow() {
		return 0
	}
	*s.pieces.At(s.count) = *p
	return s.count
}

// shift is how far the number of a future has to be shifted for its place in a root of
// the given height; what is left over the place is 0 for futures that there is room for.
func shift(height uint32) uint32 {
	if height == 0 {
		return wordBits
	}
	return leafBits + fanBits*(height-1)
}

// has reports whether f is in a set. Cost: a step for each level.
func (s *sets) has(of set, f uint32) bool {
	height := of.height()
	if of == 0 || f>>shift(height) >= fan {
		return false
	}
	at := of.piece()
	for ; height > 0; height-- {
		at = s.pieces.At(at)[f>>shift(height)%fan]
		if at == 0 {
			return false
		}
	}
	return s.pieces.At(at)[f>>wordBits%fan]>>(f%(1<<wordBits))&1 != 0
}

// with is a set and f. Cost: a piece for each level.
func (s *sets) with(of set, f uint32) set {
	height := of.height()
	for f>>shift(height) >= fan {
		height++
	}
	return setOf(s.insert(s.lift(of, height).piece(), height, f), height)
}

func (s *sets) insert(at, height, f uint32) uint32 {
	p := *s.pieces.At(at)
	i := f >> shift(height) % fan
	if height == 0 {
		p[i] |= 1 << (f % (1 << wordBits))
	} else {
		p[i] = s.insert(p[i], height-1, f)
	}
	return s.add(&p)
}

// lift is the same set as a tree of more height.
func (s *sets) lift(of set, height uint32) set {
	for of != 0 && of.height() < height {
		of = setOf(s.add(&piece{of.piece()}), of.height()+1)
	}
	return of
}

// union is one of the sets if that includes the other. Cost: at most all pieces of
// both; equal ones are not looked into.
func (s *sets) union(a, b set) set {
	if a.height() < b.height() {
		a, b = b, a
	}
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case a.height() > b.height():
		return s.unionLower(a, b)
	}
	p, q, height := s.pieces.At(a.piece()), s.pieces.At(b.piece()), a.height()
	var r piece
	for i := range r {
		if height == 0 {
			r[i] = p[i] | q[i]
		} else {
			r[i] = s.union(setOf(p[i], height-1), setOf(q[i], height-1)).piece()
		}
	}
	switch r {
	case *p:
		return a
	case *q:
		return b
	}
	return setOf(s.add(&r), height)
}

// unionLower is the union with a set of less height.
func (s *sets) unionLower(a, b set) set {
	r, height := *s.pieces.At(a.piece()), a.height()-1
	low := setOf(r[0], height)
	if low == 0 {
		r[0] = s.lift(b, height).piece()
	} else if r[0] = s.union(low, b).piece(); r[0] == low.piece() {
		return a
	}
	return setOf(s.add(&r), height+1)
}
