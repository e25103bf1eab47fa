package history

// states are records that segments share, with a count of who holds each. Number 0 is
// the state of memory that nobody has accessed; it is held for ever.
type states[T any] struct {
	records []T
	held    []uint32
	free    []uint32
	dropped func(*T) // told of a record that nobody holds any more; may be nil
}

func (s *states[T]) init() {
	var none T
	s.records, s.held = append(s.records, none), append(s.held, 1)
}

// add returns a number for a record, held once.
func (s *states[T]) add(record T) uint32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		s.records[id], s.held[id] = record, 1
		return id
	}
	s.records, s.held = append(s.records, record), append(s.held, 1)
	return uint32(len(s.records) - 1)
}

// only is add for the state of memory of which only the write being made is
// remembered, one for all segments.
func (s *states[T]) only(h *History, record T) uint32 {
	if h.written == 0 {
		h.written = s.add(record)
	} else {
		s.retain(h.written)
	}
	return h.written
}

func (s *states[T]) retain(id uint32) {
	if id != 0 {
		s.held[id]++
	}
}

func (s *states[T]) release(id uint32) {
	if id == 0 {
		return
	}
	if s.held[id]--; s.held[id] == 0 {
		if s.dropped != nil {
			s.dropped(&s.records[id])
		}
		s.free = append(s.free, id)
	}
}

// used is the number of records held, without number 0.
func (s *states[T]) used() int { return len(s.records) - 1 - len(s.free) }
