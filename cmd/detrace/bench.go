package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/detrace/detrace/bench"
)

var benchCommand = &command{
	name:    "bench",
	summary: "measure the papers' programs, beside go build -race",
	usage:   "[flags]",
	about: `Bench builds the programs of bench/suite and measures what judging them costs. It
runs inside the detrace module. What it does is shown on standard error, the result
is printed on standard output.

  -table name            what to measure (default all):
` + benchTables() + `  -quick                 small inputs, and whatever rounds a minute has room for once
                         everything was built before
  -size name             inputs: tiny, small, medium (default) or paper
  -programs list         only these, separated by commas
  -engines list          for programs on package task these engines, separated by commas
  -patience duration     leave out what takes longer, such as 2m (default 5m)
  -rounds n              how often each program runs (default 5)
  -format md|json        the form of the result (default md); md,json for both, with -o
  -o file                write it to a file, and with md plots beside it as SVG; with both
                         forms this is the page, and the other ends in .json

Go's race detector needs cgo and a C compiler; without them its columns are empty.
The exit code is 1 if a program failed, had a wrong result or raced.
`,
	run: runBench,
}

func benchTables() string {
	var b strings.Builder
	for _, t := range bench.Tables {
		fmt.Fprintf(&b, "                         %-12s %s\n", t.Name, t.Title)
	}
	return b.String()
}

// quickBudget leaves room in a minute for the process that is running when it is over.
const quickBudget = 50 * time.Second

// benchFlags are the flags of bench.
type benchFlags struct {
	options        bench.Options
	format, output string
}

func (b *benchFlags) parse(c *command, args []string) error {
	fs := c.flags()
	table := fs.String("table", bench.Tables[0].Name, "")
	quick := fs.Bool("quick", false, "")
	programs := fs.String("programs", "", "")
	engines := fs.String("engines", "", "")
	fs.StringVar(&b.options.Size, "size", "medium", "")
	fs.IntVar(&b.options.Rounds, "rounds", 5, "")
	fs.DurationVar(&b.options.Patience, "patience", 5*time.Minute, "")
	fs.StringVar(&b.format, "format", "md", "")
	fs.StringVar(&b.output, "o", "", "")
	if err := c.parse(fs, args); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("%q is no flag; see 'detrace help bench'", fs.Arg(0))
	case b.format != "md" && b.format != "json" && b.format != "md,json":
		return fmt.Errorf("-format can only be md, json or md,json, not %q", b.format)
	case b.format == "md,json" && b.output == "":
		return errors.New("two forms need a file: add -o")
	case b.options.Rounds < 1:
		return errors.New("-rounds must be at least 1")
	}
	if *quick {
		b.options.Budget = quickBudget
		b.options.Patience = min(b.options.Patience, 5*time.Second)
		if !given(fs, "size") {
			b.options.Size = "small"
		}
	}
	b.options.Programs, b.options.Engines = splitTags(*programs), splitTags(*engines)
	var err error
	b.options.Table, err = bench.FindTable(*table)
	return err
}

func given(fs *flag.FlagSet, name string) (found bool) {
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

func runBench(c *command, args []string) (int, error) {
	var flags benchFlags
	if err := flags.parse(c, args); err != nil {
		return exitError, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	flags.options.Progress = func(line string) { fmt.Fprintln(os.Stderr, "detrace bench:", line) }
	results, err := bench.Run(ctx, flags.options)
	if ctx.Err() != nil {
		return exitError, errors.New("interrupted")
	}
	if err != nil {
		return exitError, err
	}
	return exitOK, flags.write(results)
}

// write renders the results. Plots go into files beside the output, so there are none
// without one.
func (b *benchFlags) write(r *bench.Results) error {
	switch {
	case b.format == "json" && b.output == "":
		return r.EncodeJSON(os.Stdout)
	case b.format == "json":
		return writeOutput(b.output, r.EncodeJSON)
	case b.output == "":
		return r.WriteMarkdown(os.Stdout)
	}
	stem := strings.TrimSuffix(b.output, filepath.Ext(b.output))
	plots := r.Plots(filepath.Base(stem))
	for i := range plots {
		if err := writeOutput(filepath.Join(filepath.Dir(b.output), plots[i].File), plots[i].Write); err != nil {
			return err
		}
	}
	if b.format == "md,json" {
		if err := writeOutput(stem+".json", r.EncodeJSON); err != nil {
			return err
		}
	}
	return writeOutput(b.output, func(w io.Writer) error { return r.WriteMarkdown(w, plots...) })
}
