// Package goroutines answers queries with a goroutine for each stage and channels
// between them.
package goroutines

import "github.com/detrace/detrace/bench/suite/ferret"

// room is how many queries a channel holds.
const room = 8

// Run answers all queries.
func Run(p *ferret.Problem) {
	loaded := make(chan *ferret.Query, room)
	go func() {
		defer close(loaded)
		for n := range p.N {
			loaded <- p.Load(n)
		}
	}()
	for q := range stage(p.Rank, stage(p.Lookup, stage(p.Extract, stage(p.Segment, loaded)))) {
		p.Answer(q)
	}
}

// stage starts a goroutine that does work on every query that comes in.
func stage(work func(*ferret.Query), in <-chan *ferret.Query) <-chan *ferret.Query {
	out := make(chan *ferret.Query, room)
	go func() {
		defer close(out)
		for q := range in {
			work(q)
			out <- q
		}
	}()
	return out
}
