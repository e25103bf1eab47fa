// Command fixed multiplies two matrices, one task per block of rows.
//
// The fix: a block ends where the next one starts. In the racy twin it ends
// one row later.
package main

import (
	"flag"
	"fmt"
	"math/rand"
	"sync"
)

type matrix [][]float64

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
	}
	return m
}

func main() {
	n := flag.Int("n", 256, "rows and columns of the matrices")
	block := flag.Int("block", 32, "rows and columns of a block")
	flag.Parse()

	rng := rand.New(rand.NewSource(1))
	a, b, c := newMatrix(*n), newMatrix(*n), newMatrix(*n)
	for i := range *n {
		for j := range *n {
			a[i][j], b[i][j] = float64(rng.Intn(100)), float64(rng.Intn(100))
		}
	}
	multiply(c, a, b, *block)
	fmt.Printf("trace of the product: %.0f\n", trace(c))
}

// multiply adds a·b to c, one task per block of rows.
func multiply(c, a, b matrix, block int) {
	var wg sync.WaitGroup
	for lo := 0; lo < len(c); lo += block {
		hi := min(lo+block, len(c))
		wg.Go(func() {
			for k0 := 0; k0 < len(b); k0 += block {
				addBlock(c, a, b, lo, hi, k0, min(k0+block, len(b)))
			}
		})
	}
	wg.Wait()
}

// addBlock adds the products of a[lo:hi, k0:k1] and b[k0:k1] to c[lo:hi].
func addBlock(c, a, b matrix, lo, hi, k0, k1 int) {
	for i := lo; i < hi; i++ {
		for k := k0; k < k1; k++ {
			aik := a[i][k]
			for j := range c[i] {
				c[i][j] += aik * b[k][j]
			}
		}
	}
}

func trace(m matrix) float64 {
	t := 0.0
	for i := range m {
		t += m[i][i]
	}
	return t
}
