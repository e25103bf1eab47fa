package main

import "slices"

// A plan says what is measured, and of what size.
type plan struct {
	quick   bool
	tasks   int // of the costs
	asks    int
	edgesN  int
	edgesK  []int
	large   int // depth, width, futures
	sfLarge int
}

func newPlan(quick bool) plan {
	if quick {
		return plan{quick: true, tasks: 5000, asks: 100_000, edgesN: 20_000, edgesK: []int{10, 100, 1000}, large: 20_000, sfLarge: 2000}
	}
	return plan{tasks: 160_000, asks: 5_000_000, edgesN: 1_000_000, edgesK: []int{10, 100, 1000, 10_000, 30_000, 100_000}, large: 1_000_000, sfLarge: 100_000}
}

// all are the engines by the names of package detect/engines.
var all = []string{"spbags", "multibags", "multibagsplus", "rsketch", "lattice", "drdp", "order", "sforder", "forder", "jointree"}

// shapeOf are a shape's names for those that fork and join on a line instead.
func shapeOf(engine, shape string) string {
	if engine != "lattice" {
		return shape
	}
	return map[string]string{"spawn": "fork", "depth": "line", "width": "wideline"}[shape]
}

func (p plan) costJob(engine, shape string) job {
	return job{Quick: p.quick, Engine: engine, Shape: shapeOf(engine, shape), N: p.tasks, Asks: p.asks}
}

func (p plan) largeJob(engine, shape string) job {
	n := p.large
	if engine == "sforder" && shape == "futures" {
		n = p.sfLarge
	}
	return job{Quick: p.quick, Engine: engine, Shape: shapeOf(engine, shape), N: n}
}

// edgeSeries are the engines and programs measured with more and more non-SP edges.
var edgeSeries = []struct{ engine, shape string }{
	{"multibagsplus", "pool"}, {"rsketch", "pool"}, {"sforder", "pool"},
	{"multibagsplus", "leaves"}, {"rsketch", "leaves"},
}

func (p plan) edgeJob(engine, shape string, k int) job {
	return job{Quick: p.quick, Engine: engine, Shape: shape, N: p.edgesN, K: k}
}

// largeShapes are measured with large numbers of tasks; futures with two engines.
var largeShapes = []string{"depth", "width"}

var largeFutures = []string{"multibags", "sforder"}

func (p plan) contestJob(i int, side string) job {
	return job{Quick: p.quick, Contest: i, Side: side}
}

// jobs are all of them; those to be compared follow one another.
func (p plan) jobs() (list []job) {
	for _, shape := range []string{"spawn", "create"} {
		for _, engine := range all {
			if j := p.costJob(engine, shape); j.Shape != "" {
				list = append(list, j)
			}
		}
	}
	for _, k := range p.edgesK {
		for _, s := range edgeSeries {
			list = append(list, p.edgeJob(s.engine, s.shape, k))
		}
	}
	for _, shape := range largeShapes {
		for _, engine := range all {
			list = append(list, p.largeJob(engine, shape))
		}
	}
	for _, engine := range largeFutures {
		list = append(list, p.largeJob(engine, "futures"))
	}
	for i := range contests(p.quick) {
		for _, side := range sides {
			list = append(list, p.contestJob(i, side))
		}
	}
	return slices.Clip(list)
}
