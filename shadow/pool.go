package shadow

import "github.com/detrace/detrace/internal/offheap"

// A pool hands out the ids of a table's elements, from 1 on. Those that are free are a list:
// each has the id of the next in a field, which link tells. Its lock is the table's.
type pool struct{ high, free, used uint32 }

// take returns an id below limit, 0 when there is no room.
func (p *pool) take(limit uint32, link func(id uint32) *uint32) uint32 {
	id := p.free
	switch {
	case id != 0:
		p.free = *link(id)
	case p.high+1 < limit:
		p.high++
		id = p.high
	default:
		return 0
	}
	offheap.Put32(&p.used, p.used+1)
	return id
}

// put takes back an id that nobody uses any more.
func (p *pool) put(id uint32, link func(id uint32) *uint32) {
	*link(id), p.free = p.free, id
	offheap.Put32(&p.used, p.used-1)
}

// sweep frees the ids of which keep says no, after it has emptied the element.
func (p *pool) sweep(link func(id uint32) *uint32, keep func(id uint32) bool) {
	p.free, p.used = 0, 0
	for id := p.high; id > 0; id-- {
		if keep(id) {
			p.used++
			continue
		}
		*link(id) = p.free
		p.free = id
	}
}
