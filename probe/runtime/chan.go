//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"unsafe"
)

// detchan is called, with c locked, when sender's value is about to pass into c
// and receiver is about to take one out of it; either may be nil, and the one that
// is not running is parked. Not inlined, so that the stack shows who called it.
//
//go:noinline
func detchan(c *hchan, sender, receiver *g) {
	racecall(detop_chan, uintptr(unsafe.Pointer(c)), uintptr(unsafe.Pointer(sender)), uintptr(unsafe.Pointer(receiver)), 0)
}

// detchanclosed is called when receiver, which may be parked, learns that c is closed and
// empty.
//
//go:noinline
func detchanclosed(c *hchan, receiver *g) {
	racecall(detop_chan, uintptr(unsafe.Pointer(c)), 0, uintptr(unsafe.Pointer(receiver)), 1)
}

// detchanlen is called when the program asks how many messages are in c.
//
//go:noinline
func detchanlen(c *hchan) {
	if gp := getg(); c.dataqsiz > 0 && gp == gp.m.curg {
		racecall(detop_chan, uintptr(unsafe.Pointer(c)), 0, uintptr(unsafe.Pointer(gp)), 2)
	}
}

// detchanasked treats a length that was asked for as atomic reads of the words that sends and
// receives write. The length of a channel without a buffer says nothing.
func detchanasked(p *detect.Proc, c *hchan, running *g, bp uintptr) {
	if p != nil {
		detchanside(p, uintptr(unsafe.Pointer(&c.sendx)), shadow.AtomicRead, running, running, bp)
		detchanside(p, uintptr(unsafe.Pointer(&c.recvx)), shadow.AtomicRead, running, running, bp)
	}
}

// detchanend treats the end of a channel as an atomic read of the word that receives
// write: who received a value unordered with that could have met the end instead, and the
// other way round. Any number of goroutines may meet it.
func detchanend(p *detect.Proc, c *hchan, receiver, running *g, bp uintptr) {
	if p != nil {
		detchanside(p, uintptr(unsafe.Pointer(&c.recvx)), shadow.AtomicRead, receiver, running, bp)
	}
}

// detchanevent treats sends as atomic writes of one word of the channel and
// receives as those of another. They never race; but unordered ones are told to
// detfoundunordered, with both stacks, and forgotten with the channel.
//
// The edges of the operation follow: they are those of Passing.
func detchanevent(p *detect.Proc, c *hchan, sender, receiver, running *g, bp uintptr) {
	if p == nil {
		return
	}
	mixed, now := p.Mixed, detect.Passing{}
	now.Sender, now.SenderStack = detchanside(p, uintptr(unsafe.Pointer(&c.sendx)), shadow.AtomicWrite, sender, running, bp)
	now.Receiver, now.ReceiverStack = detchanside(p, uintptr(unsafe.Pointer(&c.recvx)), shadow.AtomicWrite, receiver, running, bp)
	mark := uintptr(unsafe.Pointer(&c.sendx)) + 1
	if p.Mixed != mixed {
		det.Mark(mark)
	}
	now.Fanned = det.Marked(mark)
	p.Passing = now
}

func detchanside(p *detect.Proc, addr uintptr, op shadow.Op, gp, running *g, bp uintptr) (t reach.Task, stack uint32) {
	if gp == nil || gp.racectx == 0 {
		return 0, 0
	}
	if gp != running {
		bp = gp.sched.bp
	}
	context := uint32(detwalk(p, gp, 0, bp))
	t = reach.Task(gp.racectx)
	dettouch(p, t, addr, op, context)
	return t, context
}

// detslots is the number of zero-size slots that are told apart.
const detslots = 64

// detslot is the synchronisation address of slot idx, and whether all slots of c
// share it. Zero-size elements have no memory: a few bytes of the channel's own
// header, where nothing else synchronises, stand for their slots.
func detslot(c *hchan, idx uint) (slot unsafe.Pointer, shared bool) {
	if c.elemsize != 0 {
		return chanbuf(c, idx), false
	}
	if c.dataqsiz > detslots {
		return chanbuf(c, idx), true
	}
	return add(unsafe.Pointer(&c.elemsize), uintptr(idx)), false
}

// detselect is called when a select with a choice begins.
//
//go:noinline
func detselect(gp *g) {
	racecall(detop_select, gp.racectx, 0, 0, 0)
}

func detselected(p *detect.Proc, gp *g, bp uintptr) {
	if p == nil {
		return
	}
	if stack := uint32(detwalk(p, gp, 0, bp)); detuserfirst(stack) {
		detreason(detreasonselect, stack, 0)
	}
}
