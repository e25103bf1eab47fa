package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/detrace/detrace/tp3"
)

var tp3Command = &command{
	name:    "tp3",
	summary: "judge a program in the featherweight promise language",
	usage:   "[flags] prog.tp3",
	about: `Tp3 judges a program in the featherweight language of task-parallel programs with
promises. Statements stand on lines of their own or are separated by ; and # starts
a comment:

  x = alloc      x = new_promise     x = load y     store e to y     x.set     x.get
  async { ... }  while (0 != load y) { ... }        x = e            return

e is an integer, a name or a sum with +. A name is assigned once in a block.
Without -explore the program runs once, under the scheduling rule of DRDP, and
is judged by that run: without a race, it speaks for all schedules.

  -explore               run all schedules, up to the order of independent steps
  -budget n              the most steps of a run (default 100000) or, with -explore,
                         of all runs (default 1000000)
  -dot file              write the computation graph of the run under DRDP
  -svg file              the same as a picture
  -trace file            write that run as a trace, for detrace replay
  -strict                exit with 4 when the program is not certified

With -explore these lines are printed, then what they count, then the verdict:

  schedules:             sequences of steps, all interleavings
  final states:          distinct shared memories at the end, also of a deadlock
  graphs:                distinct computation graphs, values of locals included
  deadlocks:             distinct deadlocked ends
  races:                 racing pairs of statements

A deadlock or a program error without a race exits with 2.
`,
	run: runTP3,
}

func runTP3(c *command, args []string) (int, error) {
	fs := c.flags()
	explore := fs.Bool("explore", false, "")
	budget := fs.Int("budget", 0, "")
	dot := fs.String("dot", "", "")
	svg := fs.String("svg", "", "")
	trace := fs.String("trace", "", "")
	strict := fs.Bool("strict", false, "")
	if err := c.parse(fs, args); err != nil {
		return exitError, err
	}
	switch {
	case fs.NArg() == 0:
		return exitError, errors.New("the program is missing: detrace tp3 " + c.usage)
	case fs.NArg() > 1:
		return exitError, fmt.Errorf("%q is a second program; name one, behind the flags", fs.Arg(1))
	case *budget < 0:
		return exitError, fmt.Errorf("-budget %d is no number of steps", *budget)
	}
	src, err := os.ReadFile(fs.Arg(0))
	if err != nil {
		return exitError, err
	}
	prog, err := tp3.Parse(fs.Arg(0), string(src))
	if err != nil {
		return exitError, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	v := &tp3View{name: fs.Arg(0), strict: *strict}
	if err := v.judge(ctx, prog, *explore, *budget, tp3Files{*dot, *svg, *trace}); err != nil {
		return exitError, err
	}
	_, err = io.WriteString(os.Stdout, v.String())
	return v.code, err
}

// tp3View renders what is found out about a program.
type tp3View struct {
	strings.Builder
	name   string
	strict bool
	code   int
}

func (v *tp3View) printf(format string, args ...any) { fmt.Fprintf(v, format, args...) }

// tp3Files are the files to write of the run under DRDP, "" for none.
type tp3Files struct{ dot, svg, trace string }

func (v *tp3View) judge(ctx context.Context, prog *tp3.Program, explore bool, budget int, files tp3Files) error {
	if !explore || files != (tp3Files{}) {
		var out *tp3.Outcome
		run := func(s tp3.Sink) (err error) {
			out, err = prog.Run(ctx, tp3.Limits{RunSteps: budget}, s)
			return err
		}
		if err := runTraced(files.trace, run); err != nil {
			return err
		}
		if err := writeOutput(files.dot, out.Graph.DOT); err != nil {
			return err
		}
		if err := writeOutput(files.svg, out.Graph.SVG); err != nil {
			return err
		}
		if !explore {
			v.outcome(out)
			return nil
		}
	}
	x, err := prog.Explore(ctx, tp3.Limits{Steps: budget})
	if err != nil {
		return err
	}
	v.exploration(x)
	return nil
}

// runTraced makes a run, and writes its trace if path names a file.
func runTraced(path string, run func(tp3.Sink) error) error {
	if path == "" {
		return run(nil)
	}
	return writeOutput(path, func(out io.Writer) error { return writeTP3Trace(out, run) })
}

// writeOutput writes a file, if it has a name.
func writeOutput(path string, render func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := render(f); err != nil {
		f.Close()
		os.Remove(path)
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return f.Close()
}

func (v *tp3View) outcome(out *tp3.Outcome) {
	v.printf("steps: %d\nmemory: %s\n", out.Steps, memoryLine(out.Memory))
	v.deadlock(out.Blocked)
	if out.Failure != nil {
		v.failure(out.Failure)
	}
	v.printf("races: %d\n", len(out.Races))
	v.races(out.Races)
	verdict, why := out.Verdict()
	v.verdict(verdict, why, out.Failure != nil || len(out.Blocked) > 0)
}

func (v *tp3View) exploration(x *tp3.Exploration) {
	atLeast := ""
	if !x.Exact {
		atLeast = "at least "
	}
	v.printf("schedules: %s%s\n", atLeast, x.Schedules)
	v.printf("explored: %d up to the order of independent steps\n", x.Classes)
	if !x.Complete {
		v.printf("incomplete: %s; every count is of what was seen\n", x.Missing)
	}
	v.printf("final states: %d\n", len(x.States))
	for _, m := range x.States {
		v.printf("  %s\n", memoryLine(m))
	}
	v.printf("graphs: %d\n", x.Graphs)
	v.printf("deadlocks: %d\n", len(x.Deadlocks))
	for _, d := range x.Deadlocks {
		v.printf("  with memory %s\n", memoryLine(d.Memory))
		v.deadlock(d.Blocked)
	}
	for _, f := range x.Failures {
		v.failure(f)
	}
	v.printf("races: %d\n", len(x.Races))
	v.races(x.Races)
	verdict, why := x.Verdict()
	v.verdict(verdict, why, len(x.Failures) > 0 || len(x.Deadlocks) > 0)
}

func memoryLine(m tp3.Memory) string {
	if len(m) == 0 {
		return "none"
	}
	return m.String()
}

func (v *tp3View) races(races []tp3.Race) {
	for _, r := range races {
		v.printf("race: %s %s || %s %s at %s\n", r.First.Pos, r.First.Op, r.Second.Pos, r.Second.Op, r.Location)
		v.side(r.First)
		v.side(r.Second)
		v.printf("  %s was allocated at %s:%s\n", r.Location, v.name, r.Alloc)
	}
}

func (v *tp3View) side(s tp3.Side) {
	v.printf("  %s:%s: %s, by %s%s\n", v.name, s.Pos, s.Text, s.Task, v.asyncs(s.Asyncs))
}

// asyncs is the chain of asyncs from main down to a task.
func (v *tp3View) asyncs(chain []tp3.Pos) string {
	if len(chain) == 0 {
		return ""
	}
	places := make([]string, len(chain))
	for i, p := range chain {
		places[i] = p.String()
	}
	return " (async at " + strings.Join(places, ", then ") + ")"
}

func (v *tp3View) deadlock(blocked []tp3.Blocked) {
	for _, b := range blocked {
		v.printf("deadlock: %s%s waits at %s:%s (%s) for the promise %s of %s\n", b.Task, v.asyncs(b.Asyncs), v.name, b.Pos, b.Text, b.Promise, b.Created)
		if len(b.Setters) == 0 {
			v.printf("  no waiting task has a set of it ahead\n")
		}
		for _, s := range b.Setters {
			v.printf("  %s would set it at %s:%s, but waits itself\n", s.Task, v.name, s.Pos)
		}
	}
}

func (v *tp3View) failure(f *tp3.Failure) {
	v.printf("error: %s:%s: %s, by %s: %s; %s\n", v.name, f.Pos, f.Text, f.Task, f.What, f.Do)
}

// verdict prints the last line and settles the exit code.
func (v *tp3View) verdict(verdict tp3.Verdict, why string, failed bool) {
	v.printf("verdict: %s: %s\n", verdict, why)
	switch {
	case verdict == tp3.Racy:
		v.code = exitRace
	case failed:
		v.code = exitProgram
	case verdict == tp3.NotCertified && v.strict:
		v.code = exitStrict
	}
}
