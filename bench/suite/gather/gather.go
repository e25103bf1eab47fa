// Package gather adds up elements of a table at random places: accesses without any
// locality. N is the number of sums and of elements of the table, Base how many sums
// a task computes, Steps how many elements a sum has.
package gather

import (
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. In the racy variant the parts of neighbouring tasks
// overlap by one sum.
var Info = program.Info{
	Name: "gather", Kind: program.Irregular, Racy: true,
	Tiny:   program.Params{N: 1024, Base: 64, Steps: 4},
	Small:  program.Params{N: 65_536, Base: 2048, Steps: 8},
	Medium: program.Params{N: 262_144, Base: 8192, Steps: 8},
	Paper:  program.Params{N: 4_194_304, Base: 16_384, Steps: 16},
}

// A Problem is a table and the sums.
type Problem struct {
	program.Params
	table, sums []uint64
}

// New fills the table.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N, params.Base, params.Steps); err != nil {
		return nil, err
	}
	p := &Problem{params, make([]uint64, params.N), make([]uint64, params.N)}
	for i := range p.table {
		p.table[i] = p.element(uint64(i))
	}
	return p, nil
}

func (p *Problem) element(i uint64) uint64 { return program.Mix(i ^ p.Seed) }

// Parts is how many parts of Base sums there are.
func (p *Problem) Parts() int { return (p.N + p.Base - 1) / p.Base }

// Part computes the sums of one part.
func (p *Problem) Part(part int) {
	end := (part + 1) * p.Base
	if p.Racy {
		end++
	}
	for i := part * p.Base; i < min(end, p.N); i++ {
		at, sum := program.Rand(i), uint64(0)
		for range p.Steps {
			sum += p.table[at.Next()%uint64(p.N)]
		}
		p.sums[i] = sum
	}
}

// Serial computes all parts.
func Serial(p *Problem) {
	for part := range p.Parts() {
		p.Part(part)
	}
}

// Check computes the sums again without the table.
func (p *Problem) Check() error {
	for i, got := range p.sums {
		at, want := program.Rand(i), uint64(0)
		for range p.Steps {
			want += p.element(at.Next() % uint64(p.N))
		}
		if got != want {
			return fmt.Errorf("sum %d is %d, without the table it is %d", i, got, want)
		}
	}
	return nil
}

// Result is a digest of all sums.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for _, sum := range p.sums {
		d.Add(sum)
	}
	return uint64(d)
}
