package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/detrace/detrace/race"
)

// testVerdict is the verdict that the last word of a test's name asks for, after the
// kind of test: TestRaceTable/determinate_sub asks for determinate.
func testVerdict(name string) race.Verdict {
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)`).ReplaceAllString(name, "")
	switch name = strings.ToLower(name); {
	case strings.HasPrefix(name, "race"):
		return race.Racy
	case strings.HasPrefix(name, "notcertified"):
		return race.NotCertified
	case strings.HasPrefix(name, "determinate"):
		return race.Determinate
	}
	return ""
}

// testJudged runs detrace test and checks that every test has the verdict of its name.
func testJudged(t *testing.T, env []string, code int, args ...string) (*race.Report, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	out, got := command(t, root, env, detrace, append([]string{"test", "-format", "json=" + file}, args...)...)
	if got != code {
		t.Errorf("detrace test %q: exit code %d, want %d\n%s", args, got, code, out)
	}
	r := decode(t, file)
	if len(r.Tests) == 0 {
		t.Fatalf("no tests\n%s", out)
	}
	for i := range r.Tests {
		test := &r.Tests[i]
		if want := testVerdict(test.Name); want != "" && test.Verdict != want {
			t.Errorf("%v %s is %s\n%s", env, test.Name, test.Verdict, out)
		}
		if len(test.Races) > 0 != (test.Verdict == race.Racy) {
			t.Errorf("%s is %s with races %q", test.Name, test.Verdict, test.Races)
		}
	}
	for _, found := range r.Races {
		for _, a := range []race.Access{found.First, found.Second} {
			if line := sourceLine(t, a.Pos); !strings.Contains(line, "// want") {
				t.Errorf("race at %s:%d: %s", a.Pos.File, a.Pos.Line, line)
			}
			if a.Task.Test != "" && !slices.ContainsFunc(found.Tests, func(n race.TestName) bool { return n.Name == a.Task.Test }) {
				t.Errorf("an access of %q, which is not among %v", a.Task.Test, found.Tests)
			}
		}
	}
	return r, out
}

func sourceLine(t *testing.T, p race.Pos) string {
	src, err := os.ReadFile(p.File)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(src), "\n")[p.Line-1]
}

// Parallel tests are in no order, whichever is let in first, and whatever package
// testing itself makes them wait for.
func TestParallelTests(t *testing.T) {
	for _, tt := range []struct{ procs, flags string }{
		{"1", "-parallel 1"},
		{"2", "-v -cpu 1,2 -count 2"},
	} {
		r, _ := testJudged(t, []string{"GOMAXPROCS=" + tt.procs}, 3, append([]string{"./testdata/tests/parallel", "--"}, strings.Fields(tt.flags)...)...)
		if len(r.Races) != 3 {
			t.Errorf("%s: %d races, want 3", tt.flags, len(r.Races))
		}
	}
}

// All that package testing runs is judged one by one, also when a goroutine races after
// the end of its test.
func TestKindsOfTests(t *testing.T) {
	r, out := testJudged(t, nil, 3, "./testdata/tests/kinds", "./testdata/tests/outlive", "--", "-bench", ".", "-benchtime", "1000x")
	outcomes := map[string]race.Outcome{}
	for i := range r.Tests {
		outcomes[r.Tests[i].Name] = r.Tests[i].Outcome
		if r.Tests[i].Name == "TestRaceOutlives" && len(r.Tests[i].Left) != 1 {
			t.Errorf("left: %v", r.Tests[i].Left)
		}
	}
	for _, name := range []string{"TestRace", "TestRaceSub/race", "FuzzRace/seed#1", "ExampleRaceMain", "BenchmarkRaceParallel", "TestRaceOutlives"} {
		if outcomes[name] != race.Pass {
			t.Errorf("%s is %q, want pass", name, outcomes[name])
		}
	}
	if outcomes["TestDeterminateSkipped"] != race.Skip {
		t.Errorf("got %q, want skip", outcomes["TestDeterminateSkipped"])
	}
	if r.Program.Failed() || strings.Contains(out, "race detected during execution") {
		t.Errorf("a test failed for a race\n%s", out)
	}
}

// What package testing prints for tests orders nobody, and hands buffers on all the same.
func TestPrintingTests(t *testing.T) {
	testJudged(t, []string{"GOMAXPROCS=2"}, 0, "-strict", "./testdata/tests/printed", "--", "-count", "10")
}

// A test that has no goroutine beside it goes on in its strand; what that makes cheap must not
// hide what comes later, nor what an earlier test did.
func TestAloneTests(t *testing.T) {
	for _, procs := range []string{"1", "2"} {
		testJudged(t, []string{"GOMAXPROCS=" + procs}, 3, "./testdata/tests/alone", "--", "-count", "3")
	}
}

// However the program ends, what was found before is reported, and the race decides
// the exit code.
func TestEndsOfTests(t *testing.T) {
	for _, tt := range []struct {
		end   string
		flags string
		test  string
		out   race.Outcome
		text  string
	}{
		{"panics", "", "TestNotcertifiedPanics", race.Unfinished, "did not end: TestNotcertifiedPanics"},
		{"hangs", "-timeout 300ms", "TestNotcertifiedHangs", race.Unfinished, "panic: test timed out after 300ms"},
		{"exits", "", "TestNotcertifiedExits", race.Unfinished, "failed with exit code 5"},
		{"fails", "", "TestDeterminateFails", race.Fail, "--- FAIL: TestDeterminateFails"},
		{"leaks", "", "TestDeterminateLeaks", race.Pass, "TestDeterminateLeaks left 1 goroutine running, started at testdata/tests/ends/leaks/leaks_test.go:"},
	} {
		t.Run(tt.end, func(t *testing.T) {
			t.Parallel()
			r, out := testJudged(t, nil, 3, append([]string{"./testdata/tests/ends/" + tt.end, "--"}, strings.Fields(tt.flags)...)...)
			if !strings.Contains(out, tt.text) {
				t.Errorf("%q is missing in\n%s", tt.text, out)
			}
			i := slices.IndexFunc(r.Tests, func(test race.Test) bool { return test.Name == tt.test })
			if i < 0 || r.Tests[i].Outcome != tt.out {
				t.Errorf("got %+v, want %s to be %s", r.Tests, tt.test, tt.out)
			}
			if len(r.Races) != 1 {
				t.Errorf("%d races, want 1", len(r.Races))
			}
			if tt.end == "leaks" {
				return
			}
			// Without the race it is the program that failed.
			if out, code := command(t, root, nil, detrace, append([]string{"test", "./testdata/tests/ends/" + tt.end, "--", "-skip", "TestRace"}, strings.Fields(tt.flags)...)...); code != 2 {
				t.Errorf("exit code %d, want 2\n%s", code, out)
			}
		})
	}
}

// An interrupt ends the tests that run, what they found is reported, and no other
// package is begun.
func TestInterruptedTests(t *testing.T) {
	cmd := exec.Command(detrace, "test", "./testdata/tests/ends/hangs", "./testdata/tests/kinds", "--", "-v")
	temp := t.TempDir()
	cmd.Dir, cmd.Env = root, append(os.Environ(), "TMPDIR="+temp)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if strings.Contains(lines.Text(), "TestNotcertifiedHangs") {
			if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
		}
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(stderr.String(), "interrupted: 1 package was not judged") {
		t.Errorf("exit code %d\n%s", code, &stderr)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// go tool test2json understands what is printed, and -json is what go test -json would
// print, but that a test which races fails.
func TestOutputOfTests(t *testing.T) {
	out, _ := command(t, root, nil, detrace, "test", "-format", "json="+os.DevNull, "-json", "./testdata/tests/kinds")
	fromFlag := actions(t, out)
	cmd := exec.Command(detrace, "test", "./testdata/tests/kinds", "--", "-v")
	cmd.Dir = root
	plain, _ := cmd.Output()
	convert := exec.Command("go", "tool", "test2json", "-p", "github.com/detrace/detrace/testdata/tests/kinds")
	convert.Stdin = bytes.NewReader(plain)
	converted, err := convert.Output()
	if err != nil {
		t.Fatal(err)
	}
	fromText := actions(t, string(converted))
	for name, action := range fromText {
		want := map[race.Verdict]string{race.Racy: "fail"}[testVerdict(name)]
		switch {
		case name == "":
			want = "fail"
		case testVerdict(name) == "":
			continue // a seed is called by its number
		case want == "":
			want = action
		}
		if fromFlag[name] != want {
			t.Errorf("%q is %s with -json, want %s", name, fromFlag[name], want)
		}
	}
	if len(fromText) != len(fromFlag) || fromText["TestRace"] != "pass" || fromText["TestDeterminateSkipped"] != "skip" || fromText[""] != "fail" {
		t.Errorf("of the text: %v\n%s", fromText, plain)
	}
}

// actions is the last word of the events of go test -json on each test.
func actions(t *testing.T, events string) map[string]string {
	t.Helper()
	last := map[string]string{}
	for line := range strings.Lines(events) {
		var e struct{ Action, Package, Test string }
		if !strings.HasPrefix(line, "{") {
			continue // the report
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
			last[e.Test] = e.Action
		}
	}
	return last
}

// What is wrong with the command line or a package is one line, with its exit code.
func TestTestErrors(t *testing.T) {
	broken := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":            "module example.com/broken\n\ngo 1.25\n",
		"none/none.go":      "package none\n",
		"bad/bad_test.go":   "package bad\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { undefined() }\n",
		"good/good_test.go": "package good\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Log(\"seen\") }\n",
	} {
		file := filepath.Join(broken, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		code int
		want string
	}{
		{"-frobnicate ./good", 1, "not defined: -frobnicate; see 'detrace help test'"},
		{"-run TestX ./good", 1, "-run is a flag of the tests, which stand behind --"},
		{"./good -v", 1, "-v stands behind a package"},
		{"./good -- -frobnicate", 1, "the tests of example.com/broken/good have no flag -frobnicate"},
		{"./good -- -run", 1, "the value of -run is missing"},
		{"./good -- -timeout soon", 1, "-timeout soon is no duration"},
		{"./good -- -fuzz X", 1, "-fuzz cannot be combined with detrace test"},
		{"./good -- -coverprofile c", 1, "-coverprofile cannot be combined with detrace test"},
		{"./missing", 1, "missing: directory not found"},
		{"./none", 1, "nothing was judged: there are no test files"},
		{"./bad", 1, "nothing was judged"},
		{"./...", 1, "1 package could not be built"},
		{"./good", 0, "verdict: determinate"},
		{"./good -- -run Nothing", 0, "[no tests to run]"},
	} {
		out, code := command(t, broken, nil, detrace, append([]string{"test"}, strings.Fields(tt.args)...)...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("detrace test %s: exit code %d, want %d and %q\n%s", tt.args, code, tt.code, tt.want, out)
		}
		if strings.Contains(out, "seen") {
			t.Errorf("detrace test %s: output of a package that passes\n%s", tt.args, out)
		}
	}
	out, _ := command(t, broken, nil, detrace, "test", "./...")
	for _, line := range []string{"?   \texample.com/broken/none\t[no test files]", "FAIL\texample.com/broken/bad\t[build failed]", "bad_test.go:5:", "ok  \texample.com/broken/good\t"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
}

// Package detracetest fails the tests whose functions race, and no others, and does
// nothing without detrace.
func TestDeterminateFunctions(t *testing.T) {
	r, out := testJudged(t, nil, 3, "./testdata/tests/function")
	want := map[string]race.Outcome{
		"TestDeterminate": race.Pass, "TestRace": race.Fail, "TestRaceElsewhere": race.Pass, "TestRaceEarlier": race.Fail,
		"TestRaceBeside": race.Pass, "TestRaceBeside/race": race.Pass, "TestRaceBeside/determinate": race.Pass,
		"TestNotcertified": race.Pass, "TestRacePanics": race.Fail,
		"TestRaceLeftBehind": race.Fail, "TestNotcertifiedLeftBehind": race.Pass,
	}
	for i := range r.Tests {
		if got := &r.Tests[i]; got.Outcome != want[got.Name] {
			t.Errorf("%s is %s, want %s", got.Name, got.Outcome, want[got.Name])
		}
	}
	if len(r.Tests) != len(want) || !strings.Contains(out, "function_test.go:34: not determinate:\n") || !strings.Contains(out, "function_test.go:20\n") {
		t.Errorf("%d tests\n%s", len(r.Tests), out)
	}
	if out, code := command(t, root, nil, "go", "test", "-count=1", "./testdata/tests/function"); code != 0 {
		t.Errorf("go test: exit code %d\n%s", code, out)
	}
}

// It also works in a program that runs on its own.
func TestDeterminateStandalone(t *testing.T) {
	app := filepath.Join(t.TempDir(), "app")
	if out, code := command(t, root, nil, detrace, "build", "-o", app, "./testdata/tests/standalone"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	out, code := command(t, root, nil, app)
	if code != 3 || !strings.Contains(out, "enabled true, fine true, raced true") || !strings.Contains(out, "not determinate:\ndetrace: race at") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	out, code = command(t, root, nil, "go", "run", "./testdata/tests/standalone")
	if code != 0 || !strings.Contains(out, "enabled false, fine true, raced false") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// A race that is known does not fail the tests.
func TestBaselineOfTests(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known")
	out, code := command(t, root, nil, detrace, "test", "-baseline", file, "-update-baseline", "./testdata/tests/outlive")
	if code != 0 || !strings.Contains(out, "3 racing pairs of source lines, all known") || !strings.Contains(out, "ok  \t") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	out, code = command(t, root, nil, detrace, "test", "-baseline", file, "-format", "junit", "./testdata/tests/outlive")
	if code != 0 || !strings.Contains(out, "1 known race, listed in "+fmt.Sprint(file)) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
