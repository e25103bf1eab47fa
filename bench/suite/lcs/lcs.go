// Package lcs finds the length of the longest common subsequence of two sequences by
// dynamic programming in blocks. N is the length of both, Base the side of a block.
//
// MultiBags (PPoPP'19) measures it with futures.
package lcs

import (
	"fmt"
	"math/bits"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. The racy variant does not wait for the block above.
var Info = program.Info{
	Name: "lcs", Kind: program.Wavefront, General: true, Racy: true,
	Tiny:   program.Params{N: 128, Base: 16},
	Small:  program.Params{N: 1024, Base: 64},
	Medium: program.Params{N: 4096, Base: 64},
	Paper:  program.Params{N: 4096, Base: 64},
}

// letters is how many there are in a sequence.
const letters = 8

// A Problem is two sequences and the table: the element at row i and column j is the
// length for the first i and j letters.
type Problem struct {
	program.Params
	x, y   []byte
	table  []int32
	blocks int
}

// New makes two random sequences.
func New(params program.Params) (*Problem, error) {
	blocks, err := program.Blocks(params.N, params.Base)
	if err != nil {
		return nil, err
	}
	n := params.N
	p := &Problem{params, make([]byte, n), make([]byte, n), make([]int32, (n+1)*(n+1)), blocks}
	r := program.Rand(params.Seed)
	for i := range n {
		p.x[i], p.y[i] = byte(r.Below(letters)), byte(r.Below(letters))
	}
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
			if p.x[i-1] == p.y[j-1] {
				p.table[i*w+j] = p.table[(i-1)*w+j-1] + 1
			} else {
				p.table[i*w+j] = max(p.table[(i-1)*w+j], p.table[i*w+j-1])
			}
		}
	}
}

// Check computes the length again, 64 columns at a time: bit j of a row is unset where
// the length grows from column j to the next (Crochemore et al., 2001).
func (p *Problem) Check() error {
	words := (p.N + 63) / 64
	var match [letters][]uint64
	for l := range match {
		match[l] = make([]uint64, words)
	}
	for j, l := range p.y {
		match[l][j/64] |= 1 << (j % 64)
	}
	row := make([]uint64, words)
	for w := range row {
		row[w] = ^uint64(0)
	}
	for _, l := range p.x {
		carry := uint64(0)
		for w, v := range row {
			hit := v & match[l][w]
			var sum uint64
			sum, carry = bits.Add64(v, hit, carry)
			row[w] = sum | v&^hit
		}
	}
	length := 0
	for j := range p.N {
		length += int(^row[j/64] >> (j % 64) & 1)
	}
	if got := int(p.table[len(p.table)-1]); got != length {
		return fmt.Errorf("the length is %d, bit by bit it is %d", got, length)
	}
	return nil
}

// Result is a digest of the last row.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for _, v := range p.table[p.N*(p.N+1):] {
		d.Add(uint64(v))
	}
	return uint64(d)
}
