package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace"
	"github.com/detrace/detrace/internal/record"
)

var (
	apart  = flag.Bool("apart", false, "judge each of Go's race tests in a process of its own, by certain edges; takes minutes")
	update = flag.Bool("update", false, "rewrite docs/results/racetests.md from what -apart found")
)

// reasonNames are those of package report, which reads them from the same records.
var reasonNames = map[uint32]string{
	record.ReasonLockOrder: "lock-order", record.ReasonAtomic: "atomic", record.ReasonSelect: "select",
	record.ReasonChannelOrder: "channel-order", record.ReasonHistoryFull: "history-full", record.ReasonFirstCaller: "first-caller",
	record.ReasonIOOrder: "io-order", record.ReasonEndOrder: "end-order",
}

// buildOwnRaceTests compiles Go's race tests outside of GOROOT, so that they count as a
// program and not as a part of the library.
func buildOwnRaceTests(t *testing.T, dir string) (binary, own string) {
	t.Helper()
	own = t.TempDir()
	var files []string
	for _, file := range raceTestFiles(t, dir) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(src, []byte("\n\t\"internal/")) {
			continue // only the library may import that
		}
		files = append(files, filepath.Base(file))
		if err := os.WriteFile(filepath.Join(own, filepath.Base(file)), src, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(own, "go.mod"), []byte("module racetests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return buildTests(t, detrace.Sources, userCache(t), own, files...), own
}

// judgeApart runs the tests that match alone and returns what was recorded.
func judgeApart(t *testing.T, binary, dir, run string) *record.File {
	t.Helper()
	records := filepath.Join(t.TempDir(), "records")
	env := []string{"DETRACE_RECORDS=" + records, "DETRACE_QUIET=1", "GOMAXPROCS=2"}
	execute(t, 5*time.Minute, dir, env, binary, "-test.run", run)
	f, err := record.ReadFile(records)
	if err != nil {
		t.Fatal(err)
	}
	// A package variable of the tests is initialised with a race, which is in all of them.
	f.Races = slices.DeleteFunc(f.Races, func(r record.Race) bool {
		return slices.ContainsFunc(slices.Concat(f.Stacks[r.First.Stack], f.Stacks[r.Second.Stack]), func(f record.Frame) bool {
			return strings.HasSuffix(f.Func, ".NewLog")
		})
	})
	return f
}

// verdictOf is the verdict with what it is given for.
func verdictOf(f *record.File) (verdict string, why []string) {
	for _, r := range f.Reasons {
		why = append(why, reasonNames[r.Code])
	}
	if len(f.Luck) > 0 {
		why = append(why, "luck")
	}
	if !f.Header.Finished {
		why = append(why, "unfinished")
	}
	slices.Sort(why)
	why = slices.Compact(why)
	switch {
	case len(f.Races) > 0:
		return "race", why
	case len(why) > 0:
		return "not-certified", why
	}
	return "determinate", nil
}

// No test that Go calls free of races has one when certain and observed edges are kept
// apart: what only the schedule orders is a reason, not a race.
func TestNoRaceTestsByCertainEdges(t *testing.T) {
	binary, dir := buildOwnRaceTests(t, filepath.Join(goroot(t), "src", "runtime", "race"))
	f := judgeApart(t, binary, dir, "^TestNoRace")
	for _, r := range f.Races {
		t.Errorf("race reported:\n%v\n%v", f.Stacks[r.First.Stack], f.Stacks[r.Second.Stack])
	}
	if verdict, why := verdictOf(f); verdict != "not-certified" || !slices.Contains(why, "luck") || !slices.Contains(why, "atomic") {
		t.Errorf("verdict %s %v, want not-certified for luck and atomic operations among others", verdict, why)
	}
}

// TestRaceTestsApart compares the verdict of every race test with docs/results/racetests.md.
func TestRaceTestsApart(t *testing.T) {
	if !*apart {
		t.Skip("takes minutes: use -args -apart")
	}
	root := filepath.Join(goroot(t), "src", "runtime", "race")
	binary, dir := buildOwnRaceTests(t, root)
	out, _ := execute(t, time.Minute, dir, nil, binary, "-test.list", "^Test(No)?Race")
	var table strings.Builder
	fmt.Fprintf(&table, "| test | verdict | for |\n|---|---|---|\n")
	right := map[string]int{}
	for _, name := range strings.Fields(string(out)) {
		if !strings.HasPrefix(name, "Test") {
			continue
		}
		verdict, why := verdictOf(judgeApart(t, binary, dir, "^"+name+"$"))
		racy := strings.HasPrefix(name, "TestRace")
		if !racy && verdict == "race" {
			t.Errorf("false positive: %s", name)
		}
		if racy == (verdict == "race") && verdict != "not-certified" {
			right[verdict]++
			continue
		}
		fmt.Fprintf(&table, "| %s | %s | %s |\n", name, verdict, strings.Join(why, ", "))
	}
	t.Logf("as named: %v\n%s", right, table.String())
	file := filepath.Join("..", "docs", "results", "racetests.md")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(old, []byte("<!-- measured -->\n"))
	if !ok {
		t.Fatalf("%s: no line says where the table begins", file)
	}
	if *update {
		text := string(head) + "<!-- measured -->\n" + table.String()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(rest) != table.String() {
		t.Errorf("%s is different (-args -apart -update rewrites it)", file)
	}
}
