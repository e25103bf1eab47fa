// Package fib computes a Fibonacci number by its definition, a task for each sum: what
// starting and joining tasks costs. N is the number's index; up to Base it is computed
// sequentially.
package fib

import (
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program. The racy variant counts sums in a variable of all tasks.
var Info = program.Info{
	Name: "fib", Kind: program.Spawn, Racy: true,
	Tiny:   program.Params{N: 10, Base: 1},
	Small:  program.Params{N: 17, Base: 1},
	Medium: program.Params{N: 21, Base: 1},
	Paper:  program.Params{N: 27, Base: 1},
}

// A Problem is an index and the number.
type Problem struct {
	program.Params
	Value int
	// Sums is how many tasks added up, where that is counted.
	Sums int
}

// New makes the problem.
func New(params program.Params) (*Problem, error) {
	return &Problem{Params: params}, program.Positive(params.N, params.Base)
}

// Number computes the number with index n sequentially.
func Number(n int) int {
	if n < 2 {
		return n
	}
	return Number(n-1) + Number(n-2)
}

// Serial computes p.Value.
func Serial(p *Problem) { p.Value = Number(p.N) }

// Check computes the number by addition of its predecessors, one after the other.
func (p *Problem) Check() error {
	a, b := 0, 1
	for range p.N {
		a, b = b, a+b
	}
	if p.Value != a {
		return fmt.Errorf("the number is %d, by addition it is %d", p.Value, a)
	}
	return nil
}

// Result is the number.
func (p *Problem) Result() uint64 { return uint64(p.Value) }
