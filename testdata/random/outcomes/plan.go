package main

import "math/rand/v2"

const (
	maxOps   = 60 // accesses of variables
	maxSends = 256
)

type step func(a *actor)

// An access is of a variable, and comes after the accesses in before.
type access struct {
	variable int
	writes   bool
	before   uint64
}

// A plan is a program.
type plan struct {
	random    *rand.Rand
	root      []step
	accesses  []access
	unordered bool // two accesses of one variable, one of them a write
	careless  bool // may have such accesses
	lucky     []func(p *plan) step
}

func newPlan(seed uint64) *plan {
	p := &plan{random: rand.New(rand.NewPCG(seed, 3))}
	p.careless = p.random.IntN(5) == 0
	for range p.random.IntN(4) { // none in a quarter of the programs
		kind := kinds[p.random.IntN(len(kinds))]
		p.lucky = append(p.lucky, kind[p.random.IntN(len(kind))], kind[p.random.IntN(len(kind))])
	}
	p.root, _ = p.grow(2+p.random.IntN(2), 0, 0)
	return p
}

// An open child has not been joined by its parent.
type openChild struct {
	index int
	how   int
	after uint64 // what comes before whoever joins it
}

// How a child is joined.
const (
	byGroup = iota
	byResult
	byBufferedResult
	byClose
	byAll // at the end of the program alone
	hows
)

// grow makes the steps of an actor that comes after the accesses in before, and what comes
// before who joins it. elder is what comes before a child that waits for its elder sibling.
func (p *plan) grow(depth int, before, elder uint64) (steps []step, after uint64) {
	var open []openChild
	children := 0
	add := func(s step) { steps = append(steps, s) }
	if elder != 0 && p.random.IntN(2) == 0 {
		add(func(a *actor) {
			a.waitFor(a.elder, byClose)
			a.see(a.elder.seen)
		})
		before |= elder
	}
	for range 3 + p.random.IntN(5) {
		switch n := p.random.IntN(12); {
		case n < 3 && depth > 0:
			c := openChild{index: children, how: p.random.IntN(hows)}
			children++
			elder := uint64(0)
			elderAt := -1
			if len(open) > 0 && open[len(open)-1].how == byClose {
				elder, elderAt = open[len(open)-1].after|1<<63, open[len(open)-1].index
			}
			body, done := p.grow(depth-1, before, elder)
			c.after = done
			open = append(open, c)
			add(p.start(c.how, elderAt, body))
		case n < 5 && len(open) > 0:
			i := p.random.IntN(len(open))
			c := open[i]
			switch c.how {
			case byAll:
				continue
			case byGroup: // and all others of the group
				add(joinGroup)
				for i := len(open) - 1; i >= 0; i-- {
					if open[i].how == byGroup {
						before |= open[i].after
						open = append(open[:i], open[i+1:]...)
					}
				}
				continue
			}
			add(join(c.index, c.how))
			before |= c.after
			open = append(open[:i], open[i+1:]...)
		case n < 9:
			if s, ok := p.use(&before); ok {
				add(s)
			}
		case len(p.lucky) > 0:
			add(p.lucky[p.random.IntN(len(p.lucky))](p))
		}
	}
	add(joinGroup)
	for _, c := range open {
		switch c.how {
		case byResult, byBufferedResult, byClose:
			add(join(c.index, c.how))
			before |= c.after
		case byGroup:
			before |= c.after
		}
	}
	return steps, before
}

// use is an access of a variable, mostly in order with all others of it.
func (p *plan) use(before *uint64) (step, bool) {
	if len(p.accesses) == maxOps {
		return nil, false
	}
	x := access{variable: p.random.IntN(len(world{}.vars)), writes: p.random.IntN(2) == 0, before: *before}
	bad := false
	for i, y := range p.accesses {
		bad = bad || y.variable == x.variable && (x.writes || y.writes) && x.before>>i&1 == 0
	}
	if bad && (!p.careless || p.random.IntN(4) > 0) {
		return nil, false
	}
	p.unordered = p.unordered || bad
	*before |= 1 << len(p.accesses)
	p.accesses = append(p.accesses, x)
	v, c := x.variable, p.random.Uint64()
	switch {
	case !x.writes && c%2 == 0:
		return func(a *actor) { a.see(a.vars[v]) }, true
	case !x.writes:
		return func(a *actor) { a.look(v) }, true
	case c%2 == 0:
		return func(a *actor) { a.vars[v] = a.seen ^ c }, true
	}
	return func(a *actor) { a.vars[v] += a.seen }, true
}

//go:noinline
func (a *actor) look(v int) { a.see(a.vars[v]) }
