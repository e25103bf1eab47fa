// Package strassen multiplies matrices by seven products of half the size (Strassen's
// method). N is the number of rows, Base that of a block that is multiplied directly.
//
// DRDP (ECOOP'23) measures it with N = 2048 and promises: a product waits for its two
// sums, a quarter of the result for its products, and nothing waits for all.
package strassen

import (
	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. The racy variant adds products up before they are there.
var Info = program.Info{
	Name: "strassen", Kind: program.Dense, Racy: true,
	Tiny:   program.Params{N: 32, Base: 8},
	Small:  program.Params{N: 256, Base: 32},
	Medium: program.Params{N: 512, Base: 64},
	Paper:  program.Params{N: 2048, Base: 64},
}

// A Term is a quarter of a matrix, by row and column, and its sign.
type Term struct {
	I, J int
	Sign float64
}

// Factors are the sums of quarters of A and of B whose products are needed. A sum of
// one term is that quarter.
var Factors = [7][2][]Term{
	{{{0, 0, 1}, {1, 1, 1}}, {{0, 0, 1}, {1, 1, 1}}},
	{{{1, 0, 1}, {1, 1, 1}}, {{0, 0, 1}}},
	{{{0, 0, 1}}, {{0, 1, 1}, {1, 1, -1}}},
	{{{1, 1, 1}}, {{1, 0, 1}, {0, 0, -1}}},
	{{{0, 0, 1}, {0, 1, 1}}, {{1, 1, 1}}},
	{{{1, 0, 1}, {0, 0, -1}}, {{0, 0, 1}, {0, 1, 1}}},
	{{{0, 1, 1}, {1, 1, -1}}, {{1, 0, 1}, {1, 1, 1}}},
}

// A Part is a product, by number, and its sign.
type Part struct {
	Product int
	Sign    float64
}

// Parts are the products that each quarter of the result is the sum of, row by row.
var Parts = [4][]Part{
	{{0, 1}, {3, 1}, {4, -1}, {6, 1}},
	{{2, 1}, {4, 1}},
	{{1, 1}, {3, 1}},
	{{0, 1}, {1, -1}, {2, 1}, {5, 1}},
}

// Factor returns the sum of these quarters of m, of size h: a new matrix unless it is
// one quarter.
func Factor(m dense.Matrix, terms []Term, h int) dense.Matrix {
	first := m.Quarter(terms[0].I, terms[0].J, h)
	if len(terms) == 1 {
		return first
	}
	sum := dense.New(h)
	dense.Combine(sum, first, terms[1].Sign, m.Quarter(terms[1].I, terms[1].J, h), h)
	return sum
}

// Assemble adds the parts of quarter q of c, of size h, to it.
func Assemble(c dense.Matrix, q int, products *[7]dense.Matrix, h int) {
	quarter := c.Quarter(q/2, q%2, h)
	for _, part := range Parts[q] {
		dense.Combine(quarter, quarter, part.Sign, products[part.Product], h)
	}
}

// Serial computes the product as the tasks do.
func Serial(p *dense.Product) { multiply(p.C, p.A, p.B, p.N, p.Base) }

func multiply(c, a, b dense.Matrix, n, base int) {
	if n <= base {
		dense.MultiplyAdd(c, a, b, n)
		return
	}
	h := n / 2
	var products [7]dense.Matrix
	for m := range products {
		products[m] = dense.New(h)
		multiply(products[m], Factor(a, Factors[m][0], h), Factor(b, Factors[m][1], h), h, base)
	}
	for q := range 4 {
		Assemble(c, q, &products, h)
	}
}
