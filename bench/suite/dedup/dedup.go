// Package dedup compresses a stream: it is cut into chunks where a rolling hash says
// so, chunks that were seen before become references, the others are compressed. N is
// the length of the stream in bytes, Base the average length of a chunk.
//
// MultiBags (PPoPP'19) measures the dedup of the PARSEC suite on its input large, 184
// MB; 2D-Order and the lattice of suprema (SPAA'15) are about such pipelines. There
// compression is a library that is not instrumented. Here it is.
package dedup

import (
	"bytes"
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. In the racy variant the stage that looks for equal chunks
// does not wait for that of the chunk before.
var Info = program.Info{
	Name: "dedup", Kind: program.Pipeline, Racy: true,
	Tiny:   program.Params{N: 1 << 14, Base: 256},
	Small:  program.Params{N: 1 << 19, Base: 2048},
	Medium: program.Params{N: 4 << 20, Base: 4096},
	Paper:  program.Params{N: 184 << 20, Base: 4096},
}

// A Chunk is a piece of the stream on its way.
type Chunk struct {
	data   []byte
	number int
	hash   uint64
	same   int // number of the equal chunk that came first, its own if there is none
	packed []byte
}

// A Problem is the stream, what is known of it, and the output.
type Problem struct {
	program.Params
	stream []byte
	at     int // where the next chunk begins
	table  []*Chunk
	next   int // number of the next chunk
	output []output
}

// output is what is left of a chunk: a reference to an earlier one, or its packed data.
type output struct {
	same   int
	packed []byte
}

// New generates a stream in which long pieces occur again.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N, params.Base-15); err != nil {
		return nil, err
	}
	p := &Problem{Params: params, stream: make([]byte, 0, params.N)}
	r := program.Rand(params.Seed)
	for len(p.stream) < params.N {
		length := min(params.Base+r.Below(7*params.Base), params.N-len(p.stream))
		if len(p.stream) > 8*params.Base && r.Below(2) == 0 {
			from := r.Below(len(p.stream) - 8*params.Base)
			p.stream = append(p.stream, p.stream[from:from+length]...)
			continue
		}
		for range length {
			// Words of few letters, so that there is something to compress.
			p.stream = append(p.stream, "  aeinrst"[min(r.Below(9), r.Below(9))])
		}
	}
	size := 16
	for size < 4*params.N/params.Base {
		size *= 2
	}
	p.table = make([]*Chunk, size)
	return p, nil
}

// Cut returns the next chunk, nil behind the last: the first stage, in order.
func (p *Problem) Cut() *Chunk {
	if p.at == len(p.stream) {
		return nil
	}
	begin, hash := p.at, uint64(0)
	limit := min(begin+4*p.Base, len(p.stream))
	p.at = min(begin+p.Base/4, limit)
	for ; p.at < limit; p.at++ {
		hash = hash<<1 + program.Mix(uint64(p.stream[p.at]))
		if hash>>32%uint64(p.Base) == 0 {
			p.at++
			break
		}
	}
	c := &Chunk{data: p.stream[begin:p.at:p.at], number: p.next}
	p.next++
	return c
}

// Hash computes the hash of a chunk: any order.
func (p *Problem) Hash(c *Chunk) {
	h := uint64(14695981039346656037)
	for _, b := range c.data {
		h = (h ^ uint64(b)) * 1099511628211
	}
	c.hash = program.Mix(h)
}

// Deduplicate looks for an equal chunk before this one: in order.
func (p *Problem) Deduplicate(c *Chunk) {
	c.same = c.number
	for i := c.hash; ; i++ {
		switch slot := &p.table[i%uint64(len(p.table))]; {
		case *slot == nil:
			*slot = c
			return
		case (*slot).hash == c.hash && equal((*slot).data, c.data):
			c.same = (*slot).number
			return
		}
	}
}

// equal is bytes.Equal in Go, whose reads a detector sees.
func equal(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, v := range a {
		if v != b[i] {
			return false
		}
	}
	return true
}

// Compress packs a chunk that is new: any order.
func (p *Problem) Compress(c *Chunk) {
	if c.same == c.number {
		c.packed = pack(c.data)
	}
}

// Write appends to the output: the last stage, in order.
func (p *Problem) Write(c *Chunk) { p.output = append(p.output, output{c.same, c.packed}) }

// Serial takes one chunk after the other through all stages.
func Serial(p *Problem) {
	for c := p.Cut(); c != nil; c = p.Cut() {
		p.Hash(c)
		p.Deduplicate(c)
		p.Compress(c)
		p.Write(c)
	}
}

// Check unpacks the output and compares it with the stream.
func (p *Problem) Check() error {
	rest := p.stream
	var chunks [][]byte
	for i, out := range p.output {
		if out.same == i {
			data, err := unpack(out.packed)
			if err != nil {
				return fmt.Errorf("chunk %d: %w", i, err)
			}
			chunks = append(chunks, data)
		} else if out.same < i {
			chunks = append(chunks, chunks[out.same])
		} else {
			return fmt.Errorf("chunk %d refers to %d", i, out.same)
		}
		if !bytes.HasPrefix(rest, chunks[i]) {
			return fmt.Errorf("chunk %d is not what was cut off", i)
		}
		rest = rest[len(chunks[i]):]
	}
	if len(rest) > 0 {
		return fmt.Errorf("the last %d bytes are missing", len(rest))
	}
	return nil
}

// Result is a digest of the output.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for _, out := range p.output {
		d.Add(uint64(out.same))
		for _, b := range out.packed {
			d.Add(uint64(b))
		}
	}
	return uint64(d)
}
