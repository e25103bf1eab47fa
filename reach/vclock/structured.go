package vclock

import "github.com/detrace/detrace/reach"

// Structured is the engine of structured programs: every program, any order, any
// two strands. It keeps the clock of every strand. Not safe for concurrent use.
// The zero value is ready.
type Structured struct {
	strands []clock // by number; what a strand's own task says is left out
}

// Traits says that the engine takes everything.
func (e *Structured) Traits() reach.Traits { return reach.Traits{Name: "vclock", Pairs: true} }

// Close lets go of the memory.
func (e *Structured) Close() { *e = Structured{} }

// before is what precedes s in other tasks.
func (e *Structured) before(s reach.Strand) clock {
	if int(s.Index()) >= len(e.strands) {
		return nil
	}
	return e.strands[s.Index()]
}

// begin gives s the clock c; numbers come in order, but those of joins that run nothing.
func (e *Structured) begin(s reach.Strand, c clock) {
	for uint32(len(e.strands)) <= s.Index() {
		e.strands = append(e.strands, nil)
	}
	e.strands[s.Index()] = c
}

// Do adds the strands that c begins. Cost: linear in the clocks joined. No construct
// is refused.
func (e *Structured) Do(c *reach.Construct) reach.Refusal {
	known := e.before(c.Before)
	switch {
	case c.After == 0:
		return reach.Refusal{}
	case c.First != 0:
		e.begin(c.First, known.with(c.Before))
	case c.Source != 0:
		known = known.join(e.before(c.Source).with(c.Source), c.Task)
	}
	for _, j := range c.Joined {
		known = known.join(e.before(j.Last).with(j.Last), c.Task)
	}
	e.begin(c.After, known)
	return reach.Refusal{}
}

// Precedes reports whether u precedes v or is v. Cost: logarithmic in v's clock.
func (e *Structured) Precedes(u, v reach.Strand) bool {
	if u.Task() == v.Task() {
		return u <= v
	}
	if int(v.Index()) >= len(e.strands) {
		return false
	}
	last, ok := e.strands[v.Index()].last(u.Task())
	return ok && u <= last
}
