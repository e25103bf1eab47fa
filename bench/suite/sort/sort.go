// Package sort sorts by divide and conquer: four quarters, merged in pairs, and merges
// that are cut in two themselves. N is the number of elements, Base how many are
// sorted or merged sequentially.
//
// MultiBags re-measured in SPAA'21 and SF-Order use it with futures, N = 10,000,000 and
// Base = 8192; DRDP uses it with promises.
package sort

import (
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program with futures. The racy variant merges while the last
// quarter is still being sorted.
var Info = program.Info{
	Name: "sort", Kind: program.Sort, Racy: true,
	Tiny:   program.Params{N: 1000, Base: 32},
	Small:  program.Params{N: 100_000, Base: 2048},
	Medium: program.Params{N: 500_000, Base: 8192},
	Paper:  program.Params{N: 10_000_000, Base: 8192},
}

// Promises describes the program with promises, which DRDP measures.
var Promises = program.Info{
	Name: "promisesort", Kind: program.Sort,
	Tiny:   program.Params{N: 1000, Base: 32},
	Small:  program.Params{N: 100_000, Base: 2048},
	Medium: program.Params{N: 500_000, Base: 8192},
	Paper:  program.Params{N: 10_000_000, Base: 1024},
}

// A Problem is an array to be sorted, and one of its length to merge into.
type Problem struct {
	program.Params
	A, Tmp []int
	sum    int
	mixed  uint64
}

// New fills the array with random numbers.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N, params.Base-3); err != nil {
		return nil, err
	}
	p := &Problem{Params: params, A: make([]int, params.N), Tmp: make([]int, params.N)}
	r := program.Rand(params.Seed)
	for i := range p.A {
		p.A[i] = int(r.Next() >> 1)
	}
	p.sum, p.mixed = fingerprint(p.A)
	return p, nil
}

// fingerprint is the same for all orders of the elements.
func fingerprint(a []int) (sum int, mixed uint64) {
	for _, v := range a {
		sum += v
		mixed ^= program.Mix(uint64(v))
	}
	return sum, mixed
}

// Check wants the elements in order, and the same ones as before.
func (p *Problem) Check() error {
	for i := 1; i < len(p.A); i++ {
		if p.A[i] < p.A[i-1] {
			return fmt.Errorf("element %d is below the one before", i)
		}
	}
	if sum, mixed := fingerprint(p.A); sum != p.sum || mixed != p.mixed {
		return fmt.Errorf("the elements are not the same as before")
	}
	return nil
}

// Result is a digest of a few quantiles.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for i := range 16 {
		d.Add(uint64(p.A[i*len(p.A)/16]))
	}
	return uint64(d)
}

// Serial sorts as the tasks do.
func Serial(p *Problem) { serial(p.A, p.Tmp, p.Base) }

func serial(a, tmp []int, base int) {
	if len(a) <= base {
		Leaf(a)
		return
	}
	q := Quarters(len(a))
	for i := range 4 {
		serial(a[q[i]:q[i+1]], tmp[q[i]:q[i+1]], base)
	}
	Merge(tmp[:q[2]], a[:q[1]], a[q[1]:q[2]])
	Merge(tmp[q[2]:], a[q[2]:q[3]], a[q[3]:])
	Merge(a, tmp[:q[2]], tmp[q[2]:])
}

// Quarters returns where the quarters of n elements begin and end.
func Quarters(n int) [5]int {
	q := n / 4
	return [5]int{0, q, 2 * q, 3 * q, n}
}

// Leaf sorts a few elements.
func Leaf(a []int) {
	for len(a) > 16 {
		m := partition(a)
		Leaf(a[m:])
		a = a[:m]
	}
	for i := 1; i < len(a); i++ {
		v, j := a[i], i
		for ; j > 0 && a[j-1] > v; j-- {
			a[j] = a[j-1]
		}
		a[j] = v
	}
}

// partition cuts a in two, neither of them empty, by the median of three elements.
func partition(a []int) int {
	x, y, z := a[0], a[len(a)/2], a[len(a)-1]
	pivot := max(min(x, y), min(max(x, y), z))
	i, j := -1, len(a)
	for {
		for i++; a[i] < pivot; i++ {
		}
		for j--; a[j] > pivot; j-- {
		}
		if i >= j {
			return j + 1
		}
		a[i], a[j] = a[j], a[i]
	}
}

// Merge merges a and b, both sorted, into to.
func Merge(to, a, b []int) {
	i, j := 0, 0
	for k := range to {
		if j == len(b) || i < len(a) && a[i] <= b[j] {
			to[k] = a[i]
			i++
		} else {
			to[k] = b[j]
			j++
		}
	}
}

// Cut returns where to cut a and b so that everything before both places belongs
// before everything behind them, and neither side is empty. a has at least two elements.
func Cut(a, b []int) (i, j int) {
	i = len(a) / 2
	pivot, high := a[i], len(b)
	for j < high {
		if m := (j + high) / 2; b[m] < pivot {
			j = m + 1
		} else {
			high = m
		}
	}
	return i, j
}
