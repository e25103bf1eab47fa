// Package soak runs a test of random inputs on many seeds: a fixed number in an
// ordinary run, a multiple of it with new seeds under the test flag -soak.
package soak

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

var factor = flag.Int("soak", 0, "run so many times the usual number of random programs, with new seeds")

// Seeds is the range of seeds, from first to first+count-1, for a test that tries n of
// them in an ordinary run.
func Seeds(n int) (first, count uint64) {
	if *factor > 0 {
		return rand.Uint64() >> 1, uint64(n) * uint64(*factor)
	}
	return 0, uint64(n)
}

// FirstFailure tries count seeds from first on, on all processors, until one fails,
// and returns the lowest seed that did with its error.
func FirstFailure(first, count uint64, try func(seed uint64) error) (seed uint64, err error) {
	var next, end atomic.Uint64
	next.Store(first)
	end.Store(first + count)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for s := next.Add(1) - 1; s < end.Load(); s = next.Add(1) - 1 {
				wrong := try(s)
				if wrong == nil {
					continue
				}
				mu.Lock()
				if s < end.Load() {
					end.Store(s)
					seed, err = s, wrong
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return seed, err
}
