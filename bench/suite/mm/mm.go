// Package mm multiplies matrices by divide and conquer without temporary matrices:
// each of four futures computes one quarter of the product by two products one after
// the other. N is the number of rows, Base that of a block.
//
// MultiBags (PPoPP'19) and SF-Order (SPAA'21) measure it: N = 2048 and Base = 64 make
// 18724 futures there and here.
package mm

import (
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. The racy variant runs the two products of a quarter in
// parallel.
var Info = program.Info{
	Name: "mm", Kind: program.Dense, General: true, Racy: true,
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
	for i := range 2 {
		for j := range 2 {
			quarter := c.Quarter(i, j, h)
			multiply(quarter, a.Quarter(i, 0, h), b.Quarter(0, j, h), h, base)
			multiply(quarter, a.Quarter(i, 1, h), b.Quarter(1, j, h), h, base)
		}
	}
}
