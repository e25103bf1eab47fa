// Package tasks tracks points with a future for each point and frame.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/hw"
	"github.com/detrace/detrace/task"
)

// A move is how far a point went in one frame.
type move struct{ dx, dy int }

// Run tracks all points.
func Run(p *hw.Problem) {
	last := make([]*task.Future[move], len(p.Points))
	for frame := 1; frame < p.N; frame++ {
		now := make([]*task.Future[move], len(p.Points))
		for i := range p.Points {
			before := before(last, i, p.General)
			now[i] = task.Create(func() move { return track(p, i, frame, before) })
		}
		last = now
	}
	for _, f := range last {
		f.Get()
	}
}

// before is whom point i waits for: itself in the last frame, and its neighbours if
// futures may be got more than once.
func before(last []*task.Future[move], i int, general bool) []*task.Future[move] {
	if last[i] == nil {
		return nil
	}
	if general {
		return last[max(0, i-1):min(i+2, len(last))]
	}
	return last[i : i+1]
}

// track looks first where the average move leads. No move can be so far off that the
// point is not found.
func track(p *hw.Problem, i, frame int, before []*task.Future[move]) move {
	var sum move
	for _, f := range before {
		m := f.Get()
		sum.dx += m.dx
		sum.dy += m.dy
	}
	n := max(1, len(before))
	point := &p.Points[i]
	x, y := point.X, point.Y
	p.Track(point, frame, sum.dx/n/2, sum.dy/n/2)
	return move{point.X - x, point.Y - y}
}
