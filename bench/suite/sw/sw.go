// Package sw aligns two sequences (Smith-Waterman) with a cost of gaps that may be any
// function of their length, so that every element looks at all of its row and column
// before it. N is the length of both sequences, Base the side of a block.
//
// MultiBags (PPoPP'19) and SF-Order (SPAA'21) measure it: N = 2048 and Base = 64 make
// 1024 futures and 8.6e9 reads there and here.
package sw

import (
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. The racy variant does not wait for the block above.
var Info = program.Info{
	Name: "sw", Kind: program.Wavefront, General: true, Racy: true,
	Tiny:   program.Params{N: 64, Base: 16},
	Small:  program.Params{N: 256, Base: 32},
	Medium: program.Params{N: 512, Base: 64},
	Paper:  program.Params{N: 2048, Base: 64},
}

// Scores of a match, a mismatch, the first letter of a gap and each letter of it.
const (
	match    = 3
	mismatch = -2
	open     = 4
	extend   = 1
)

func gap(length int) int32 { return int32(open + extend*length) }

// A Problem is two sequences and the table of scores of alignments that end at i and j.
type Problem struct {
	program.Params
	x, y   []byte
	table  []int32
	blocks int
}

// New makes two random sequences that share a piece, with two gaps.
func New(params program.Params) (*Problem, error) {
	blocks, err := program.Blocks(params.N, params.Base)
	if err != nil {
		return nil, err
	}
	n := params.N
	p := &Problem{params, make([]byte, n), make([]byte, n), make([]int32, (n+1)*(n+1)), blocks}
	r := program.Rand(params.Seed)
	for i := range n {
		p.x[i], p.y[i] = byte(r.Below(4)), byte(r.Below(4))
	}
	copy(p.y[n/2:], p.x[n/8:n/4])
	copy(p.y[n/2+n/8+n/64:], p.x[n/4:n/4+n/8])
	return p, nil
}

// Blocks is the number of blocks in a row.
func (p *Problem) Blocks() int { return p.blocks }

// Variant is what the parameters ask for.
func (p *Problem) Variant() (general, racy bool) { return p.General, p.Racy }

// Fill computes the block in row bi and column bj.
func (p *Problem) Fill(bi, bj int) {
	w := p.N + 1
	for i := bi*p.Base + 1; i <= (bi+1)*p.Base; i++ {
		for j := bj*p.Base + 1; j <= (bj+1)*p.Base; j++ {
			best := max(0, p.table[(i-1)*w+j-1]+p.score(i, j))
			for k := 1; k <= i; k++ {
				best = max(best, p.table[(i-k)*w+j]-gap(k))
			}
			for k := 1; k <= j; k++ {
				best = max(best, p.table[i*w+j-k]-gap(k))
			}
			p.table[i*w+j] = best
		}
	}
}

func (p *Problem) score(i, j int) int32 {
	if p.x[i-1] == p.y[j-1] {
		return match
	}
	return mismatch
}

// Check computes the table again in a time that grows with the square of N: the gaps
// cost what Gotoh's method (1982) can do.
func (p *Problem) Check() error {
	w := p.N + 1
	above, down := make([]int32, w), make([]int32, w)
	for j := range down {
		down[j] = -gap(w)
	}
	for i := 1; i < w; i++ {
		diagonal, right, row := int32(0), -gap(w), make([]int32, w)
		for j := 1; j < w; j++ {
			down[j] = max(down[j], above[j]-open) - extend
			right = max(right, row[j-1]-open) - extend
			row[j] = max(0, diagonal+p.score(i, j), down[j], right)
			if got := p.table[i*w+j]; got != row[j] {
				return fmt.Errorf("the score at %d, %d is %d, by Gotoh's method it is %d", i, j, got, row[j])
			}
			diagonal = above[j]
		}
		above = row
	}
	return nil
}

// Result is a digest of the last row and the best score.
func (p *Problem) Result() uint64 {
	var d program.Digest
	best := int32(0)
	for _, v := range p.table {
		best = max(best, v)
	}
	d.Add(uint64(best))
	for _, v := range p.table[p.N*(p.N+1):] {
		d.Add(uint64(v))
	}
	return uint64(d)
}
