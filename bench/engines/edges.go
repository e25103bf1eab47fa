package main

import (
	"fmt"
	"math"

	"github.com/detrace/detrace/reach"
)

// Programs of about n constructs with k non-SP edges, the creates and the gets of k/2
// futures.
var edgePrograms = map[string]func(p *told, n, k int){"pool": pool, "leaves": leaves}

// pool has futures that each do a share of the work in spawned tasks; each gets the
// fourth before it. They are structured.
func pool(p *told, n, k int) {
	futures := make([]reach.Task, k/2)
	share := (2*n/k - 3) / 3
	for i := range futures {
		if p.stopped() {
			return
		}
		futures[i] = p.do(reach.Create, 1, 0)
		for range share {
			p.do(reach.End, p.do(reach.Spawn, futures[i], 0), 0)
			p.do(reach.Sync, futures[i], 0)
		}
		if i >= 4 {
			p.do(reach.Get, futures[i], uint32(futures[i-4]))
		}
		p.do(reach.End, futures[i], 0)
	}
	for _, f := range futures[max(0, len(futures)-4):] {
		p.do(reach.Get, 1, uint32(f))
	}
}

// leaves is a binary tree of spawned tasks. At k/2 leaves, equally far apart, a future is
// created and that of the leaf before is got, which is parallel.
func leaves(p *told, n, k int) {
	depth := int(math.Log2(float64(n)/4) + 0.5)
	count, last := 0, reach.Task(0)
	leaf := func(t reach.Task) {
		count++
		if count*(k/2)>>depth == (count-1)*(k/2)>>depth {
			return
		}
		future := p.do(reach.Create, t, 0)
		p.do(reach.End, future, 0)
		if last != 0 {
			p.do(reach.Get, t, uint32(last))
		}
		last = future
	}
	var split func(t reach.Task, depth int)
	split = func(t reach.Task, depth int) {
		if depth == 0 || p.stopped() {
			leaf(t)
			return
		}
		child := p.do(reach.Spawn, t, 0)
		split(child, depth-1)
		p.do(reach.End, child, 0)
		split(t, depth-1)
		p.do(reach.Sync, t, 0)
	}
	split(1, depth)
}

// A fit is a + c·k^x, which comes close to values measured for some k.
type fit struct {
	x     float64
	grown int     // for so many k, c·k^x is more than a tenth of a
	off   float64 // the largest deviation, relative to the value measured
}

// fitOf is the fit with the least sum of squares of relative deviations, a and c not
// negative, x in hundredths up to 3.
func fitOf(ks []int, values []float64) (best fit) {
	least := math.Inf(1)
	for step := 10; step <= 300; step++ {
		x := float64(step) / 100
		a, c := flatAndPower(ks, values, x)
		f, sum := fit{x: x}, 0.0
		for i, k := range ks {
			growth := c * math.Pow(float64(k), x)
			d := (a+growth)/values[i] - 1
			sum, f.off = sum+d*d, max(f.off, math.Abs(d))
			if growth > a/10 {
				f.grown++
			}
		}
		if sum < least {
			best, least = f, sum
		}
	}
	return best
}

// flatAndPower are the a and c of the best fit for this x.
func flatAndPower(ks []int, values []float64, x float64) (a, c float64) {
	var one, p, pp, v, pv float64 // weighted sums
	for i, k := range ks {
		w, power := 1/(values[i]*values[i]), math.Pow(float64(k), x)
		one, p, pp, v, pv = one+w, p+w*power, pp+w*power*power, v+w*values[i], pv+w*power*values[i]
	}
	a, c = (v*pp-p*pv)/(one*pp-p*p), (one*pv-p*v)/(one*pp-p*p)
	switch {
	case c < 0:
		return v / one, 0
	case a < 0:
		return 0, pv / pp
	}
	return a, c
}

// String is the exponent, if there are two points at least that tell it.
func (f fit) String() string {
	switch f.grown {
	case 0:
		return fmt.Sprintf("flat, ±%.0f %%", 100*f.off)
	case 1:
		return "none: only the last is above"
	}
	return fmt.Sprintf("%.2f, ±%.0f %%", f.x, 100*f.off)
}
