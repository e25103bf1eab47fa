// Package goroutines fills blocks with a goroutine for each, and a channel that is
// closed when the block is complete.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/wavefront"
)

// Run fills all blocks.
func Run[F wavefront.Front](f F) {
	_, racy := f.Variant()
	n := f.Blocks()
	done := make([]chan struct{}, n*n)
	for b := range done {
		done[b] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for i := range n {
		for j := range n {
			wg.Go(func() {
				defer close(done[i*n+j])
				if i > 0 && !racy {
					<-done[(i-1)*n+j]
				}
				if j > 0 {
					<-done[i*n+j-1]
				}
				f.Fill(i, j)
			})
		}
	}
	wg.Wait()
}
