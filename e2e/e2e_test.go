// Package e2e runs the detrace command on real programs: those of testdata,
// whose names and comments say what must be found, and the examples. Every
// program is built once and run several times, with one processor and with
// two; each run must give exactly the wanted verdict, races and exit codes.
//
// The test needs the go command and takes about three minutes on two cores. With
// "-runs 50 -timeout 1h" it asks whether any answer depends on the schedule.
package e2e

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/detrace/detrace/race"
)

var runs = flag.Int("runs", 1, "how often to run every program, with GOMAXPROCS=1 and with 2 each time")

// patience is how long one run may take before it counts as hanging.
const patience = 2 * time.Minute

var detrace string // the command under test

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withCommand(m.Run))
}

// withCommand builds the command into a directory that lasts as long as f.
func withCommand(f func() int) int {
	dir, err := os.MkdirTemp("", "detrace-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	detrace = filepath.Join(dir, "detrace")
	build := exec.Command("go", "build", "-o", detrace, "./cmd/detrace")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the command: %v\n%s", err, out)
		return 1
	}
	return f()
}

// root is the directory of the module.
const root = ".."

// A program is something to build and judge.
type program struct {
	name  string
	path  string   // what detrace build gets, relative to the root
	args  []string // sizes that keep a judged run short
	wants *expectation

	either bool // the pair is a race or luck
}

// TestPrograms judges all programs and counts races that were reported but not
// wanted apart from those that were wanted but not reported.
func TestPrograms(t *testing.T) {
	var total tally
	t.Run("judge", func(t *testing.T) {
		for _, p := range slices.Concat(corpus(t), taskCorpus(t), examples(t)) {
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				total.add(p.wants, p.judge(t))
			})
		}
	})
	t.Log(&total)
}

// corpus is the programs of testdata, one in each file.
func corpus(t *testing.T) []program {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in testdata: %v", err)
	}
	programs := make([]program, 0, len(files))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		programs = append(programs, newProgram(t, name, "./testdata/"+name+".go", file, verdictOf(t, name)))
	}
	return programs
}

// taskCorpus is the programs of testdata/task, one in each directory. They use
// package task.
func taskCorpus(t *testing.T) []program {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "task", "*", "main.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in testdata/task: %v", err)
	}
	programs := make([]program, 0, len(files))
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file))
		programs = append(programs, newProgram(t, "task_"+name, "./testdata/task/"+name, file, verdictOf(t, name)))
	}
	return programs
}

// verdictOf is the verdict that the name of a program begins with.
func verdictOf(t *testing.T, name string) race.Verdict {
	verdicts := map[string]race.Verdict{
		"race": race.Racy, "determinate": race.Determinate, "notcertified": race.NotCertified,
	}
	prefix, _, _ := strings.Cut(name, "_")
	verdict, ok := verdicts[prefix]
	if !ok {
		t.Fatalf("%s: the name does not start with a verdict", name)
	}
	return verdict
}

// smaller has arguments for the examples whose usual size is for people.
var smaller = map[string][]string{
	"wordfreq":  {"-size", "200000"},
	"mergesort": {"-n", "40000"},
	"matmul":    {"-n", "96"},
	"blur":      {"-size", "96"},
	"pipeline":  {"-n", "100"},
	"walk":      {"-depth", "2"},
}

// examples is the racy and the fixed twin of every example.
func examples(t *testing.T) []program {
	pairs, err := filepath.Glob(filepath.Join(root, "examples", "*", "racy"))
	if err != nil || len(pairs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	var programs []program
	for _, pair := range pairs {
		name := filepath.Base(filepath.Dir(pair))
		for twin, verdict := range map[string]race.Verdict{"racy": race.Racy, "fixed": race.Determinate} {
			path := "./examples/" + name + "/" + twin
			p := newProgram(t, name+"-"+twin, path, filepath.Join(root, path, "main.go"), verdict)
			p.args = smaller[name]
			programs = append(programs, p)
		}
	}
	return programs
}

func newProgram(t *testing.T, name, path, file string, verdict race.Verdict) program {
	wants, err := parseExpectation(file, verdict)
	if err != nil {
		t.Fatal(err)
	}
	return program{name: name, path: path, wants: wants}
}

// judge builds the program, runs it and returns what was wrong in any run.
func (p program) judge(t *testing.T) difference {
	dir := t.TempDir()
	binary := p.build(t, dir)
	var all difference
	var before []string
	for run := range 2 * *runs {
		procs := 1 + run%2
		r := p.run(t, dir, binary, procs)
		d := p.wants.compare(r)
		if !d.empty() {
			t.Errorf("run %d, GOMAXPROCS=%d:%v", run, procs, d)
			all = all.union(d)
		}
		now := fingerprints(r)
		if run > 0 && !slices.Equal(now, before) {
			t.Errorf("run %d, GOMAXPROCS=%d: fingerprints %v, before %v", run, procs, now, before)
		}
		before = now
	}
	return all
}

// run runs the binary once and renders what it recorded.
func (p program) run(t *testing.T, dir, binary string, procs int) *race.Report {
	records := filepath.Join(dir, "records")
	if err := os.RemoveAll(records); err != nil {
		t.Fatal(err)
	}
	env := []string{"DETRACE_RECORDS=" + records, "DETRACE_QUIET=1", fmt.Sprint("GOMAXPROCS=", procs)}
	out, code := command(t, dir, env, binary, p.args...)
	if !slices.Contains(p.wants.exits, exitName(code)) {
		t.Errorf("the program ended with %s, want %v\n%s", exitName(code), p.wants.exits, out)
	}
	rendered := filepath.Join(dir, "report.json")
	out, reported := command(t, root, nil, detrace, "report", "-binary", binary, "-format", "json="+rendered, records)
	if strings.Contains(readFile(t, rendered), "/zdetrace_") {
		t.Errorf("the report names a file that is not on disk\n%s", out)
	}
	r := decode(t, rendered)
	verdict := p.wants.verdict
	if p.either {
		verdict = r.Verdict
	}
	if want := p.exitCode(code, verdict); reported != want {
		t.Errorf("detrace report: exit code %d, want %d\n%s", reported, want, out)
	}
	return r
}

// build builds the program to be judged, in dir.
func (p program) build(t *testing.T, dir string) (binary string) {
	binary = filepath.Join(dir, p.name)
	if out, code := command(t, root, nil, detrace, "build", "-o", binary, p.path); code != 0 {
		t.Fatalf("detrace build: exit code %d\n%s", code, out)
	}
	return binary
}

// exitCode is what detrace report must answer when the program ended with
// code. The records do not know the end of a program that did not finish.
func (p program) exitCode(code int, verdict race.Verdict) int {
	switch {
	case verdict == race.Racy:
		return 3
	case code != 0 && !p.wants.reasons[access{0, "unfinished"}]:
		return 2
	}
	return 0
}

// exitName is an exit code as testdata writes it.
func exitName(code int) string {
	if code < 0 {
		return "killed"
	}
	return fmt.Sprint(code)
}

func fingerprints(r *race.Report) []string {
	var all []string
	for _, found := range r.Races {
		all = append(all, found.Fingerprint)
	}
	slices.Sort(all)
	return all
}

func decode(t *testing.T, file string) *race.Report {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := race.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

// command runs a command to its end and returns what it printed and its exit
// code, -1 after a signal.
func command(t *testing.T, dir string, env []string, name string, args ...string) (string, int) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	if name == detrace && args[0] == "build" {
		// Nobody debugs these programs, and many are built.
		cmd.Env = append(cmd.Env, "GOFLAGS="+os.Getenv("GOFLAGS")+" -ldflags=-w")
	}
	// A judged program may leave children of its own behind; all end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s %q does not end\n%s", filepath.Base(name), args, &out)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// A tally is safe for concurrent use.
type tally struct {
	mu                           sync.Mutex // guards all fields
	programs, wrong, limits      int
	wanted, positives, negatives int
}

func (c *tally) add(e *expectation, d difference) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.programs++
	c.wanted += len(e.races)
	c.positives += len(d.falsePositives)
	c.negatives += len(d.falseNegatives)
	if e.limit != "" {
		c.limits++
	}
	if !d.empty() {
		c.wrong++
	}
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf("%d programs, %d judged wrong, %d known limits; %d races wanted, %d false positives, %d false negatives",
		c.programs, c.wrong, c.limits, c.wanted, c.positives, c.negatives)
}
