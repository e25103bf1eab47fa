package offheap

import "unsafe"

// Stock is a table that hands its elements out, all zero, by their ids from 1 on. One that is
// free begins with the id of the next; T is no smaller. Safe for concurrent use.
type Stock[T any] struct {
	Table[T]
	lock Lock // guards the rest
	high uint32
	free uint32
}

// Take returns the id of an element, 0 when there is no room.
func (s *Stock[T]) Take() uint32 {
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

// Put takes element i back, which nobody uses any more.
func (s *Stock[T]) Put(i uint32) {
	s.lock.Lock()
	var zero T
	*s.At(i) = zero
	*s.next(i) = s.free
	s.free = i
	s.lock.Unlock()
}

// High is the highest id that was handed out so far.
func (s *Stock[T]) High() uint32 { return s.high }

// next is where a free element has the id of the next one.
func (s *Stock[T]) next(i uint32) *uint32 { return (*uint32)(unsafe.Pointer(s.At(i))) }
