package conformance

import (
	"flag"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/detrace/detrace"
	"github.com/detrace/detrace/internal/mutants"
)

var mutations = flag.String("mutations", "release-merge-is-release,finalizer-without-edges",
	"which mutations to test, separated by commas; \"all\" or \"none\"")

// A change replaces text that stands exactly once in a file.
type change struct{ file, old, with string }

const (
	opsFile  = "probe/runtime/ops.go"
	syncFile = "probe/runtime/sync.go"
	edgeFile = "probe/runtime/edges.go"
	chanFile = "probe/runtime/chan.go"
)

// within is a function for changes that concern one construct: it reports
// whether a call of the function at path prefix is on the stack.
const within = `
func detwithin(p *detect.Proc, gp *g, bp uintptr, prefix string) bool {
	if p == nil || bp < gp.stack.lo || bp >= gp.stack.hi {
		return false
	}
	var u detunwinder
	for u.init(uint32(detwalk(p, gp, 0, bp))); u.next(); {
		if stringslite.HasPrefix(u.frame.fn, prefix) {
			return true
		}
	}
	return false
}

// What `

// dropEdges are the changes that drop the edges which the functions called
// prefix ask for, those of their atomic operations included.
func dropEdges(prefix string) []change {
	outside := `!detwithin(p, gp, bp, "` + prefix + `")`
	return []change{
		{edgeFile, "\n// What ", within},
		{syncFile, "	if acquires {\n		// Refused", "	if acquires && " + outside + " {\n		// Refused"},
		{syncFile, "	if releases {\n		detr", "	if releases && " + outside + " {\n		detr"},
		{opsFile, "		if s.acquire(a1) {", "		if " + outside + " && s.acquire(a1) {"},
		{opsFile, "		detrelease(t, a1)", "		if " + outside + " {\n			detrelease(t, a1)\n		}"},
		{opsFile, "		detreleasemerge(t, a1)", "		if " + outside + " {\n			detreleasemerge(t, a1)\n		}"},
	}
}

// A mutation simplifies one hook.
type mutation struct {
	name    string
	changes []change
	// unnoticed is why the race tests are as right as before, or empty.
	unnoticed string
}

var mutationTable = []mutation{
	{name: "atomics-not-hooked", changes: []change{
		{syncFile, "	if det.Local(t).Ignore > 0 || p == nil {", "	if true {"},
	}},
	{name: "atomics-without-edges", changes: []change{
		{syncFile, "	if acquires {\n		// Refused", "	if acquires && false {\n		// Refused"},
		{syncFile, "	if releases {\n		detr", "	if releases && false {\n		detr"},
	}},
	{name: "atomics-count-under-ignore-sync", changes: []change{
		{syncFile, "	if det.Local(t).Ignore > 0 || p == nil {", "	if p == nil {"},
	}},
	{name: "new-memory-is-not-forgotten", changes: []change{
		{opsFile, "		det.Forget(a2, a3)\n", ""},
		{opsFile, "		det.Forget(a0, a1)\n", ""},
	}},
	{name: "finalizer-without-edges", changes: []change{
		{opsFile, "		detacquireall(t)\n", ""},
	}},
	{name: "release-merge-is-release", changes: []change{
		{opsFile, "detreleasemerge(t, a1)", "detrelease(t, a1)"},
	}},
	{name: "release-acquire-is-acquire-release", changes: []change{
		{edgeFile, "detreleaseacquire(s.t, addr, observed)", "detacquire(s.t, addr, observed)\n	detrelease(s.t, addr)"},
	}, unnoticed: "it only adds edges, and no race test depends on their absence"},
	{name: "event-charged-to-current-goroutine", changes: []change{
		{opsFile, "	if t == 0 {\n		switch {\n		case op >= detop_go_atomic32_load:", "	if t = reach.Task(gp.racectx); t == 0 {\n		switch {\n		case op >= detop_go_atomic32_load:"},
		{chanFile, "return detside{reach.Task(gp.racectx), uint32(", "return detside{reach.Task(running.racectx), uint32("},
	}},
	{name: "range-is-its-first-byte", changes: []change{
		{opsFile, "shadow.Read, a1, a2, a3, bp)", "shadow.Read, a1, 1, a3, bp)"},
		{opsFile, "shadow.Write, a1, a2, a3, bp)", "shadow.Write, a1, 1, a3, bp)"},
	}},
	{name: "pool-without-edges", changes: dropEdges("sync.(*Pool)")},
	{name: "io-without-edges", changes: dropEdges("syscall.")},
	{name: "mutex-without-edges", changes: dropEdges("internal/sync.(*Mutex)")},
}

// TestMutations simplifies one hook at a time and wants the race tests to
// notice. With DETRACE_MUTANTS, of those that -mutations names one is judged, in turns.
func TestMutations(t *testing.T) {
	chosen := strings.Split(*mutations, ",")
	for _, name := range chosen {
		if name != "all" && name != "none" && !slices.ContainsFunc(mutationTable, func(m mutation) bool { return m.name == name }) {
			t.Errorf("no mutation is called %q", name)
		}
	}
	if part, parts := mutants.Part(t); parts > 1 {
		chosen = chosen[(part-1)%len(chosen):][:1]
	}
	dir := filepath.Join(goroot(t), "src", "runtime", "race")
	declared := raceTestsIn(t, dir)
	for _, m := range mutationTable {
		if !slices.Contains(chosen, "all") && !slices.Contains(chosen, m.name) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			sources := mutate(t, detrace.Sources, m.changes)
			// What is compiled here is of use to nobody later.
			t.Setenv("GOCACHE", t.TempDir())
			binary := buildRaceTests(t, sources, t.TempDir(), dir)
			v := judgeRaceTests(t, binary, dir, "1")
			worse := !v.Perfect() || v.Judged() < declared
			t.Logf("%d of %d right, %d false positives, %d false negatives", len(v.Right), declared, len(v.FalsePositives), len(v.FalseNegatives))
			t.Logf("false positives: %q; false negatives: %q", v.FalsePositives, v.FalseNegatives)
			if worse != (m.unnoticed == "") {
				t.Errorf("race tests worse than without the mutation: %v, want %v (unnoticed: %q)", worse, !worse, m.unnoticed)
			}
		})
	}
}

// TestMutationsApply finds mutations that the sources have moved away from,
// without the cost of building them.
func TestMutationsApply(t *testing.T) {
	for _, m := range mutationTable {
		t.Run(m.name, func(t *testing.T) { mutate(t, detrace.Sources, m.changes) })
	}
}

// mutated is a file system in which some files have other contents.
type mutated struct {
	fs.FS
	files fstest.MapFS
}

func (m mutated) Open(name string) (fs.File, error) {
	if m.files[name] != nil {
		return m.files.Open(name)
	}
	return m.FS.Open(name)
}

// mutate is sources after changes.
func mutate(t *testing.T, sources fs.FS, changes []change) fs.FS {
	t.Helper()
	m := mutated{sources, fstest.MapFS{}}
	for _, c := range changes {
		src, err := fs.ReadFile(m, c.file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(src), c.old); n != 1 {
			t.Fatalf("%s: %q occurs %d times, want 1: the mutation must follow the sources", c.file, c.old, n)
		}
		m.files[c.file] = &fstest.MapFile{Data: []byte(strings.Replace(string(src), c.old, c.with, 1))}
	}
	return m
}
