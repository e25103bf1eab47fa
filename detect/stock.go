package detect

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// stock is a table that hands its elements out, all zero, by their ids from 1 on. One that is
// free begins with the id of the next. Safe for concurrent use.
type stock[T any] struct {
	offheap.Table[T]
	lock offheap.Lock // guards the rest
	high uint32
	free uint32
}

// take returns the id of an element, 0 when there is no room.
func (s *stock[T]) take() uint32 {
	s.lock.Lock()
	i := s.free
	if i != 0 {
		next := s.next(i)
		s.free, *next = *next, 0
	} else if s.high+1 < s.Max() {
		s.high++
		i = s.high
	}
	s.lock.Unlock()
	return i
}

// put takes element i back, which nobody uses any more.
func (s *stock[T]) put(i uint32) {
	s.lock.Lock()
	var zero T
	*s.At(i) = zero
	*s.next(i) = s.free
	s.free = i
	s.lock.Unlock()
}

// next is where a free element has the id of the next one.
func (s *stock[T]) next(i uint32) *uint32 { return (*uint32)(unsafe.Pointer(s.At(i))) }
