// Smithwaterman aligns two sequences of 1024 letters: a wavefront of tiles, each
// of which reads what its neighbours wrote.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"sync"
)

const (
	n     = 1024
	tile  = 128
	tiles = n / tile
)

func main() {
	r := rand.New(rand.NewSource(1))
	x, y := make([]byte, n), make([]byte, n)
	for i := range n {
		x[i], y[i] = byte(r.Intn(4)), byte(r.Intn(4))
	}
	// A piece of 300 letters that both have, so a score of at least 600.
	copy(y[500:800], x[100:400])
	h := make([][]int32, n+1)
	for i := range h {
		h[i] = make([]int32, n+1)
	}
	for wave := range 2*tiles - 1 {
		var wg sync.WaitGroup
		for i := max(0, wave-tiles+1); i <= min(wave, tiles-1); i++ {
			wg.Go(func() { fill(h, x, y, i*tile, (wave-i)*tile) })
		}
		wg.Wait()
	}
	best := int32(0)
	for _, row := range h {
		for _, v := range row {
			best = max(best, v)
		}
	}
	if best < 600 || best > 2*n {
		fmt.Println("wrong:", best)
		os.Exit(1)
	}
	fmt.Println(best)
}

// fill computes the tile of h behind row i0 and column j0.
func fill(h [][]int32, x, y []byte, i0, j0 int) {
	for i := i0 + 1; i <= i0+tile; i++ {
		for j := j0 + 1; j <= j0+tile; j++ {
			s := int32(-1)
			if x[i-1] == y[j-1] {
				s = 2
			}
			h[i][j] = max(0, h[i-1][j-1]+s, h[i-1][j]-1, h[i][j-1]-1)
		}
	}
}
