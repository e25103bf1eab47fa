package detect

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// Channel is what is known of a channel of the program beside what its memory remembers.
//
// Some words of a channel stand for what is done with it: each send writes one, atomically,
// each receive another. Mostly one task does so from one site, over and over. Of that the history
// would remember the latest access, and ask nobody; so it is not told before another task or
// another site comes, and the latest access lies here. Each word goes to the history once, and then for good.
type Channel struct {
	lock   offheap.Lock // guards the words
	fanned uint32       // atomic; 1 if unordered tasks send, or receive
	words  [channelWords]word
}

// The words of a channel.
const (
	Opens    = iota // closing it writes the word, sending reads it
	Sends           // each send writes it
	Receives        // each receive writes it
	channelWords
)

// word is the latest access to a word, all of which one task made from one site.
type word struct {
	strand               reach.Strand // 0 if there was none
	stack                uint32       // the host's, 0 if it gave none
	place, context, site uint32
	locks                uint32
	op                   shadow.Op
	told                 bool // the history has all accesses
}

// maxChannels is how many channels are known at one time; of others the history has all.
const maxChannels = 1 << 24

// channels hands them out.
type channels struct{ offheap.Stock[Channel] }

// ChannelAt is the channel known by addr, at which nothing synchronises; nil if there is none.
func (d *Detector) ChannelAt(addr uintptr) *Channel {
	return d.channelIn(d.head(addr), addr)
}

// channelIn is the channel known by addr in a list of places, nil if there is none.
func (d *Detector) channelIn(head uint32, addr uintptr) *Channel {
	if p := d.find(head, addr&7); p != nil && p.channel {
		return d.channels.At(p.lock)
	}
	return nil
}

// Channel is ChannelAt for a channel that there is; nil if there is no room for it.
func (d *Detector) Channel(addr uintptr) *Channel {
	o := d.objectsOf(addr)
	if o == nil {
		return nil
	}
	for {
		head := offheap.Load32(o.word(addr))
		if c := d.channelIn(head, addr); c != nil {
			return c
		}
		i, id := d.places.Take(), d.channels.Take()
		if i == 0 || id == 0 {
			return nil
		}
		if d.link(o, addr, head, i, place{channel: true, lock: id}) {
			return d.channels.At(id)
		}
		d.channels.Put(id)
	}
}

// Fan remembers that unordered tasks send into c, or receive from it.
func (c *Channel) Fan() { offheap.Store32(&c.fanned, 1) }

// Fanned reports whether Fan was called.
func (c *Channel) Fanned() bool { return offheap.Load32(&c.fanned) != 0 }

// Repeats makes an access of t to word w of c if that is as the one before it but for the
// strand: by what the host calls stack, not 0, which no other kind of access has. Otherwise
// nothing has happened.
func (d *Detector) Repeats(p *Proc, c *Channel, w int, t reach.Task, stack uint32) (ok bool) {
	l, q := d.Local(t), &c.words[w]
	c.lock.Lock()
	if ok = q.stack == stack && q.strand.Task() == t && q.locks == l.Locks && !q.told; ok {
		d.begins(p, l)
		q.strand = l.Strand
	}
	c.lock.Unlock()
	return ok
}

// AccessWord is Access of word w of c, one byte at addr; stack is as for Repeats, or 0.
func (d *Detector) AccessWord(p *Proc, c *Channel, w int, t reach.Task, addr, pc uintptr, stack uint32, made *shadow.Access) {
	if d.NoHistory {
		return
	}
	l, q := d.Local(t), &c.words[w]
	c.lock.Lock()
	switch {
	case q.told:
	case q.strand == 0 || q.repeats(t, l, made):
		d.begins(p, l)
		if q.strand != l.Strand {
			*q = word{l.Strand, stack, made.Place, made.Context, made.Site, l.Locks, made.Op, false}
		}
		c.lock.Unlock()
		return
	default:
		d.tell(p, q, addr)
	}
	c.lock.Unlock()
	d.Access(p, t, addr, 1, pc, made)
}

// repeats reports whether the history would remember the access of t instead of q.
func (q *word) repeats(t reach.Task, l *Local, made *shadow.Access) bool {
	return q.strand.Task() == t && q.site == made.Site && q.op == made.Op && q.locks == l.Locks
}

// tell tells the history of q. Nothing is remembered of the byte, so that nothing is asked.
func (d *Detector) tell(p *Proc, q *word, addr uintptr) {
	const nowhere = 1 << 62 // no instruction is there, for which something could be remembered
	q.told = true
	p.query = query{task: q.strand.Task(), addr: addr, pc: nowhere}
	p.query.access = shadow.Access{Strand: q.strand, Locks: q.locks, Place: q.place, Context: q.context, Site: q.site, Op: q.op, Header: true}
	uncounted := p.Uncounted
	p.Uncounted = true // nor is it
	if out := d.History.Access(addr, 1, &p.query.access, p); out.Full {
		d.tellFull(&p.query.access)
	}
	p.Uncounted = uncounted
}

// keep marks, in a collection, the strands that the history has not been told of.
func (c *channels) keep(m shadow.Marker) {
	for i := uint32(1); i <= c.High(); i++ {
		for w := range c.At(i).words {
			if q := &c.At(i).words[w]; q.strand != 0 && !q.told {
				m.Mark(q.strand)
			}
		}
	}
}
