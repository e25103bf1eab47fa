package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/instrument"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

var runCommand = &command{
	name:    "run",
	summary: "build a program with instrumentation, run it, judge it",
	usage:   "[flags] [package] [-- program arguments]",
	about: `Run builds the package (default: the one in the current directory), runs it
once and reports on standard error whether any schedule of it can race on this
input. The program's own input and output are left alone.

` + buildHelp + workersHelp + engineHelp + formatHelp + edgesHelp + traceHelp,
	run: runRun,
}

const edgesHelp = `  -edges observed        judge this schedule only: take the order in which it took
                         locks, did atomic operations and met on channels for
                         given, without reasons. Nothing is certified then.
`

const workersHelp = `  -workers n             with -parallel: run on so many processors (default: as many as
                         the program gives itself)
`

const engineHelp = `  -engine name           for programs that run their tasks by package task alone, which
                         then run serially: the engine that finds out which task
                         precedes which (default auto):
                         auto     begin with the cheapest for the first construct
                                  (multibags, lattice or drdp), go on with jointree
                                  when that does not suffice
                         native   none: run the tasks as goroutines, under jointree
                         spbags, multibags, multibagsplus, rsketch, lattice, drdp,
                         order, sforder, forder, jointree
                                  this one, or the error that it cannot be
                         With -parallel, auto begins with order, with sforder if the
                         program may create futures, or with jointree for promises
                         and lines; of those named, the last four can be asked for.
                         Other programs run natively, under jointree.
`

// Values of -engine that name no engine: the program chooses, or runs natively.
const (
	auto   = "auto"
	native = "native"
)

// engineName names the engine with a number in the records.
func engineName(id uint32) string {
	if id == 0 {
		return engines.JoinTree.String()
	}
	return engines.ID(id).String()
}

type runFlags struct {
	buildFlags
	reporting reporting
	edges     string
	engine    string
	trace     string
	workers   int // 0: the program's own number
}

func (r *runFlags) parse(c *command, args []string) (patterns []string, err error) {
	fs := c.flags()
	r.register(fs)
	r.reporting.register(fs)
	fs.StringVar(&r.edges, "edges", "", "")
	fs.StringVar(&r.engine, "engine", auto, "")
	fs.StringVar(&r.trace, "trace", "", "")
	fs.Func("workers", "", func(text string) (err error) {
		if r.workers, err = strconv.Atoi(text); err != nil || r.workers < 1 {
			return errors.New("it must be a positive number")
		}
		return nil
	})
	if err := c.parse(fs, args); err != nil {
		return nil, err
	}
	if r.edges != "" && r.edges != "observed" {
		return nil, fmt.Errorf("-edges can only be observed, not %q", r.edges)
	}
	r.native = r.engine == native
	if r.asked() && engines.Named(r.engine) == 0 {
		return nil, fmt.Errorf("there is no engine %q; see detrace help %s", r.engine, c.name)
	}
	if err := r.checkParallel(); err != nil {
		return nil, err
	}
	return fs.Args(), checkPackage(c, fs.Args())
}

// checkParallel wants -workers and -engine to fit -parallel.
func (r *runFlags) checkParallel() error {
	switch {
	case r.workers != 0 && !r.parallel:
		return errors.New("-workers goes with -parallel: a serial run has one worker; of a native one, GOMAXPROCS says how many")
	case r.parallel && r.native:
		return errors.New("-parallel and -engine native exclude each other: both run tasks as goroutines, but under native no engine is told of constructs")
	case r.parallel && r.asked() && !new(engines.Any).Parallel(engines.Named(r.engine)):
		return fmt.Errorf("engine %s judges serial runs only; with -parallel there are order, sforder, forder and jointree", r.engine)
	}
	return nil
}

func runRun(c *command, args []string) (int, error) {
	own, programArgs := splitDashes(args)
	var flags runFlags
	patterns, err := flags.parse(c, own)
	if err != nil {
		return exitError, err
	}
	if err := flags.enter(); err != nil {
		return exitError, err
	}
	if err := flags.reporting.open(); err != nil {
		return exitError, err
	}
	trace, err := flags.openTrace()
	if err != nil {
		return exitError, err
	}
	defer trace.close()
	temp, err := os.MkdirTemp("", "detrace-run-*")
	if err != nil {
		return exitError, err
	}
	defer os.RemoveAll(temp)
	binary := filepath.Join(temp, programName(patterns))
	built, err := flags.build(patterns, binary)
	if err != nil {
		return exitError, err
	}
	records := filepath.Join(temp, "records")
	r, err := flags.judge(binary, programArgs, records, built)
	if err != nil {
		return exitError, err
	}
	code, err := flags.reporting.finish(r, packageName(patterns), os.Stderr)
	if failed := trace.write(rawTrace(records)); err == nil {
		err = failed
	}
	return code, err
}

// judge runs the program and reads what it recorded.
func (r *runFlags) judge(binary string, args []string, records string, built *instrument.Result) (*race.Report, error) {
	env := judgedEnv(records)
	if r.edges == "observed" {
		env = append(env, "DETRACE_EDGES=observed")
	}
	if r.asked() {
		env = append(env, "DETRACE_ENGINE="+r.engine)
	}
	if r.workers != 0 {
		env = append(slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "GOMAXPROCS=") }), fmt.Sprint("GOMAXPROCS=", r.workers))
	}
	if r.trace != "" {
		env = append(env, "DETRACE_TRACE="+rawTrace(records))
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	ended, _, stop, err := runProgram(cmd)
	defer stop()
	if err != nil {
		return nil, fmt.Errorf("starting the program: %w", err)
	}
	file, err := readRecords(records, ended)
	if err != nil {
		return nil, err
	}
	judged := report.New(file, report.Options{
		Engine: engineName, Program: ended, Binary: binary,
		Uninstrumented: built.Uninstrumented, Files: built.Files, ObservedEdges: r.edges == "observed",
	})
	return judged, r.checkEngine(file, judged)
}

// judgedEnv is the environment of a program that is to write to records. Variables of
// the caller would change what is judged behind the report's back.
func judgedEnv(records string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "DETRACE_") })
	return append(env, "DETRACE_RECORDS="+records, "DETRACE_QUIET=1")
}

// readRecords reads what a program recorded that ended like this.
func readRecords(records string, ended *race.Program) (*record.File, error) {
	file, err := record.ReadFile(records)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, record.ErrNotStarted) {
		return nil, fmt.Errorf("the program %s before its detector could write to %s: nothing was judged; "+
			"there must be room and permission for files in that directory (see TMPDIR)", describe(ended), filepath.Dir(records))
	}
	if err != nil {
		return nil, fmt.Errorf("reading what the program recorded: %w", err)
	}
	return file, report.Unjudged(file)
}

// asked reports whether an engine was asked for.
func (r *runFlags) asked() bool { return r.engine != auto && r.engine != native && r.engine != "" }

// checkEngine wants the engine that was asked for to have judged the whole run.
func (r *runFlags) checkEngine(file *record.File, judged *race.Report) error {
	if err := refused(file, judged); err != nil {
		return fmt.Errorf("%w; -engine auto can", err)
	}
	if r.asked() && file.Header.Engine == 0 && r.engine != engines.JoinTree.String() {
		return fmt.Errorf("engine %s judges programs that run their tasks by package task alone, and this one does not; "+
			"without -engine it is judged natively", r.engine)
	}
	return nil
}

// refused is the error that the engine that was asked for could not judge the program, which
// was stopped; nil if it was not.
func refused(file *record.File, judged *race.Report) error {
	x := judged.Stats.Exchange
	if !file.Header.Refused || x == nil {
		return nil
	}
	text := x.Why
	if x.At != nil {
		text = fmt.Sprintf("%s at %s:%d: %s", x.Construct, x.At.File, x.At.Line, x.Why)
	}
	if x.Other != nil {
		text += fmt.Sprintf(" (the other task was started at %s:%d)", x.Other.File, x.Other.Line)
	}
	return fmt.Errorf("engine %s cannot judge this program: %s", x.From, text)
}

func describe(p *race.Program) string {
	if p.Signal != "" {
		return "was killed by " + p.Signal
	}
	return fmt.Sprintf("ended (exit code %d)", p.ExitCode)
}

// packageName is what was judged, for people.
func packageName(patterns []string) string {
	if len(patterns) == 0 {
		return "."
	}
	return strings.Join(patterns, " ")
}

// programName is what the program finds in os.Args[0]: the name the go command
// would give it.
func programName(patterns []string) string {
	name := "."
	if len(patterns) > 0 {
		name = strings.TrimSuffix(patterns[0], ".go")
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	// "records" and the raw trace are taken by the files next to it.
	if name = filepath.Base(name); name == "/" || name == "." || name == "records" || name == rawTrace("records") {
		return "program"
	}
	return name
}
