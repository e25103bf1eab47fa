package detect

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/shadow"
)

// What is known of bytes of a run is known of no other byte, run, strand or kind of access,
// and not beyond what is known of the state.
func TestKnownInRun(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	other := j.Fork(root, 0)
	s, p := j.Local(root).Strand, j.proc(root)
	for n := range uintptr(4) {
		j.write(root, low+8*n, 1)
	}
	line := j.History.Window(low).Line(low)
	j.write(root, low+32, 1)
	longer := j.History.Window(low).Line(low)
	st := line.At(low)
	if !longer.IsRun() || longer.At(low) != st || longer == line {
		t.Fatal("the line is to be a run that grows")
	}
	learn := func() {
		p.Learn(s, 0, st)
		p.learnInRun(0, line, low+8)
	}
	known := func(name string, line shadow.Line, strand shadow.Strand, kind, addr uintptr, want bool) {
		t.Helper()
		if got := p.KnownInRun(strand, kind, line, addr); got != want {
			t.Errorf("%s: known %v, want %v", name, got, want)
		}
	}
	p.Unlearn(0, st)
	p.Unlearn(1, st)
	known("nothing learned", line, s, 0, low+8, false)
	learn()
	known("the byte", line, s, 0, low+8, true)
	known("the same byte of another line", line, s, 0, low+64+8, true)
	known("another byte", line, s, 0, low, false)
	known("a write", line, s, 1, low+8, false)
	known("another strand", line, j.Local(other).Strand, 0, low+8, false)
	known("a longer run", longer, s, 0, low+8, false)
	known("an empty line", 0, s, 0, low+8, false)
	p.learnInRun(0, longer, low)
	known("the byte of a longer run", longer, s, 0, low, true)
	known("a byte that was in the shorter", longer, s, 0, low+8, false)
	known("the shorter run", line, s, 0, low+8, false)
	for name, forget := range map[string]func(){
		"unlearned":                func() { p.Unlearn(0, st) },
		"another strand's by now":  func() { p.Learn(j.Local(other).Strand, 0, st) },
		"of another state by now":  func() { p.Learn(s, 0, st+knownSize) },
		"forgotten with a strand":  func() { p.forgetOthers(j.Local(other).Strand) },
		"learned for others again": func() { p.Learn(j.Local(other).Strand, 0, st); p.Learn(s, 0, st) },
	} {
		learn()
		forget()
		known(name, line, s, 0, low+8, false)
	}
}

// What fast paths count in a Local stays counted when another task has its number.
func TestCountsOfLocals(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	reads, writes := uint64(0), uint64(0)
	for n := range uint64(100) {
		c := j.Fork(root, 0)
		j.Local(c).Accesses[0] += n
		j.Local(c).Accesses[1]++
		reads, writes = reads+n, writes+1
		j.End(c)
		if n%10 == 9 {
			j.Collect(true)
		}
	}
	if r, w, _ := j.Counts(); r != reads || w != writes {
		t.Errorf("%d reads and %d writes, want %d and %d", r, w, reads, writes)
	}
}

// TestRunsMutants shows that the tests notice bytes that are not known any more.
func TestRunsMutants(t *testing.T) {
	mutants.Run(t, "^(TestKnownInRun|TestCountsOfLocals)$", []mutants.Mutant{
		{Name: "bytes outlive what is known of their state", File: "proc.go",
			Old: "f.strands[i], f.states[i], f.bytes[i] = s, st, 0", New: "f.strands[i], f.states[i] = s, st"},
		{Name: "bytes of one run are those of the next", File: "proc.go",
			Old: "f.runs[i], f.bytes[i] = run, 0", New: "f.runs[i] = run"},
		{Name: "a run is anybody's", File: "proc.go",
			Old: "f.runs[i] == run && f.strands[i] == s && ", New: "f.runs[i] == run && "},
		{Name: "any run of the state will do", File: "proc.go",
			Old: "f.runs[i] == run && f.strands[i] == s && ", New: "f.strands[i] == s && "},
		{Name: "only the first tasks count", File: "detect.go",
			Old: "uint32(t) > high && ", New: "high == 0 && "},
	})
}
