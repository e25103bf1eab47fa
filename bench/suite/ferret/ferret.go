// Package ferret finds the images most like a query in a table of images: a query is
// segmented, described by features, compared with the whole table, and the best
// candidates are ranked. N is the number of queries, Base the side of an image, Steps
// the number of images in the table.
//
// SF-Order (SPAA'21) measures the ferret of the PARSEC suite with futures, on its input
// simlarge of 256 queries. This one does the same on generated images.
package ferret

import (
	"fmt"
	"slices"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program.
var Info = program.Info{
	Name: "ferret", Kind: program.Pipeline,
	Tiny:   program.Params{N: 8, Base: 16, Steps: 32},
	Small:  program.Params{N: 32, Base: 64, Steps: 1024},
	Medium: program.Params{N: 64, Base: 128, Steps: 4096},
	Paper:  program.Params{N: 256, Base: 128, Steps: 34_793},
}

const (
	segments   = 4
	features   = 14 // of a segment
	candidates = 8
	noise      = 64 // in one of so many pixels:
	rare       = 100
)

// A vector describes an image.
type vector [segments * features]float32

// A Query is an image on its way.
type Query struct {
	number   int
	pixels   []uint8
	segment  []uint8 // of each pixel
	describe vector
	found    []int // images of the table, best first
}

// A Problem is the table and the answers.
type Problem struct {
	program.Params
	table []vector
	// answers are the best images for each query, in order of queries.
	answers [][]int
}

// New makes the table.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N, params.Base, params.Steps-candidates); err != nil {
		return nil, err
	}
	p := &Problem{Params: params, table: make([]vector, params.Steps)}
	// Describing an image costs more than looking one up, so only those that are asked
	// for are described; the others are random.
	r := program.Rand(params.Seed)
	for i := range p.table {
		for k := range p.table[i] {
			p.table[i][k] = float32(r.Unit())
		}
	}
	for n := range params.N {
		q := &Query{pixels: p.image(p.original(n), 0)}
		p.Segment(q)
		p.Extract(q)
		p.table[p.original(n)] = q.describe
	}
	return p, nil
}

// original is the image that query n is a noisy copy of.
func (p *Problem) original(n int) int { return n * p.Steps / p.N }

// image generates the pixels of an image with noise made from salt, none if it is 0.
func (p *Problem) image(number int, salt uint64) []uint8 {
	r, hiss := program.Rand(p.Seed+uint64(number)<<20), program.Rand(salt)
	pixels := make([]uint8, p.Base*p.Base)
	cx, cy := r.Below(p.Base), r.Below(p.Base)
	slope, texture := r.Below(3)+1, r.Below(60)+1
	for i := range pixels {
		dx, dy := i%p.Base-cx, i/p.Base-cy
		v := 20 + (dx*dx*slope+dy*dy)*150/(p.Base*p.Base) + r.Below(texture)
		if salt != 0 && hiss.Below(rare) == 0 {
			v += hiss.Below(noise)
		}
		pixels[i] = uint8(min(v, 255))
	}
	return pixels
}

// Load starts query n: the first stage.
func (p *Problem) Load(n int) *Query {
	return &Query{number: n, pixels: p.image(p.original(n), uint64(n)+1)}
}

// Segment divides the pixels by brightness.
func (p *Problem) Segment(q *Query) {
	q.segment = make([]uint8, len(q.pixels))
	for i, v := range q.pixels {
		q.segment[i] = v / (256 / segments)
	}
}

// Extract describes each segment: size, place, mean brightness and a histogram.
func (p *Problem) Extract(q *Query) {
	var v vector
	var size [segments]float32
	for i, s := range q.segment {
		f := v[int(s)*features : (int(s)+1)*features]
		size[s]++
		f[1] += float32(i % p.Base)
		f[2] += float32(i / p.Base)
		f[3] += float32(q.pixels[i])
		f[4+q.pixels[i]%64*10/64]++
	}
	// Shares of the whole, so that a segment of a few noisy pixels counts for little.
	total := float32(len(q.pixels))
	for s, n := range size {
		f := v[s*features : (s+1)*features]
		f[0] = n / total
		f[1] /= total * float32(p.Base)
		f[2] /= total * float32(p.Base)
		f[3] /= total * 256
		for k := 4; k < features; k++ {
			f[k] /= total
		}
	}
	q.describe = v
}

// Lookup finds the candidates: the images nearest by the sum of differences.
func (p *Problem) Lookup(q *Query) {
	var nearest [candidates]float32
	q.found = q.found[:0]
	for i := range p.table {
		far := float32(0)
		for k := range p.table[i] {
			d := p.table[i][k] - q.describe[k]
			far += max(d, -d)
		}
		if len(q.found) == candidates && far >= nearest[candidates-1] {
			continue
		}
		if len(q.found) < candidates {
			q.found = append(q.found, 0)
		}
		at := len(q.found) - 1
		for ; at > 0 && far < nearest[at-1]; at-- {
			nearest[at], q.found[at] = nearest[at-1], q.found[at-1]
		}
		nearest[at], q.found[at] = far, i
	}
}

// Rank puts the candidates in order of distance, large segments counting more.
func (p *Problem) Rank(q *Query) {
	distance := func(image int) float32 {
		sum := float32(0)
		for s := range segments {
			weight := p.table[image][s*features] + q.describe[s*features]
			for k := s * features; k < (s+1)*features; k++ {
				d := p.table[image][k] - q.describe[k]
				sum += weight * d * d
			}
		}
		return sum
	}
	slices.SortStableFunc(q.found, func(a, b int) int {
		switch x, y := distance(a), distance(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
}

// Answer takes the answer, in order of queries: the last stage.
func (p *Problem) Answer(q *Query) { p.answers = append(p.answers, q.found) }

// Serial answers one query after the other.
func Serial(p *Problem) {
	for n := range p.N {
		q := p.Load(n)
		p.Segment(q)
		p.Extract(q)
		p.Lookup(q)
		p.Rank(q)
		p.Answer(q)
	}
}

// Check wants the first answer to be the image of which the query is a copy.
func (p *Problem) Check() error {
	if len(p.answers) != p.N {
		return fmt.Errorf("there are %d answers", len(p.answers))
	}
	for n, found := range p.answers {
		if found[0] != p.original(n) {
			return fmt.Errorf("query %d is a copy of image %d, the answer is %v", n, p.original(n), found)
		}
	}
	return nil
}

// Result is a digest of all answers.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for _, found := range p.answers {
		for _, image := range found {
			d.Add(uint64(image))
		}
	}
	return uint64(d)
}
