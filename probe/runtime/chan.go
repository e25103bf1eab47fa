//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/internal/callstack"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
	"internal/abi"
	"unsafe"
)

// detpass is called, with c locked, when sender's value is about to pass into slot idx of c
// and receiver is about to take one out of it; either may be nil, and the one that is not
// running is parked. unread is detunread or 0.
// Not inlined, so that the stack shows who called it.
//
//go:noinline
func detpass(c *hchan, idx uint, sender, receiver *g, unread int) {
	racecall(detop_pass, uintptr(unsafe.Pointer(c)), uintptr(idx)|uintptr(unread), uintptr(unsafe.Pointer(sender)), uintptr(unsafe.Pointer(receiver)))
}

// detunread marks the sender of a value, in what chansend hands to send and in detpass, that has
// not told yet that it reads that the channel is open. No slot has an index as large.
const detunread = 1 << 62

// detchanclosed is called when receiver, which may be parked, learns that c is closed and
// empty.
//
//go:noinline
func detchanclosed(c *hchan, receiver *g) {
	racecall(detop_chan, uintptr(unsafe.Pointer(c)), uintptr(unsafe.Pointer(receiver)), 0, 0)
}

// detchanlen is called when the program asks how many messages are in c.
//
//go:noinline
func detchanlen(c *hchan) {
	if gp := getg(); c.dataqsiz > 0 && gp == gp.m.curg {
		racecall(detop_chan, uintptr(unsafe.Pointer(c)), 0, 0, 0)
	}
}

// detknown is where a channel is known by, to the detector: at its lock nothing of the program
// synchronises. detopens is how far that is from the word that says whether it is open.
const detopens = unsafe.Offsetof(hchan{}.lock) - unsafe.Offsetof(hchan{}.buf)

func detknown(c *hchan) uintptr { return uintptr(unsafe.Pointer(&c.lock)) }

// detchanasked treats a length that was asked for as atomic reads of the words that sends and
// receives write. The length of a channel without a buffer says nothing.
func detchanasked(p *detect.Proc, c *hchan, running *g, bp uintptr) {
	if p != nil {
		asks, known := detsideof(p, running, running, bp), det.Channel(detknown(c))
		asks.touch(p, known, detect.Sends, uintptr(unsafe.Pointer(&c.sendx)), shadow.AtomicRead)
		asks.touch(p, known, detect.Receives, uintptr(unsafe.Pointer(&c.recvx)), shadow.AtomicRead)
	}
}

// detchanend treats the end of a channel as an atomic read of the word that receives
// write: who received a value unordered with that could have met the end instead, and the
// other way round. Any number of goroutines may meet it.
func detchanend(p *detect.Proc, c *hchan, receiver, running *g, bp uintptr) {
	if p != nil {
		receives := detsideof(p, receiver, running, bp)
		receives.touch(p, det.Channel(detknown(c)), detect.Receives, uintptr(unsafe.Pointer(&c.recvx)), shadow.AtomicRead)
	}
}

// detside is who sends or who receives.
type detside struct {
	t     reach.Task // 0 for nobody
	stack uint32
}

// detsideof is gp, which may be nil, as a side; running has the frame of bp.
func detsideof(p *detect.Proc, gp, running *g, bp uintptr) detside {
	switch {
	case gp == nil || gp.racectx == 0:
		return detside{}
	case p == nil:
		return detside{t: reach.Task(gp.racectx)}
	case gp != running:
		bp = gp.sched.bp
	}
	return detside{reach.Task(gp.racectx), uint32(detwalk(p, gp, 0, bp))}
}

// touch tells of an access to a word of the channel that stands for what the side does.
func (s detside) touch(p *detect.Proc, known *detect.Channel, word int, addr uintptr, op shadow.Op) {
	switch {
	case s.t == 0:
	case known == nil:
		dettouch(p, s.t, addr, op, s.stack)
	case !det.Repeats(p, known, word, s.t, s.stack):
		pc, caller := detstacks.Frame(callstack.ID(s.stack))
		var a shadow.Access
		detplaced(&a, p, op, pc, uint32(caller))
		detsynced(&a, s.stack)
		det.AccessWord(p, known, word, s.t, addr, pc, s.stack, &a)
	}
}

// read tells that the sender reads that c is open: close writes what is read. Who hands its value
// to somebody who waits for it does so in a frame more.
func (s detside) read(p *detect.Proc, known *detect.Channel, c *hchan, hands bool, running *g) {
	switch {
	case s.t == 0:
		return
	case detout.config != record.ConfigFull:
		detcount(p, 0)
		return
	case known != nil && det.Repeats(p, known, detect.Opens, s.t, s.stack):
		p.Accesses[0]++
		return
	}
	_, caller := detstacks.Frame(callstack.ID(s.stack))
	if hands {
		_, caller = detstacks.Frame(caller)
	}
	detopened(p, known, s.t, running, shadow.Read, uintptr(c.raceaddr()), abi.FuncPCABIInternal(chansend)+1, uint32(caller), s.stack)
}

// detheader is detrange of one byte, mostly that of a map or of a channel which says that it is open.
func detheader(p *detect.Proc, t reach.Task, gp *g, op shadow.Op, addr, pc, bp uintptr) {
	known := det.ChannelAt(addr + detopens)
	if known == nil || detout.config != record.ConfigFull {
		detrange(p, t, gp, op, addr, 1, pc, bp)
		return
	}
	detopened(p, known, t, gp, op, addr, pc, detpath(p, gp, t, bp, false), 0)
}

// detopened tells of an access to the word that says that a channel is open.
func detopened(p *detect.Proc, known *detect.Channel, t reach.Task, gp *g, op shadow.Op, addr, pc uintptr, context, stack uint32) {
	if known == nil || dettrace.On() {
		detranged(p, t, gp, op, addr, 1, pc, context)
		return
	}
	p.Accesses[op-shadow.Read]++
	var a shadow.Access
	detplaced(&a, p, op, pc, context)
	a.Header = true
	det.AccessWord(p, known, detect.Opens, t, addr, pc, stack, &a)
}

// detpassed tells of a value that passes, see detpass: of what the channel's words stand for,
// and then of the edges, first of who runs.
//
// Sends are treated as atomic writes of one word of the channel and receives as those
// of another. They never race; but unordered ones are told to detfoundunordered, with both stacks,
// and forgotten with the channel.
func detpassed(p *detect.Proc, c *hchan, idx uint, sender, receiver, running *g, bp uintptr) {
	sends, receives := detsideof(p, sender, running, bp), detsideof(p, receiver, running, bp)
	fanned := false
	if p != nil {
		mixed, known := p.Mixed, det.Channel(detknown(c))
		if idx&detunread != 0 {
			sends.read(p, known, c, receiver != nil, running)
		}
		sends.touch(p, known, detect.Sends, uintptr(unsafe.Pointer(&c.sendx)), shadow.AtomicWrite)
		receives.touch(p, known, detect.Receives, uintptr(unsafe.Pointer(&c.recvx)), shadow.AtomicWrite)
		if known != nil && p.Mixed != mixed {
			known.Fan()
		}
		fanned = known != nil && known.Fanned()
	}
	if running.raceignore != 0 || det.Serially() && isSystemGoroutine(running, false) {
		return // who happens to start a garbage collection is no order of tasks
	}
	first, then := sends, receives
	if receiver == running {
		first, then = receives, sends
	}
	acts := detpassing(p, first.stack, running, bp)
	one := first.synchronises(acts, fanned, sender == running)
	other := then.synchronises(acts, fanned, sender != running)
	one.passes(&other, c, idx&^detunread, running, bp)
}

// detpassing is the operation on a channel that running makes in the frame of bp. stack is that
// of running, 0 if it is not known.
func detpassing(p *detect.Proc, stack uint32, running *g, bp uintptr) detsyncing {
	if p == nil || bp < running.stack.lo || bp >= running.stack.hi {
		return detsyncing{p: p, edge: detedgecertain}
	}
	if stack == 0 {
		stack = uint32(detwalk(p, running, 0, bp))
	}
	e := detedges.At(stack)
	if *e == detedgeunknown {
		*e = detedgeof(stack, detedgemessage)
	}
	return detsyncing{p: p, stack: stack, edge: *e}
}

// synchronises is acts for a side: whoever was waiting, the other acts for it. fanned says that
// the senders or the receivers of the channel are unordered.
func (s detside) synchronises(acts detsyncing, fanned, sends bool) detsyncing {
	acts.t = s.t
	if k := acts.kind(); k == detedgemessage || k == detedgetry {
		library := !detuserfirst(s.stack)
		if acts.stack, acts.edge = s.stack, k; library {
			acts.edge |= detedgelibrary
		}
		if fanned && (sends || library) {
			acts.edge |= detedgefanned
		}
	}
	return acts
}

// passes makes the edges of a value that passes slot idx of c: s runs, other waits or is nobody.
func (s *detsyncing) passes(other *detsyncing, c *hchan, idx uint, running *g, bp uintptr) {
	if c.dataqsiz == 0 { // both wait for one another
		slot := uintptr(chanbuf(c, 0))
		s.releases(slot)
		other.acquires(slot, running, bp)
		other.releases(slot)
		s.acquires(slot, running, bp)
		return
	}
	slot, shared := detslot(c, idx)
	s.exchanges(uintptr(slot), shared, running, bp)
	other.exchanges(uintptr(slot), shared, running, bp)
}

// exchanges is the hook of a release with an acquire as it is made for a side of a channel at
// a slot, which may be shared by all that pass.
func (s *detsyncing) exchanges(slot uintptr, shared bool, running *g, bp uintptr) {
	switch {
	case s.t == 0:
	case shared:
		s.acquires(slot, running, bp)
		s.releases(slot)
	default:
		s.exchange(slot)
		detexchange(s.p, s.t, 0, running, bp)
	}
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
