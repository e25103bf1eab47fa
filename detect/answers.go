package detect

import "github.com/detrace/detrace/reach"

// Who synchronises begins a strand each time, though most of the time it learns nothing:
// the lock was its own before. What precedes such a strand preceded the one before it too.
// So what the engine said of a task is good until that task learns something, which its
// Proc makes use of: an access of a variable that eight tasks share asks about all of them.
// And what it said of one strand of another task it said of many: if that precedes, all before
// it do, and if not, none after it does. Who takes a lock learns by an observed edge, so that
// what it knows by certain ones is the same as before.

const answersSize = 128 // remembered answers about each order, a power of two

// answer is what the engine said, in one of the two orders, of the strands of task u and those of
// task t. Yes is good for ever, no until t learns something.
type answer struct {
	u, t  uint32
	knows uint32 // the position with which t learned something last
	yes   uint32 // strands of u before this position precede
	no    uint32 // strands of u after the one before this position do not; 0: nothing is known
}

// answers are about one order.
type answers [answersSize]answer

// learned are the positions with which a task learned something last, by any edge and by a
// certain one.
type learned struct{ all, certain uint32 }

// about is where the answers about the tasks of u and of the query are kept. What a construct
// teaches is not kept apart from what it does not: in runs of tasks they are good for one strand.
func (p *Proc) about(m *answers, u reach.Strand, knows uint32) *answer {
	t, c, lasting := uint32(p.query.task), uint32(u.Task()), true
	if p.d().Serially() {
		knows, lasting = p.query.access.Strand.Index(), false
	}
	a := &m[(c+t*16)%answersSize]
	switch {
	case a.u != c || a.t != t || a.knows != knows && !lasting:
		*a = answer{u: c, t: t, knows: knows}
	case a.knows != knows:
		a.knows, a.no = knows, 0
	}
	return a
}

// says returns what is known of the strand at position i, if anything is.
func (a *answer) says(i uint32) (is, known bool) {
	return i < a.yes, i < a.yes || i >= a.no-1
}

// said remembers an answer about that strand.
func (a *answer) said(i uint32, is bool) bool {
	if is {
		a.yes = i + 1
	} else {
		a.no = i + 1
	}
	return is
}

// learnsIf says, if it may be so, that t knows more in its current strand than in the one
// before.
func (d *Detector) learnsIf(t reach.Task, maybe bool) {
	if maybe {
		i := d.Engine.Strand(t).Index()
		*d.learned.At(uint32(t)) = learned{i, i}
	}
}

// Anew begins t's next strand, of which all is to be told that there is to be told, whatever was told
// of those before.
func (d *Detector) Anew(t reach.Task) {
	d.Advance(t)
	d.learnsIf(t, true)
}

// learnsObserved is learnsIf by an observed edge.
func (d *Detector) learnsObserved(t reach.Task, news bool) {
	if news {
		d.learned.At(uint32(t)).all = d.Engine.Strand(t).Index()
	}
}

// precedes is [Detector.precedes] of the query's task.
func (p *Proc) precedes(u reach.Strand) bool {
	return p.asks(&p.answers[0], (*Detector).precedes, u, p.d().learned.At(uint32(p.query.task)).all)
}

// certain is [Detector.certain] of the query's task.
func (p *Proc) certain(u reach.Strand) bool {
	return p.asks(&p.answers[1], (*Detector).certain, u, p.d().learned.At(uint32(p.query.task)).certain)
}

// asks is what the order says of u and the query's task, which learned something by it last at
// position knows; m has what it said before. What the task did itself is found at once.
func (p *Proc) asks(m *answers, order func(*Detector, reach.Strand, reach.Task) bool, u reach.Strand, knows uint32) bool {
	d, t := p.d(), p.query.task
	if u.Task() == t {
		return order(d, u, t)
	}
	a := p.about(m, u, knows)
	if is, known := a.says(u.Index()); known {
		return is
	}
	return a.said(u.Index(), order(d, u, t))
}
