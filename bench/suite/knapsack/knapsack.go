// Package knapsack finds the most valuable choice of items that fit into a sack, by
// branch and bound: a task tries one item, in or out. N is the number of items, Base
// how many of the last ones are tried sequentially.
//
// DRDP (ECOOP'23) measures it with 40 items and promises. The program it comes from
// prunes by a best value that all tasks share, which is a race by design; here the
// bound is the value of a greedy choice, found before the first task starts.
package knapsack

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program.
var Info = program.Info{
	Name: "knapsack", Kind: program.Irregular,
	Tiny:   program.Params{N: 12, Base: 2},
	Small:  program.Params{N: 26, Base: 4},
	Medium: program.Params{N: 32, Base: 4},
	Paper:  program.Params{N: 40, Base: 13},
}

// An Item has a positive weight and value.
type Item struct{ Weight, Value int }

// A Problem is the items, the best value for its weight first, and what fits.
type Problem struct {
	program.Params
	Items    []Item
	Capacity int
	// Best is the result.
	Best   int
	greedy int
}

// New makes items whose values are near their weights, which prunes least.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N, params.Base); err != nil {
		return nil, err
	}
	p := &Problem{Params: params, Items: make([]Item, params.N)}
	r := program.Rand(params.Seed)
	for i := range p.Items {
		w := 50 + r.Below(200)
		p.Items[i] = Item{w, w + r.Below(30)}
		p.Capacity += w
	}
	p.Capacity /= 2
	slices.SortFunc(p.Items, func(a, b Item) int { return cmp.Compare(b.Value*a.Weight, a.Value*b.Weight) })
	room := p.Capacity
	for _, item := range p.Items {
		if item.Weight <= room {
			room -= item.Weight
			p.greedy += item.Value
		}
	}
	return p, nil
}

// Hopeless reports whether the items from i on cannot make more of value, with this
// much room left, than the greedy choice: even if the last may be cut.
func (p *Problem) Hopeless(i, room, value int) bool {
	for _, item := range p.Items[i:] {
		if item.Weight > room {
			return value+item.Value*room/item.Weight <= p.greedy
		}
		room -= item.Weight
		value += item.Value
	}
	return value <= p.greedy
}

// Try returns the best value with items from i on, sequentially, 0 if the greedy
// choice is at least as good.
func (p *Problem) Try(i, room, value int) int {
	if i == len(p.Items) {
		return value
	}
	if p.Hopeless(i, room, value) {
		return 0
	}
	best := p.Try(i+1, room, value)
	if item := p.Items[i]; item.Weight <= room {
		best = max(best, p.Try(i+1, room-item.Weight, value+item.Value))
	}
	return best
}

// Found takes the best value that was found.
func (p *Problem) Found(best int) { p.Best = max(best, p.greedy) }

// Serial tries all choices.
func Serial(p *Problem) { p.Found(p.Try(0, p.Capacity, 0)) }

// Check computes the best value for every capacity, item by item.
func (p *Problem) Check() error {
	best := make([]int, p.Capacity+1)
	for _, item := range p.Items {
		for c := p.Capacity; c >= item.Weight; c-- {
			best[c] = max(best[c], best[c-item.Weight]+item.Value)
		}
	}
	if want := best[p.Capacity]; p.Best != want {
		return fmt.Errorf("the best value is %d, by dynamic programming it is %d", p.Best, want)
	}
	return nil
}

// Result is the best value.
func (p *Problem) Result() uint64 { return uint64(p.Best) }
