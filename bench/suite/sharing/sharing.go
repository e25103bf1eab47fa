// Package sharing has programs that do next to nothing but synchronise: messages through a
// pipeline, one mutex for many goroutines, one atomic counter. They are of ordinary Go, so
// there is no form of them in tasks, and they compute sums that a formula knows.
package sharing

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/detrace/detrace/bench/suite/program"
)

// Messages sends N numbers through three stages, over channels with room for Base. In the racy
// variant two stages count in one variable.
var Messages = program.Info{
	Name: "messages", Kind: program.Sharing, Racy: true, OnlyGo: true,
	Tiny:   program.Params{N: 512, Base: 16},
	Small:  program.Params{N: 100_000, Base: 128},
	Medium: program.Params{N: 1_000_000, Base: 128},
	Paper:  program.Params{N: 1_000_000, Base: 128},
}

// Mutex starts N goroutines that each add to a sum under one mutex, Base times. In the racy
// variant the first does without the mutex.
var Mutex = program.Info{
	Name: "mutex", Kind: program.Sharing, Racy: true, OnlyGo: true,
	Tiny:   program.Params{N: 64, Base: 1},
	Small:  program.Params{N: 1000, Base: 1},
	Medium: program.Params{N: 100_000, Base: 1},
	Paper:  program.Params{N: 100_000, Base: 1},
}

// Atomics starts Base goroutines that add to one atomic counter, N times together. In the racy
// variant the main goroutine reads it too early, without an atomic load.
var Atomics = program.Info{
	Name: "atomics", Kind: program.Sharing, Racy: true, OnlyGo: true,
	Tiny:   program.Params{N: 512, Base: 4},
	Small:  program.Params{N: 100_000, Base: 8},
	Medium: program.Params{N: 1_000_000, Base: 8},
	Paper:  program.Params{N: 1_000_000, Base: 8},
}

// A Problem is how much to add up, and the sum.
type Problem struct {
	program.Params
	sum, times uint64 // times is how often each number is added
}

// New checks the sizes.
func New(params program.Params) (*Problem, error) {
	_, err := program.Blocks(params.N, 1)
	if err == nil {
		err = program.Positive(params.Base)
	}
	return &Problem{Params: params, times: 1}, err
}

// Pass sends the numbers through the stages.
func Pass(p *Problem) {
	stage := func(in <-chan uint64) <-chan uint64 {
		out := make(chan uint64, p.Base)
		go func() {
			defer close(out)
			for x := range in {
				out <- x + 1
				if p.Racy {
					p.Steps++
				}
			}
		}()
		return out
	}
	first := make(chan uint64, p.Base)
	go func() {
		defer close(first)
		for i := range p.N {
			first <- uint64(i)
		}
	}()
	for x := range stage(stage(first)) {
		p.sum += x - 2
	}
}

// Lock adds the numbers of the goroutines under one mutex.
func Lock(p *Problem) {
	p.times = uint64(p.Base)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range p.N {
		wg.Go(func() {
			for range p.Base {
				if p.Racy && i == 0 {
					p.sum += uint64(i)
					continue
				}
				mu.Lock()
				p.sum += uint64(i)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// Count adds the numbers to one counter.
func Count(p *Problem) {
	var wg sync.WaitGroup
	for g := range p.Base {
		wg.Go(func() {
			for i := g; i < p.N; i += p.Base {
				atomic.AddUint64(&p.sum, uint64(i))
			}
		})
	}
	if p.Racy {
		p.Steps = int(p.sum & 1)
	}
	wg.Wait()
}

// Check computes the sum by a formula.
func (p *Problem) Check() error {
	n := uint64(p.N)
	if want := n * (n - 1) / 2 * p.times; p.sum != want {
		return fmt.Errorf("the sum is %d, by the formula it is %d", p.sum, want)
	}
	return nil
}

// Result is the sum.
func (p *Problem) Result() uint64 { return p.sum }
