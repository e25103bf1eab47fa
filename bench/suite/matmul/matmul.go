// Package matmul multiplies matrices by divide and conquer in two phases of four
// products, each of which sets a promise. N is the number of rows, Base that of a
// block.
//
// DRDP (ECOOP'23) measures it: N = 2048 and Base = 64 make 28086 tasks besides main
// there and here, as the fourth product of a phase is the caller's own.
package matmul

import (
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program.
var Info = program.Info{
	Name: "matmul", Kind: program.Dense,
	Tiny:   program.Params{N: 32, Base: 8},
	Small:  program.Params{N: 256, Base: 32},
	Medium: program.Params{N: 512, Base: 64},
	Paper:  program.Params{N: 2048, Base: 64},
}

// Serial computes the product as the tasks do.
func Serial(p *dense.Product) { multiply(p.C, p.A, p.B, p.N, p.Base) }

func multiply(c, a, b dense.Matrix, n, base int) {
	if n <= base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	for k := range 2 {
		for q := range 4 {
			i, j := q/2, q%2
			multiply(c.Quarter(i, j, h), a.Quarter(i, k, h), b.Quarter(k, j, h), h, base)
		}
	}
}
