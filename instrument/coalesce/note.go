package coalesce

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// maskBits is how many rounds can be told apart in which a branch ran.
const maskBits = 4096

// note has the rounds noted in which a branch runs.
func (e *emission) note(r *ref) {
	if r.branch != nil && !r.silent && r.branch.number < 0 {
		r.branch.number = len(e.branches)
		e.branches = append(e.branches, r.branch)
	}
}

// noted is the mask of the box's rounds and where in it they are, as arguments.
func (b *box) noted() string {
	row := b.branch.chain[len(b.branch.chain)-1].count
	plane := row
	if n := len(b.branch.chain); n > 1 {
		plane = row.times(b.branch.chain[n-2].count)
	}
	return fmt.Sprintf(", &detraceMask%d, %s, %s, %s", b.branch.number, b.first, row, plane)
}

// noting is the text of the nest in which branches note when they run.
func (e *emission) noting(original string) string {
	if len(e.branches) == 0 && !e.mayBeLeft() {
		return original
	}
	inserts := append(e.leaving(), e.asking()...)
	insert := func(at token.Pos, text string) {
		k := e.offset(at)
		inserts = append(inserts, patch.At(k, text))
	}
	var prefix strings.Builder
	for i, b := range e.branches {
		fmt.Fprintf(&prefix, "detraceRound%d := 0; ", i)
		insert(b.block.Lbrace+1, fmt.Sprintf(" detraceMask%d[detraceRound%d>>6&%d] |= 1 << (detraceRound%d & 63); ", i, i, maskBits/64-1, i))
		insert(loopBody(b.chain[len(b.chain)-1].stmt).Rbrace, fmt.Sprintf("; detraceRound%d++ ", i))
	}
	return prefix.String() + e.rewriter.line(e.stmt.Pos()) + e.with(e.stmt, inserts)
}

// roundsFit is the condition that all rounds of branches have a bit.
func (e *emission) roundsFit() []string {
	var all []string
	for _, b := range e.branches {
		rounds := ""
		for i, l := range b.chain {
			if i > 0 {
				rounds += " && "
			}
			rounds += fmt.Sprintf("%s <= %d", l.count, maskBits)
		}
		product := intPoly(1)
		for _, l := range b.chain {
			product = product.times(l.count)
		}
		if condition := fmt.Sprintf("%s && %s <= %d", rounds, product, maskBits); !slices.Contains(all, condition) {
			all = append(all, condition)
		}
	}
	return all
}
