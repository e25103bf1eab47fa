// Package sparselu factors a matrix of blocks, many of which are zero and not stored,
// into a lower and an upper triangle, without pivots. N is the number of rows, Base
// the side of a block.
//
// DRDP (ECOOP'23) measures the program of the BOTS and KASTORS suites with promises, on
// 128 × 128 blocks of 32 × 32 elements.
package sparselu

import (
	"fmt"
	"math"

	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program.
var Info = program.Info{
	Name: "sparselu", Kind: program.Dense,
	Tiny:   program.Params{N: 48, Base: 8},
	Small:  program.Params{N: 384, Base: 16},
	Medium: program.Params{N: 768, Base: 32},
	Paper:  program.Params{N: 4096, Base: 32},
}

// A Problem is a matrix that becomes its factors.
type Problem struct {
	program.Params
	// Blocks are row by row; those that are zero are nil.
	Blocks [][][]float64
}

// New makes a matrix with a dominant diagonal.
func New(params program.Params) (*Problem, error) {
	n, err := program.Blocks(params.N, params.Base)
	if err != nil {
		return nil, err
	}
	p := &Problem{params, make([][][]float64, n)}
	r := program.Rand(params.Seed)
	for i := range n {
		p.Blocks[i] = make([][]float64, n)
		for j := range n {
			if stored(i, j) {
				p.Blocks[i][j] = p.block(&r, i == j)
			}
		}
	}
	return p, nil
}

// stored is the pattern of the BOTS suite: about one block in seven, and those near the
// diagonal.
func stored(i, j int) bool {
	zero := i < j && i%3 != 0 || i > j && j%3 != 0 || i%2 == 1 || j%2 == 1
	return !zero || i == j || i == j-1 || i-1 == j
}

func (p *Problem) block(r *program.Rand, diagonal bool) []float64 {
	b := make([]float64, p.Base*p.Base)
	for k := range b {
		b[k] = r.Unit() - 0.5
		if diagonal && k/p.Base == k%p.Base {
			b[k] += float64(p.N)
		}
	}
	return b
}

// Factor factors a block on the diagonal.
func (p *Problem) Factor(d []float64) {
	n := p.Base
	for k := range n {
		for i := k + 1; i < n; i++ {
			d[i*n+k] /= d[k*n+k]
			for j := k + 1; j < n; j++ {
				d[i*n+j] -= d[i*n+k] * d[k*n+j]
			}
		}
	}
}

// Forward takes the lower factor of d out of a block right of it.
func (p *Problem) Forward(d, b []float64) {
	n := p.Base
	for k := range n {
		for i := k + 1; i < n; i++ {
			for j := range n {
				b[i*n+j] -= d[i*n+k] * b[k*n+j]
			}
		}
	}
}

// Divide takes the upper factor of d out of a block below it.
func (p *Problem) Divide(d, b []float64) {
	n := p.Base
	for i := range n {
		for k := range n {
			b[i*n+k] /= d[k*n+k]
			for j := k + 1; j < n; j++ {
				b[i*n+j] -= b[i*n+k] * d[k*n+j]
			}
		}
	}
}

// Update subtracts the product of a block left and one above from b.
func (p *Problem) Update(b, left, above []float64) {
	n := p.Base
	for i := range n {
		for j := range n {
			s := 0.0
			for k := range n {
				s += left[i*n+k] * above[k*n+j]
			}
			b[i*n+j] -= s
		}
	}
}

// Fill returns the block in row i and column j, which is stored from now on.
func (p *Problem) Fill(i, j int) []float64 {
	if p.Blocks[i][j] == nil {
		p.Blocks[i][j] = make([]float64, p.Base*p.Base)
	}
	return p.Blocks[i][j]
}

// Serial factors the matrix.
func Serial(p *Problem) {
	b := p.Blocks
	for k := range b {
		p.Factor(b[k][k])
		for j := k + 1; j < len(b); j++ {
			if b[k][j] != nil {
				p.Forward(b[k][k], b[k][j])
			}
			if b[j][k] != nil {
				p.Divide(b[k][k], b[j][k])
			}
		}
		for i := k + 1; i < len(b); i++ {
			for j := k + 1; j < len(b); j++ {
				if b[i][k] != nil && b[k][j] != nil {
					p.Update(p.Fill(i, j), b[i][k], b[k][j])
				}
			}
		}
	}
}

// Check compares L·(U·x) with A·x for a random vector x.
func (p *Problem) Check() error {
	before, err := New(p.Params)
	if err != nil {
		return err
	}
	x := make([]float64, p.N)
	r := program.Rand(p.Seed + 1)
	for i := range x {
		x[i] = r.Unit()
	}
	got := p.times(p.times(x, upper), lower)
	for i, want := range before.times(x, all) {
		if !dense.Close(got[i], want, math.Abs(want)) {
			return fmt.Errorf("row %d: L·(U·x) is %v, A·x is %v", i, got[i], want)
		}
	}
	return nil
}

// all, upper and lower are how much of the element in row i and column j counts.
func all(_, _ int, v float64) float64 { return v }

func upper(i, j int, v float64) float64 {
	if i > j {
		return 0
	}
	return v
}

func lower(i, j int, v float64) float64 {
	switch {
	case i == j:
		return 1
	case i < j:
		return 0
	}
	return v
}

func (p *Problem) times(x []float64, part func(i, j int, v float64) float64) []float64 {
	y := make([]float64, p.N)
	for bi, row := range p.Blocks {
		for bj, block := range row {
			for k, v := range block {
				i, j := bi*p.Base+k/p.Base, bj*p.Base+k%p.Base
				y[i] += part(i, j, v) * x[j]
			}
		}
	}
	return y
}

// Result is a digest of the diagonal.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for b, row := range p.Blocks {
		for i := range p.Base {
			d.AddFloat(row[b][i*(p.Base+1)])
		}
	}
	return uint64(d)
}
