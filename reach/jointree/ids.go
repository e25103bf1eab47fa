package jointree

import "github.com/detrace/detrace/internal/offheap"

// ids hands out the numbers 1, 2, ... up to a maximum and takes them back.
// Safe for concurrent use.
type ids struct {
	lock  offheap.Lock
	fresh uint32 // highest id ever handed out and not trimmed since; atomic
	free  uint32 // number of ids on the stack
	given uint32 // ids handed out so far, the reused ones too; atomic
	max   uint32
	stack offheap.Table[uint32]
}

func (p *ids) init(max uint32) {
	p.stack.Init(max)
	*p = ids{max: max, stack: p.stack}
}

// get returns an id, 0 when all are in use, and its position among all that
// were ever given.
func (p *ids) get() (id, given uint32) {
	p.lock.Lock()
	given = p.given + 1
	switch {
	case given == 0: // 2^32 ids were handed out, and their numbers may not repeat
	case p.free > 0:
		p.free--
		id = *p.stack.At(p.free)
	case p.fresh < p.max:
		id = p.fresh + 1
		offheap.Store32(&p.fresh, id)
	}
	if id != 0 {
		offheap.Store32(&p.given, given)
	}
	p.lock.Unlock()
	return id, given
}

// put takes id back; it is the next one handed out.
func (p *ids) put(id uint32) {
	p.lock.Lock()
	*p.stack.At(p.free) = id
	p.free++
	p.lock.Unlock()
}

// inUse is how many ids are out.
func (p *ids) inUse() uint32 {
	p.lock.Lock()
	n := p.fresh - p.free
	p.lock.Unlock()
	return n
}
