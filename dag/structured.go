package dag

import "github.com/detrace/detrace/reach"

// Structured builds the graph of a structured run from its constructs. Strand i of
// the graph is strand number i of the run. Not safe for concurrent use.
type Structured struct {
	Graph
	constructs []reach.Construct
}

// NewStructured returns a run whose root task is in its first strand.
func NewStructured() *Structured {
	g := new(Structured)
	g.Add()
	return g
}

func number(s reach.Strand) Strand { return Strand(s.Index()) }

// Do adds the strands that c begins. Constructs come in the order in which they
// happened.
func (g *Structured) Do(c *reach.Construct) {
	kept := *c
	kept.Joined = append([]reach.Joined(nil), c.Joined...)
	g.constructs = append(g.constructs, kept)
	Begin(c, g.Add)
}

// Begin adds the strands that c begins by add, which returns their numbers in the run: it
// gives each its predecessors.
func Begin(c *reach.Construct, add func(preds ...Strand) Strand) {
	switch c.Kind {
	case reach.Spawn, reach.Async, reach.Create, reach.Fork:
		add(number(c.Before))
		add(number(c.Before))
	case reach.Sync, reach.EndFinish:
		join(c, add)
	case reach.Finish, reach.Set:
		add(number(c.Before))
	case reach.Get, reach.Await, reach.Join:
		add(number(c.Before), number(c.Source))
	}
}

// join adds the nested binary joins of c.
func join(c *reach.Construct, add func(preds ...Strand) Strand) {
	if len(c.Joined) == 0 {
		add(number(c.Before))
		return
	}
	ends := map[reach.Task]Strand{c.Task: number(c.Before)}
	for _, j := range c.Joined {
		ends[j.Task] = number(j.Last) // unless joins of its own come before this
	}
	for _, j := range c.Joined {
		ends[j.Into] = add(ends[j.Into], ends[j.Task])
	}
}
