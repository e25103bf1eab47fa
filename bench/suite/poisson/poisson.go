// Package poisson solves the Poisson equation on the unit square by Jacobi's method, in
// blocks: a block of one iteration needs itself and its four neighbours of the iteration
// before. N is the number of inner rows, Base the side of a block, Steps the number of
// iterations.
//
// DRDP (ECOOP'23) measures it with 8192, 128 and 3, and promises.
package poisson

import (
	"fmt"
	"math"

	"github.com/detrace/detrace/bench/suite/dense"
	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. In the racy variant a block does not wait for the one
// above it.
var Info = program.Info{
	Name: "poisson", Kind: program.Wavefront, Racy: true,
	Tiny:   program.Params{N: 32, Base: 8, Steps: 4},
	Small:  program.Params{N: 512, Base: 64, Steps: 5},
	Medium: program.Params{N: 2048, Base: 128, Steps: 5},
	Paper:  program.Params{N: 8192, Base: 128, Steps: 3},
}

// A Problem is the right side and two approximations, of which iterations use the one
// and make the other. A border of zeros surrounds all.
type Problem struct {
	program.Params
	force  []float64
	u      [2][]float64
	blocks int
}

// New makes a right side for which Jacobi's method can be followed by hand: an
// eigenvector of it.
func New(params program.Params) (*Problem, error) {
	blocks, err := program.Blocks(params.N, params.Base)
	if err == nil {
		err = program.Positive(params.Steps)
	}
	if err != nil {
		return nil, err
	}
	w := params.N + 2
	p := &Problem{params, make([]float64, w*w), [2][]float64{make([]float64, w*w), make([]float64, w*w)}, blocks}
	s := p.sines()
	for i := range w {
		for j := range w {
			p.force[i*w+j] = s[i] * s[j]
		}
	}
	return p, nil
}

// sines is one wave of the eigenvector; the seed chooses how many fit.
func (p *Problem) sines() []float64 {
	s := make([]float64, p.N+2)
	for i := 1; i <= p.N; i++ {
		s[i] = math.Sin(float64(p.waves()*i) * math.Pi / float64(p.N+1))
	}
	return s
}

func (p *Problem) waves() int { return 1 + int(p.Seed%3) }

// Blocks is the number of blocks in a row.
func (p *Problem) Blocks() int { return p.blocks }

// Relax computes the block in row bi and column bj of an iteration, from 1.
func (p *Problem) Relax(iteration, bi, bj int) {
	to, from, w := p.u[iteration%2], p.u[(iteration+1)%2], p.N+2
	h := 1 / float64(p.N+1)
	for i := bi*p.Base + 1; i <= (bi+1)*p.Base; i++ {
		for j := bj*p.Base + 1; j <= (bj+1)*p.Base; j++ {
			at := i*w + j
			to[at] = (from[at-w] + from[at-1] + from[at+1] + from[at+w] + h*h*p.force[at]) / 4
		}
	}
}

// Serial does all iterations.
func Serial(p *Problem) {
	for it := 1; it <= p.Steps; it++ {
		for b := range p.blocks * p.blocks {
			p.Relax(it, b/p.blocks, b%p.blocks)
		}
	}
}

// Check compares with the formula: an iteration multiplies the distance of an
// eigenvector from the solution by its eigenvalue.
func (p *Problem) Check() error {
	s, w := p.sines(), p.N+2
	h := 1 / float64(p.N+1)
	lambda := math.Cos(float64(p.waves()) * math.Pi * h)
	scale := h * h / (4 * (1 - lambda)) * (1 - math.Pow(lambda, float64(p.Steps)))
	for i := range w {
		for j := range w {
			if got, want := p.u[p.Steps%2][i*w+j], scale*s[i]*s[j]; !dense.Close(got/scale, want/scale, 1) {
				return fmt.Errorf("the solution at %d, %d is %v, by the formula it is %v", i, j, got, want)
			}
		}
	}
	return nil
}

// Result is a digest of the diagonal.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for i := range p.N + 2 {
		d.AddFloat(p.u[p.Steps%2][i*(p.N+3)])
	}
	return uint64(d)
}
