// Package goroutines compresses a stream with goroutines for the stages in order, and
// one for each chunk in those that have none.
package goroutines

import "github.com/detrace/detrace/bench/suite/dedup"

// room is how many chunks a channel holds.
const room = 16

// A chunk is complete in this stage when done is closed.
type chunk struct {
	*dedup.Chunk
	done chan struct{}
}

// Run compresses the stream.
func Run(p *dedup.Problem) {
	hashed := make(chan chunk, room)
	go func() {
		defer close(hashed)
		for c := p.Cut(); c != nil; c = p.Cut() {
			hashed <- start(c, func(c *dedup.Chunk) {
				p.Hash(c)
				if p.Racy {
					p.Deduplicate(c)
				}
			})
		}
	}()
	compressed := make(chan chunk, room)
	go func() {
		defer close(compressed)
		for c := range hashed {
			<-c.done
			if !p.Racy {
				p.Deduplicate(c.Chunk)
			}
			compressed <- start(c.Chunk, p.Compress)
		}
	}()
	for c := range compressed {
		<-c.done
		p.Write(c.Chunk)
	}
}

// start does the work of a stage in a goroutine.
func start(c *dedup.Chunk, work func(*dedup.Chunk)) chunk {
	started := chunk{c, make(chan struct{})}
	go func() {
		defer close(started.done)
		work(c)
	}()
	return started
}
