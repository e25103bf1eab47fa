// Package tasks answers queries with a future for each: main loads the queries and
// takes the answers in order.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/ferret"
	"github.com/detrace/detrace/task"
)

// ahead is how many queries may be loaded before the first answer is taken.
const ahead = 16

// Run answers all queries.
func Run(p *ferret.Problem) {
	var pending []*task.Future[*ferret.Query]
	for n := range p.N {
		if len(pending) == ahead {
			p.Answer(pending[0].Get())
			pending = pending[1:]
		}
		q := p.Load(n)
		pending = append(pending, task.Create(func() *ferret.Query {
			p.Segment(q)
			p.Extract(q)
			p.Lookup(q)
			p.Rank(q)
			return q
		}))
	}
	for _, f := range pending {
		p.Answer(f.Get())
	}
}
