// Matmul multiplies two matrices of 512 by 512 in four goroutines: dense loops
// over shared rows, no synchronisation inside.
package main

import (
	"fmt"
	"os"
	"sync"
)

const (
	n       = 512
	workers = 4
)

func main() {
	a, b, c := newMatrix(), newMatrix(), newMatrix()
	for i := range n {
		for j := range n {
			a[i][j] = float64(i + j)
			b[i][j] = float64(i - j)
		}
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() { multiply(c, a, b, w*n/workers, (w+1)*n/workers) })
	}
	wg.Wait()
	trace := 0.0
	for i := range n {
		trace += c[i][i]
	}
	// The sum of (i+k)(k-i) over all i and k is 0 by symmetry.
	if trace != 0 || c[0][0] != sumOfSquares(n-1) {
		fmt.Println("wrong:", trace, c[0][0])
		os.Exit(1)
	}
	fmt.Println(c[10][10], c[500][3])
}

func newMatrix() [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

func multiply(c, a, b [][]float64, lo, hi int) {
	for i := lo; i < hi; i++ {
		for j := range n {
			s := 0.0
			for k := range n {
				s += a[i][k] * b[k][j]
			}
			c[i][j] = s
		}
	}
}

func sumOfSquares(m int) float64 { return float64(m * (m + 1) * (2*m + 1) / 6) }
