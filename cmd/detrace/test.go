package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/detrace/detrace/instrument"
	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
	"github.com/detrace/detrace/report/baseline"
	"github.com/detrace/detrace/report/junit"
)

var testCommand = &command{
	name:    "test",
	summary: "run the tests of packages with instrumentation, judge each test",
	usage:   "[flags] [packages] [-- test flags]",
	about: `Test builds the tests of the packages (default: the one in the current directory),
runs them as go test does, and reports on standard error whether any schedule of
them can race. What the tests print goes to standard output, or to standard error
where a report in another form than text takes that place. Behind -- stand the flags
that go test has for the tests, such as -run X, -v, -short, -count 3 or -bench ., and
those of the package's own. Results are never cached.

A race belongs to the tests that started its goroutines, also when they have ended
before. Tests that call t.Parallel are in no order with each other.

  -json                  print what the tests do as go test -json does; a test that
                         races fails there. A package is printed when it has ended
` + buildHelp + formatHelp + edgesHelp,
	run: runTest,
}

// testFlags are the flags of test.
type testFlags struct {
	buildFlags
	reporting reporting
	edges     string
	json      bool
	args      *testArgs
	local     bool // no package was named
}

func (f *testFlags) parse(c *command, args []string) (patterns []string, err error) {
	own, tests := splitDashes(args)
	fs := c.flags()
	f.register(fs)
	f.reporting.register(fs)
	fs.StringVar(&f.edges, "edges", "", "")
	fs.BoolVar(&f.json, "json", false, "")
	if err := c.parse(fs, own); err != nil {
		return nil, testFlagHint(err)
	}
	if f.edges != "" && f.edges != "observed" {
		return nil, fmt.Errorf("-edges can only be observed, not %q", f.edges)
	}
	for _, a := range fs.Args() {
		if strings.HasPrefix(a, "-") {
			return nil, fmt.Errorf("%s stands behind a package; flags of detrace go before packages, those of the tests behind --: detrace test %s", a, c.usage)
		}
	}
	f.local, f.tests = fs.NArg() == 0, true
	f.args, err = parseTestArgs(tests)
	return fs.Args(), err
}

// testFlagHint says where a flag of go test belongs.
func testFlagHint(err error) error {
	_, name, found := strings.Cut(err.Error(), "flag provided but not defined: -")
	name, _, _ = strings.Cut(name, ";")
	for _, known := range append(testBools, testValues...) {
		if found && name == known {
			return fmt.Errorf("-%s is a flag of the tests, which stand behind --, as in detrace test ./... -- -%s", name, name)
		}
	}
	return err
}

func runTest(c *command, args []string) (int, error) {
	var flags testFlags
	patterns, err := flags.parse(c, args)
	if err != nil {
		return exitError, err
	}
	if err := flags.enter(); err != nil {
		return exitError, err
	}
	if err := flags.reporting.open(); err != nil {
		return exitError, err
	}
	var packages []instrument.TestPackage
	if err := flags.with(patterns, func(ctx context.Context, cfg instrument.Config) error {
		packages, err = instrument.Packages(ctx, cfg)
		return err
	}); err != nil {
		return exitError, err
	}
	temp, err := os.MkdirTemp("", "detrace-test-*")
	if err != nil {
		return exitError, err
	}
	defer os.RemoveAll(temp)
	s := &testSession{flags: &flags, temp: temp, out: os.Stdout}
	if flags.reporting.outputs.toStdout() {
		s.out = os.Stderr
	}
	for i, p := range packages {
		if err := s.test(p); err != nil {
			return exitError, err
		}
		if rest := uint64(len(packages) - i - 1); s.interrupted && rest > 0 {
			fmt.Fprintf(os.Stderr, "detrace test: interrupted: %s not judged\n", report.Plural(rest, "package was", "packages were"))
			break
		}
	}
	return s.finish(strings.Join(patterns, " "))
}

// testSession runs the packages of one command, one after the other.
type testSession struct {
	flags       *testFlags
	temp        string
	out         io.Writer
	suites      []junit.Suite // of the packages that were judged
	unbuilt     int           // packages that could not be built
	interrupted bool          // by a signal
}

// test builds and judges one package. What is wrong with the package alone is told
// and counted; an error ends the command.
func (s *testSession) test(p instrument.TestPackage) error {
	if !p.Tests {
		return s.nothing("?   ", p, "[no test files]")
	}
	dir, err := os.MkdirTemp(s.temp, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, filepath.Base(p.ImportPath)+".test")
	built, err := s.flags.build(p.Patterns, binary)
	if errors.Is(err, errInterrupted) {
		s.interrupted = true
		return nil
	}
	if err != nil {
		failed("detrace test", err)
		s.unbuilt++
		return s.nothing("FAIL", p, "[build failed]")
	}
	return s.judge(p, built, binary, filepath.Join(dir, "records"))
}

// summary is what ends the output of a package, in the manner of go test.
func summary(state string, p instrument.TestPackage, rest string) string {
	return fmt.Sprintf("%s\t%s\t%s\n", state, p.ImportPath, rest)
}

// nothing prints the summary of a package whose tests do not run.
func (s *testSession) nothing(state string, p instrument.TestPackage, rest string) error {
	if !s.flags.json {
		_, err := io.WriteString(s.out, summary(state, p, rest))
		return err
	}
	events, err := startEvents(p.ImportPath, "")
	if err != nil {
		return err
	}
	io.WriteString(events, summary(state, p, rest))
	return events.finish(s.out, nil, "")
}

// judge runs the test binary of a package and keeps the report.
func (s *testSession) judge(p instrument.TestPackage, built *instrument.Result, binary, records string) error {
	out := &testOutput{to: s.out, hold: !s.flags.args.verbose && !s.flags.local}
	var events *testEvents
	if s.flags.json {
		var err error
		if events, err = startEvents(p.ImportPath, built.GoRoot); err != nil {
			return err
		}
		defer events.Close()
		out = &testOutput{to: events}
	}
	start := time.Now()
	ended, interrupted, err := s.execute(p, built, binary, records, out)
	seconds := time.Since(start).Seconds()
	s.interrupted = interrupted
	if err != nil {
		return fmt.Errorf("starting the tests of %s: %w", p.ImportPath, err)
	}
	if name := out.unknownFlag(); name != "" {
		return fmt.Errorf("the tests of %s have no flag %s; see 'go help testflag'", p.ImportPath, name)
	}
	r, err := s.report(p, built, binary, records, ended)
	if err != nil {
		out.release()
		return fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	state := "ok  "
	if r.New() > 0 || ended.Failed() {
		state = "FAIL"
		out.release()
	}
	rest := fmt.Sprintf("%.3fs\t[%s]", seconds, r.Verdict)
	if out.noTests {
		rest += " [no tests to run]"
	}
	if _, err := io.WriteString(out.to, summary(state, p, rest)); err != nil || events == nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	return events.finish(s.out, r, dir)
}

// report is what the tests of a package recorded, compared with the baseline.
func (s *testSession) report(p instrument.TestPackage, built *instrument.Result, binary, records string, ended *race.Program) (*race.Report, error) {
	file, err := readRecords(records, ended)
	if err != nil {
		return nil, err
	}
	r := report.New(file, report.Options{
		Engine: engineName, Program: ended, Binary: binary, Package: p.ImportPath,
		Uninstrumented: built.Uninstrumented, Files: built.Files, ObservedEdges: s.flags.edges == "observed",
	})
	reporting := &s.flags.reporting
	if known := reporting.known; known != nil {
		if reporting.update {
			known = baseline.Of(r) // all will be known
		}
		known.Mark(r, reporting.baseline)
	}
	s.suites = append(s.suites, junit.Suite{Name: p.ImportPath, Report: r})
	return r, nil
}

// grace is how long after its own timeout a test binary is left alone.
const grace = time.Minute

// execute runs a test binary as go test does: in the directory of its package, with
// both outputs in one.
func (s *testSession) execute(p instrument.TestPackage, built *instrument.Result, binary, records string, out io.Writer) (*race.Program, bool, error) {
	ctx, cancel := context.WithCancel(context.Background())
	if d := s.flags.args.timeout; d > 0 {
		ctx, cancel = context.WithTimeout(ctx, d+grace)
	}
	defer cancel()
	args := s.flags.args.binary
	if s.flags.json {
		args = append([]string{"-test.v=test2json"}, args...)
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Dir = p.Dir
	cmd.Env = append(judgedEnv(records), "DETRACE_TEST=1", "PWD="+p.Dir, "GOROOT="+built.GoRoot,
		"PATH="+filepath.Join(built.GoRoot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	if s.flags.edges == "observed" {
		cmd.Env = append(cmd.Env, "DETRACE_EDGES=observed")
	}
	cmd.Stdout, cmd.Stderr = out, out
	ended, interrupted, stop, err := runProgram(cmd)
	defer stop()
	if ctx.Err() != nil && err == nil {
		fmt.Fprintf(out, "*** Test killed: ran too long (%v).\n", s.flags.args.timeout+grace)
	}
	return ended, interrupted, err
}

// finish reports on all packages as one.
func (s *testSession) finish(name string) (int, error) {
	if len(s.suites) == 0 {
		switch {
		case s.interrupted:
			return exitError, errInterrupted
		case s.unbuilt > 0:
			return exitError, errors.New("nothing was judged: see above")
		}
		return exitError, errors.New("nothing was judged: there are no test files")
	}
	var reports []*race.Report
	for _, suite := range s.suites {
		// The baseline is for all packages together.
		r := *suite.Report
		r.Races = slices.Clone(r.Races)
		for i := range r.Races {
			r.Races[i].Known = false
		}
		r.Baseline = nil
		reports = append(reports, &r)
	}
	if name == "" {
		name = s.suites[0].Name
	}
	code, err := s.flags.reporting.finish(report.Merge(reports), name, os.Stderr, s.suites...)
	if err == nil && code != exitRace && s.unbuilt > 0 {
		return exitError, fmt.Errorf("%s could not be built: see above", report.Plural(uint64(s.unbuilt), "package"))
	}
	return code, err
}

// testOutput passes on what a test binary prints, or holds it until it is wanted.
type testOutput struct {
	to      io.Writer
	hold    bool
	held    bytes.Buffer
	head    []byte // the beginning of what was printed
	noTests bool
}

const noTestsToRun = "testing: warning: no tests to run"

func (o *testOutput) Write(b []byte) (int, error) {
	o.head = append(o.head, b[:min(len(b), 1024-len(o.head))]...)
	o.noTests = o.noTests || bytes.Contains(b, []byte(noTestsToRun))
	if o.hold {
		return o.held.Write(b)
	}
	return o.to.Write(b)
}

// release passes on what was held.
func (o *testOutput) release() {
	o.hold = false
	o.held.WriteTo(o.to)
}

// unknownFlag is the flag that the test binary does not know, if that is all it said.
func (o *testOutput) unknownFlag() string {
	name, found := strings.CutPrefix(string(o.head), "flag provided but not defined: ")
	if !found {
		return ""
	}
	name, _, _ = strings.Cut(name, "\n")
	return name
}
