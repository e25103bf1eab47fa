package structured

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestMutants shows that the tests notice what could go wrong.
func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestEveryEngine.*|TestTraces|TestBytes|TestOracleLimits)$", []mutants.Mutant{
		{Name: "depth-first constructs are not checked", File: "engines.go",
			Old: "if refusal := o.depthFirst.Do(c); refusal.Refused() {", New: "if refusal := o.depthFirst.Do(c); false {"},
		{Name: "depth-first accesses are not checked", File: "engines.go", Old: "running != t {", New: "false {"},
		{Name: "accesses out of the turn of a serial run are not checked", File: "engines.go",
			Old: "return o.engine.(stacked).Runs(t)", New: "return reach.Refusal{}"},
		{Name: "two readers for structured futures", File: "engines.go",
			Old: "history.NewTwoPerFuture(e.(history.Futures))", New: "history.NewTwoReaders(e.(history.EnglishOrder))"},
		{Name: "one reader for futures", File: "engines.go",
			Old: "new(multibagsplus.Engine) }, readerList, 3}", New: "new(multibagsplus.Engine) }, func(e reach.Engine) *history.History { return history.NewOneReader(e) }, 3}"},
		{Name: "an automatic choice keeps one reader", File: "auto.go", Old: "history.NewReaderList(a)", New: "history.NewOneReader(a)"},
		{Name: "the larger engine is not told of what was", File: "auto.go", Old: "for _, l := range a.log {", New: "for _, l := range a.log[:0] {"},
		{Name: "the larger engine is not told of what the smaller one refused", File: "auto.go",
			Old: "				refusal = next.Do(c)\n", New: "				_ = c\n"},
		{Name: "the log ends with the first exchange", File: "auto.go", Old: "	case c != nil:\n		a.note", New: "	case false:\n		a.note"},
		{Name: "a joined task is not logged", File: "auto.go", Old: "if c.Kind == reach.Get || c.Kind == reach.Join {", New: "if c.Kind == reach.Get {"},
		{Name: "an alloc forgets nothing", File: "online.go", Old: "func (f *fixed) alloc(addr, last uint64) { f.history.Alloc(addr, last) }", New: "func (f *fixed) alloc(_, _ uint64) {}"},
		{Name: "writes are remembered as reads", File: "judge.go", Old: "{event.Write, history.Write}", New: "{event.Write, history.Read}"},
		{Name: "the oracle takes atomic writes for plain ones", File: "oracle.go", Old: "history.AtomicWrite: dag.AtomicWrite", New: "history.AtomicWrite: dag.Write"},
		{Name: "the oracle forgets its allocs", File: "oracle.go", Old: "		o.dag.Alloc(addr, size)\n", New: ""},
		{Name: "the oracle joins pieces that do not touch", File: "oracle.go", Old: "Addr: r.Addr + uint64(n), First", New: "Addr: races[i+n].Addr, First"},
		{Name: "the first access is named by another's line", File: "judge.go", Old: "Line: int(uint32(r.First.ID)), Op: kindOf", New: "Line: e.Line, Op: kindOf"},
		{Name: "the first access is said to be a read", File: "judge.go", Old: "Op: kindOf(r.Op)", New: "Op: event.Read"},
		{Name: "only the first racing byte counts", File: "judge.go", Old: "j.racy.add(r.Addr, r.Addr+(r.Size-1))", New: "j.racy.add(r.Addr, r.Addr)"},
		{Name: "ranges that touch stay apart", File: "bytes.go", Old: " || r.Lo == merged[n-1].Last+1", New: ""},
		{Name: "a range inside another shortens it", File: "bytes.go", Old: "max(merged[n-1].Last, r.Last)", New: "r.Last"},
	})
}
