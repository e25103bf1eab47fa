package conformance

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace"
)

// skipped are the race tests that skip themselves, for reasons of their own.
var skipped = []string{"TestRaceRangeFuncIterator", "TestNoRaceRangeFuncIterator"}

// TestRaceTests gives every one of Go's race tests the verdict that its name
// says, by the edges that the schedule observed, as Go's race detector does.
func TestRaceTests(t *testing.T) {
	dir := filepath.Join(goroot(t), "src", "runtime", "race")
	binary := buildRaceTests(t, detrace.Sources, userCache(t), dir)
	declared := raceTestsIn(t, dir)
	for _, procs := range []string{"1", "2"} {
		t.Run("GOMAXPROCS="+procs, func(t *testing.T) {
			v := judgeRaceTests(t, binary, dir, procs)
			for _, name := range v.FalsePositives {
				t.Errorf("false positive: %s", name)
			}
			for _, name := range v.FalseNegatives {
				t.Errorf("false negative: %s", name)
			}
			for _, name := range v.Skipped {
				if !slices.Contains(skipped, name) {
					t.Errorf("unexpectedly skipped: %s", name)
				}
			}
			if v.Judged() != declared {
				t.Errorf("%d of %d race tests ran", v.Judged(), declared)
			}
			t.Logf("%d right, %d skipped, %d false positives, %d false negatives",
				len(v.Right), len(v.Skipped), len(v.FalsePositives), len(v.FalseNegatives))
		})
	}
}

// buildRaceTests compiles the race tests below dir, GOROOT/src/runtime/race.
func buildRaceTests(t *testing.T, sources fs.FS, cache, dir string) string {
	t.Helper()
	files := raceTestFiles(t, dir)
	for i, file := range files {
		files[i] = filepath.Join("testdata", filepath.Base(file))
	}
	return buildTests(t, sources, cache, dir, files...)
}

func raceTestFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no race tests in %s: %v", dir, err)
	}
	return files
}

// judgeRaceTests runs the tests of binary and judges them. A run may end in the
// middle, since Go itself stops programs that write a map concurrently; the rest
// is run then. A goroutine that is held up until its test is over reports in the
// next one, so a test that is judged wrong gets another chance on its own.
func judgeRaceTests(t *testing.T, binary, dir, procs string) *Verdicts {
	t.Helper()
	run := func(args ...string) ([]byte, *Verdicts) {
		out, _ := execute(t, 5*time.Minute, filepath.Join(dir, "testdata"),
			[]string{"GOMAXPROCS=" + procs, "DETRACE_EDGES=observed"}, binary, append(args, "-test.v")...)
		v, err := Judge(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		return out, v
	}
	all := &Verdicts{}
	for range 5 {
		out, v := run("-test.skip", "^("+strings.Join(all.names(), "|")+")$")
		all.merge(v)
		if bytes.Contains(out, []byte("\nFAIL\n")) || bytes.Contains(out, []byte("\nPASS\n")) {
			break
		}
		t.Logf("the race tests did not come to their end\n%s", tail(out))
	}
	alone := func(name string) bool {
		_, v := run("-test.run", "^"+name+"$")
		return slices.Contains(v.Right, name)
	}
	all.FalseNegatives = slices.DeleteFunc(all.FalseNegatives, func(name string) bool {
		for range 5 {
			if alone(name) {
				all.Right = append(all.Right, name)
				return true
			}
		}
		return false
	})
	all.FalsePositives = slices.DeleteFunc(all.FalsePositives, func(name string) bool {
		for range 5 {
			if !alone(name) {
				return false
			}
		}
		all.Right = append(all.Right, name)
		return true
	})
	return all
}

// raceTestsIn counts the tests that the files declare and that a run must judge.
func raceTestsIn(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, file := range raceTestFiles(t, dir) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && (strings.HasPrefix(fn.Name.Name, "TestRace") || strings.HasPrefix(fn.Name.Name, "TestNoRace")) {
				n++
			}
		}
	}
	return n
}
