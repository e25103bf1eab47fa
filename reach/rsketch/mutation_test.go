package rsketch_test

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// faults are wrong variants that look right. Those marked refuted are how the paper can
// be read.
var faults = []mutants.Mutant{
	{Name: "refuted: the slot that leads to the next anchor stays when a fork comes between", File: "sketch.go",
		Old: "if a.out[i] == s {", New: "if false {"},
	{Name: "refuted: case 3a wants a PredAnchor without any edge", File: "sketch.go",
		Old: "return (s&left == 0 || a.out[0] == 0) && (s&right == 0 || a.out[1] == 0)", New: "return a.out[0] == 0 && a.out[1] == 0"},
	{Name: "refuted: behind a join one slot of the fork is filled", File: "sketch.go",
		Old: "s |= right", New: "s = right"},
	{Name: "proxies do not follow their anchor predecessor", File: "sketch.go",
		Old: "if n.px == p {", New: "if false {"},
	{Name: "the forward search leaves out right sides", File: "sketch.go",
		Old: "if n.other != 0 {", New: "if false {"},
	{Name: "the backward search leaves out right sides", File: "sketch.go",
		Old: "if n.right != 0 {", New: "if false {"},
	{Name: "a join that becomes an anchor by a set leaves its right side without proxies", File: "sketch.go",
		Old: "\te.back(n.right, p)\n", New: ""},
	{Name: "a proxy that is a fork is asked for its left slot only", File: "sketch.go",
		Old: "if p.other == 0 || e.before(p.next, x) {", New: "if p.other == 0 || true {"},
	{Name: "a join takes the farther anchor", File: "sketch.go",
		Old: "n.pa = pl", New: "n.pa = pr"},
	{Name: "a new fork of R does not reach what was behind it", File: "sketch.go",
		Old: "\te.edge(f, s)\n", New: ""},
	{Name: "a new fork of R is not reached", File: "sketch.go",
		Old: "\te.edge(p, f)\n", New: ""},
	{Name: "a join of R is not reached from the right", File: "sketch.go",
		Old: "\t\te.edge(pr, v)\n", New: ""},
	{Name: "a join comes after its right side only", File: "sketch.go",
		Old: "e.place(b.item, a.item)", New: "e.place(b.item, b.item)"},
	{Name: "a spawn nests with asyncs of an own finish", File: "construct.go",
		Old: "return parent.inside == 0", New: "return true"},
	{Name: "an async nests with spawned children", File: "construct.go",
		Old: "parent.spawned == 0 && (", New: "("},
	{Name: "an async nests in a child that is not of its finish", File: "construct.go",
		Old: "(own || parent.finish == c.Finish)", New: "(own || true)"},
	{Name: "a child joined at the end of a finish is out for ever", File: "construct.go",
		Old: "\t\tjoiner.spawned = 0\n", New: "\t\tjoiner.spawned, joiner.inside = 0, 0\n"},
	{Name: "what a strand blocked in is forgotten", File: "construct.go",
		Old: "e.node(s.Index()).next; next != 0 {", New: "e.node(s.Index()).next; next != 0 && e.node(next).vertex == 0 {"},
	{Name: "the creator is ordered before the continuation only", File: "construct.go",
		Old: "\t\te.edge(u, first)\n", New: ""},
	{Name: "what a vertex gains stays there", File: "closure.go",
		Old: "if first == high || to.arcs == 0 {", New: "if true {"},
	{Name: "a vertex passes on only the first entry that has changed", File: "closure.go",
		Old: "first, last = min(first, i), i+1", New: "first, last = min(first, i), min(first, i)+1"},
	{Name: "a shared block is written", File: "closure.go",
		Old: "if old != 0 && *c.refs.At(old) == 1 {", New: "if old != 0 {"},
	{Name: "a block taken over is not counted", File: "closure.go",
		Old: "\t\t*c.refs.At(source)++\n", New: ""},
	{Name: "an outgrown directory is not cleared", File: "closure.go",
		Old: "\t\t\tc.entries.Discard(v.directory, v.directory+1<<v.class)\n", New: ""},
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "ConformPairs|Mixtures|Closure", faults)
}
