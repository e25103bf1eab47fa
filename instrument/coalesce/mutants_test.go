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
		{Name: "rounds are not counted", File: "note.go",
			Old: "fmt.Sprintf(\"; detraceRound%d++ \", i)", New: "\";\""},
		{Name: "boxes are merged over a gap", File: "emit.go",
			Old: "	for _, l := range e.least {\n		all = append(all, fmt.Sprintf(\"%s >= %d\", l.count, l.least))\n	}\n", New: ""},
		{Name: "boxes are merged to less", File: "merge.go",
			Old: "d.count.add(intPoly(m))", New: "d.count"},
		{Name: "the borders of inner loops are forgotten", File: "cover.go",
			Old: "		bits = bits.times(l.count)\n", New: "		bits = bits.times(l.count)\n		if len(parts) > 0 {\n			break\n		}\n"},
		{Name: "a border is as wide as one round", File: "cover.go",
			Old: "			border.count = intPoly(n)\n", New: "			border.count = intPoly(1)\n"},
		{Name: "a border that is last is taken for the first", File: "cover.go",
			Old: "			if ago[k] < 0 {\n", New: "			if false {\n"},
		{Name: "bits of a border are not found", File: "cover.go",
			Old: "				part.first = before.times(bits)\n", New: ""},
		{Name: "a write in one branch is one in all rounds", File: "cover.go",
			Old: "	if w.branch == nil {\n		return true\n	}\n", New: "	if true {\n		return true\n	}\n"},
		{Name: "what is written later covers", File: "cover.go",
			Old: "n < 0 && !ahead || n != 0", New: "n != 0"},
		{Name: "loops whose rounds differ have borders", File: "cover.go",
			Old: "len(r.chain) > maxDims || !rectangular(r.chain)", New: "len(r.chain) > maxDims"},
		{Name: "the last index of an array is forgotten", File: "loop.go",
			Old: "	return intPoly(t.Len())\n", New: "	return intPoly(t.Len() - 1)\n"},
		{Name: "what writes may be left", File: "loop.go",
			Old: "		if len(n.exits) > 0 && ref.write {", New: "		if false {"},
		{Name: "a nest that is left is told of", File: "exit.go",
			Old: "text += e.returns(false)", New: "text += e.returns(true)"},
		{Name: "parts of slices have all elements", File: "slice.go",
			Old: "	n.indexInside(inside, at)\n", New: "	_ = inside\n"},
		{Name: "parts of slices may be less than nothing", File: "slice.go",
			Old: "	n.least = append(n.least, atLeast{p.count, 1})\n", New: ""},
		{Name: "a part begins where its slice does", File: "slice.go",
			Old: "n.element(p.of, p.from.add(index), elem, at)", New: "n.element(p.of, index, elem, at)"},
		{Name: "a read stands for a write", File: "body.go",
			Old: "(r.write || !write) && (silent", New: "(silent"},
	})
}
