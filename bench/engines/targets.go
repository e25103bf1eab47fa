package main

import (
	"fmt"
	"io"
	"strings"
)

// A target is something promised, and what was measured of it.
type target struct {
	what, want, got string
	verdict         verdict
}

type verdict string

const (
	met     verdict = "met"
	missed  verdict = "missed"
	unknown verdict = "not known"
)

func verdictOf(ok bool) verdict {
	if ok {
		return met
	}
	return missed
}

const (
	mostTask     = 40  // ns, a spawn and its return in multibags
	mostQuery    = 8   // ns, in multibags
	mostFutures  = 1e9 // bytes
	mostExponent = 2   // of time over the number of non-SP edges
	most         = 1.3 // of vector clocks' time and memory in the join tree
)

func (m *measured) writeTargets(w io.Writer) {
	fmt.Fprint(w, `
## Targets

A target for time or memory beside vector clocks is met if both ratios are; where the clocks were stopped and the join tree
was not, the ratio is a bound.

| what | target | measured | |
|---|---|---|---|
`)
	for _, t := range m.targets() {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", t.what, t.want, t.got, t.verdict)
	}
}

func (m *measured) targets() []target {
	list := append(m.bagTargets(), m.largeTargets()...)
	list = append(list, m.edgeTargets()...)
	list = append(list, m.contestTargets()...)
	return append(list, m.stress.target(m.machine.CPUs))
}

func (m *measured) bagTargets() []target {
	list := m.costs[m.costJob("multibags", "spawn")]
	task, query := spreadOf(list, perTask), spreadOf(list, perQuery)
	ran := list[0].Refused == ""
	return []target{
		{"multibags, spawn and return", fmt.Sprintf("%d ns", mostTask), task.String(), verdictOf(ran && task.median <= mostTask)},
		{"multibags, query", fmt.Sprintf("%d ns", mostQuery), query.String(), verdictOf(ran && query.median <= mostQuery)},
	}
}

func (m *measured) largeTargets() (list []target) {
	for _, engine := range largeFutures {
		j := m.largeJob(engine, "futures")
		size := spreadOf(m.costs[j], func(c cost) float64 { return float64(c.Peak) })
		ran := m.costs[j][0].Refused == ""
		list = append(list, target{fmt.Sprintf("%s, %d futures", engine, j.N), "1 GB", number(size.median/1e6) + " MB", verdictOf(ran && size.median <= mostFutures)})
	}
	for _, shape := range largeShapes {
		var not []string
		for _, engine := range all {
			if c := m.costs[m.largeJob(engine, shape)]; c[0].Refused != "" {
				not = append(not, engine)
			}
		}
		got := fmt.Sprintf("all %d engines", len(all))
		if len(not) > 0 {
			got = "not: " + strings.Join(not, ", ")
		}
		list = append(list, target{fmt.Sprintf("%s of %d tasks", shape, m.large), "to the end, without stack overflow", got, verdictOf(len(not) == 0)})
	}
	return list
}

func (m *measured) edgeTargets() (list []target) {
	for _, s := range edgeSeries {
		t := target{what: fmt.Sprintf("%s, %s, time over k = %d to %d", s.engine, s.shape, m.edgesK[0], m.edgesK[len(m.edgesK)-1]), want: fmt.Sprintf("exponent %d at most", mostExponent)}
		time, _, ok := m.fits(s.engine, s.shape)
		t.got, t.verdict = time.String(), verdictOf(ok && (time.grown == 0 || time.x < mostExponent+0.05))
		if ok && time.grown == 1 {
			t.verdict = unknown
		}
		list = append(list, t)
	}
	return list
}

func (m *measured) contestTargets() (list []target) {
	for i, c := range contests(m.quick) {
		for _, o := range opposed {
			time, memory := ratios(m.outcomes[m.contestJob(i, o.tree)], m.outcomes[m.contestJob(i, o.clocks)])
			t := target{what: "join tree, " + c.name + ", " + o.form, want: fmt.Sprintf("%v × vector clocks", most), got: fmt.Sprintf("time %v, memory %v", time, memory)}
			switch {
			case time.absent:
				t.verdict = missed
			case time.ratio <= most && memory.ratio <= most:
				t.verdict = met
			case time.bound != "":
				t.verdict = unknown
			default:
				t.verdict = missed
			}
			list = append(list, t)
		}
	}
	return list
}
