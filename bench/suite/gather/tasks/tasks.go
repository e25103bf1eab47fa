// Package tasks gathers with a task for each part.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/gather"
	"github.com/detrace/detrace/task"
)

// Run computes all sums.
func Run(p *gather.Problem) {
	var g task.Group
	for part := range p.Parts() {
		g.Spawn(func() { p.Part(part) })
	}
	g.Sync()
}
