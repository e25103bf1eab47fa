// Package tasks compresses a stream on a line of tasks, which makes a two-dimensional
// lattice: a chunk is a row of tasks, each forked left of the one before it, and a stage
// that needs an order joins what the chunk before left there.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/dedup"
	"github.com/detrace/detrace/task"
)

// Run compresses the stream.
func Run(p *dedup.Problem) {
	var main task.Line
	for c := p.Cut(); c != nil; c = p.Cut() {
		main.Fork(func(l *task.Line) { hash(p, c, l) })
	}
	main.JoinAll()
}

// hash runs left of main, and right of what the chunk before left: from the right, its
// hash, deduplicate, compress and write. The first chunk finds nobody there.
func hash(p *dedup.Problem, c *dedup.Chunk, l *task.Line) {
	p.Hash(c)
	l.Fork(func(l *task.Line) { deduplicate(p, c, l) })
}

func deduplicate(p *dedup.Problem, c *dedup.Chunk, l *task.Line) {
	if p.Racy {
		p.Deduplicate(c)
		join(l, 2)
	} else {
		join(l, 2)
		p.Deduplicate(c)
	}
	l.Fork(func(l *task.Line) {
		p.Compress(c)
		l.Fork(func(l *task.Line) {
			join(l, 2)
			p.Write(c)
		})
	})
}

// join joins up to n left neighbours.
func join(l *task.Line, n int) {
	for range n {
		if left := l.Left(); left != nil {
			l.Join(left)
		}
	}
}
