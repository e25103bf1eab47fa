// Package tasks fills blocks with futures, one for each block.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/wavefront"
	"github.com/detrace/detrace/task"
)

type none = struct{}

// Run fills all blocks.
func Run[F wavefront.Front](f F) {
	if general, racy := f.Variant(); general || racy {
		neighbours(f, racy)
		return
	}
	diagonals(f)
}

// diagonals fills one diagonal after the other: every future is got once.
func diagonals[F wavefront.Front](f F) {
	n := f.Blocks()
	done := make([]*task.Future[none], 0, n)
	for d := range 2*n - 1 {
		for i := max(0, d-n+1); i <= min(d, n-1); i++ {
			done = append(done, task.Create(func() (_ none) {
				f.Fill(i, d-i)
				return
			}))
		}
		for _, block := range done {
			block.Get()
		}
		done = done[:0]
	}
}

// neighbours lets each block get those above and left of it: all futures but those of
// the border are got twice.
func neighbours[F wavefront.Front](f F, racy bool) {
	n := f.Blocks()
	above := make([]*task.Future[none], n)
	var ends []*task.Future[none] // of the rows
	for i := range n {
		var left *task.Future[none]
		for j := range n {
			up, before := above[j], left
			left = task.Create(func() (_ none) {
				if up != nil && !racy {
					up.Get()
				}
				if before != nil {
					before.Get()
				}
				f.Fill(i, j)
				return
			})
			above[j] = left
		}
		ends = append(ends, left)
	}
	for _, row := range ends {
		row.Get()
	}
}
