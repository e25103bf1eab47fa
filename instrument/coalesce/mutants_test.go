package coalesce

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestMutants shows that random nests notice what is easily got wrong in the analysis.
func TestMutants(t *testing.T) {
	mutants.Run(t, "^TestFewRandomNests$", []mutants.Mutant{
		{Name: "a bound that is included is not counted", File: "loop.go",
			Old: "		distance = distance.add(intPoly(1))\n", New: ""},
		{Name: "a box of a loop that depends on it is its first round", File: "fold.go",
			Old: "	if growth*l.step > 0 {\n		round = l.last()\n	}\n", New: ""},
		{Name: "a corner that moves does not matter", File: "fold.go",
			Old: "	if b.corner(l.v, false) {\n", New: "	if true {\n"},
		{Name: "the step of a loop is forgotten", File: "fold.go",
			Old: "steps[i] = intPoly(l.step).times(factor)", New: "steps[i] = factor"},
		{Name: "loops that run no round touch something", File: "emit.go",
			Old: "	for _, p := range b.when {\n		add(p)\n	}\n", New: ""},
		{Name: "indices are not looked at", File: "emit.go",
			Old: "if inside := e.inside(box); inside != \"\" {", New: "if inside := e.inside(box); inside == \"none\" {"},
		{Name: "a later access in an inner loop stands for one in an outer", File: "body.go",
			Old: "around(r.chain, n.chain) && n.branch.within(r.branch)", New: "n.branch.within(r.branch)"},
		{Name: "an access on a condition stands for one without", File: "body.go",
			Old: " && n.branch.within(r.branch) {", New: " {"},
		{Name: "rounds are not counted", File: "emit.go",
			Old: "fmt.Sprintf(\"; detraceRound%d++ \", i)", New: "\";\""},
		{Name: "boxes are merged over a gap", File: "emit.go",
			Old: "	for _, l := range e.least {\n		all = append(all, fmt.Sprintf(\"%s >= %d\", l.count, l.least))\n	}\n", New: ""},
		{Name: "boxes are merged to less", File: "merge.go",
			Old: "d.count.add(intPoly(m))", New: "d.count"},
		{Name: "a read stands for a write", File: "body.go",
			Old: "(r.write || !write) && (silent", New: "(silent"},
	})
}
