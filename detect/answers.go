package detect

import "github.com/detrace/detrace/reach"

// Who synchronises begins a strand each time, though most of the time it learns nothing:
// the lock was its own before. What precedes such a strand preceded the one before it too.
// So what the engine said of a task is good until that task learns something, which its
// Proc makes use of: an access of a variable that eight tasks share asks about all of them.

const answersSize = 128 // remembered answers, a power of two

// answer is what the engine said of a strand and all strands of another task that know
// what one strand of that knew: the first since it learned something.
type answer struct {
	u, knows          reach.Strand
	precedes, certain said
}

// said is yes, no, or nothing yet.
type said uint32

const (
	no said = iota + 1
	yes
)

func saying(is bool) said {
	if is {
		return yes
	}
	return no
}

// answer is where the answer about u and the task of the query is kept, nil if there is
// none: what a task did itself is found at once. The answer itself may be missing. What a
// construct teaches is not kept apart from what it does not: in runs of tasks an answer is
// good for one strand.
func (p *Proc) answer(u reach.Strand) *answer {
	t, d := p.query.task, p.d()
	if u.Task() == t {
		return nil
	}
	knows := p.query.access.Strand
	if !d.Serially() {
		knows = reach.StrandOf(t, *d.learned.At(uint32(t)))
	}
	a := &p.answers[(uint64(u)*0x9E3779B97F4A7C15^uint64(knows)*0xC2B2AE3D27D4EB4F)>>40%answersSize]
	if a.u != u || a.knows != knows {
		a.u, a.knows, a.precedes, a.certain = u, knows, 0, 0
	}
	return a
}

// learnsIf says, if it may be so, that t knows more in its current strand than in the one
// before.
func (d *Detector) learnsIf(t reach.Task, maybe bool) {
	if maybe {
		*d.learned.At(uint32(t)) = d.Engine.Strand(t).Index()
	}
}

// precedes is [Detector.precedes] of the query's task.
func (p *Proc) precedes(u reach.Strand) bool {
	a := p.answer(u)
	if a == nil {
		return p.d().precedes(u, p.query.task)
	}
	if a.precedes == 0 {
		a.precedes = saying(p.d().precedes(u, p.query.task))
	}
	return a.precedes == yes
}

// certain is [Detector.certain] of the query's task.
func (p *Proc) certain(u reach.Strand) bool {
	a := p.answer(u)
	if a == nil {
		return p.d().certain(u, p.query.task)
	}
	if a.certain == 0 {
		a.certain = saying(p.d().certain(u, p.query.task))
	}
	return a.certain == yes
}
