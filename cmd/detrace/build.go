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
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/detrace/detrace"
	"github.com/detrace/detrace/instrument"
	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

var buildCommand = &command{
	name:    "build",
	summary: "build a program that records what it does, to run it elsewhere",
	usage:   "[flags] -o file [package]",
	about: `Build builds the package (default: the one in the current directory) with
instrumentation. Where the program runs, set DETRACE_RECORDS to the file that
it is to write, and render that file with 'detrace report'.

  -o file                the program to write (required)
` + buildHelp,
	run: runBuild,
}

const buildHelp = `  -C dir                 change to dir first
  -tags list             build tags, separated by commas
  -coalesce off          check every access in loops by itself; by default the accesses
                         of loops over slices and arrays are checked together where
                         that is exact
  -explain-coalescing    list all loops, with what was proven of each or why nothing was
  -parallel              tasks of package task run in parallel, on Go's scheduler;
                         without it those of programs that use nothing else run
                         serially
`

// buildFlags are the flags that say what to build.
type buildFlags struct {
	dir, tags string
	native    bool // tasks are goroutines, and nothing is told of constructs
	parallel  bool // tasks are goroutines, and constructs are told
	tests     bool // the package's tests, not the package
	keep      bool // the program is there afterwards, and may be debugged
	coalesce  string
	explain   bool // say what became of loops

	warned []race.Warning // what was told
}

func (b *buildFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&b.dir, "C", "", "")
	fs.StringVar(&b.tags, "tags", "", "")
	fs.StringVar(&b.coalesce, "coalesce", "on", "")
	fs.BoolVar(&b.explain, "explain-coalescing", false, "")
	fs.BoolVar(&b.parallel, "parallel", false, "")
}

// enter makes the directory of -C the working directory, as the go command
// does: every other path is relative to it.
func (b *buildFlags) enter() error {
	if b.dir == "" {
		return nil
	}
	return os.Chdir(b.dir)
}

// build builds the package to output.
func (b *buildFlags) build(patterns []string, output string) (result *instrument.Result, err error) {
	err = b.with(patterns, func(ctx context.Context, c instrument.Config) error {
		c.Output = output
		result, err = instrument.Build(ctx, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	b.warn(os.Stderr, result.Files)
	if b.explain {
		explainLoops(os.Stderr, result.Loops)
	}
	return result, nil
}

// warn tells, once in this process, of directives in files that say nothing.
func (b *buildFlags) warn(w io.Writer, files []string) {
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	for _, x := range report.Malformed(files) {
		if !slices.Contains(b.warned, x) {
			b.warned = append(b.warned, x)
			fmt.Fprintf(w, "detrace: %s: %s\n", report.Place(dir, x.Pos), x.Detail)
		}
	}
}

// with calls f with what the flags say of a build, and a context that signals end.
func (b *buildFlags) with(patterns []string, f func(context.Context, instrument.Config) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if b.coalesce != "on" && b.coalesce != "off" {
		return fmt.Errorf("-coalesce can be on or off, not %q", b.coalesce)
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	cache, cleanup, err := cacheDir()
	if err != nil {
		return err
	}
	defer cleanup()
	progress, clear := progressLine()
	// A build soon ends, and for one that type-checks much of the library, the collector was
	// a third of its processor time.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	err = f(ctx, instrument.Config{
		Sources: detrace.Sources, Cache: cache, Dir: ".", Patterns: patterns,
		Tags: splitTags(b.tags), Native: b.native, Parallel: b.parallel, Test: b.tests, NoCoalesce: b.coalesce == "off", NoDebug: !b.keep, Progress: progress,
	})
	clear()
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

var errInterrupted = errors.New("interrupted while building")

func splitTags(tags string) []string {
	return strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' })
}

// cacheDir is where overlays are kept between builds. Without a home there is
// no such place, and the overlay is made anew.
func cacheDir() (dir string, cleanup func(), err error) {
	if base, err := os.UserCacheDir(); err == nil {
		return filepath.Join(base, "detrace"), func() {}, nil
	}
	dir, err = os.MkdirTemp("", "detrace-cache-*")
	return dir, func() { os.RemoveAll(dir) }, err
}

// progressLine returns what shows the state of a build in one line of a
// terminal and what clears that line. Elsewhere nothing is shown.
func progressLine() (show func(string), clear func()) {
	if !isTerminal(os.Stderr) || os.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	const erase = "\r\x1b[K"
	shown := false
	show = func(line string) {
		shown = true
		fmt.Fprint(os.Stderr, erase, "detrace: ", line)
	}
	clear = func() {
		if shown {
			fmt.Fprint(os.Stderr, erase)
		}
	}
	return show, clear
}

func runBuild(c *command, args []string) (int, error) {
	fs := c.flags()
	b := buildFlags{keep: true}
	b.register(fs)
	output := fs.String("o", "", "")
	if err := c.parse(fs, args); err != nil {
		return exitError, err
	}
	if err := checkPackage(c, fs.Args()); err != nil {
		return exitError, err
	}
	if *output == "" {
		return exitError, errors.New("-o is missing: name the file to write, as in detrace build -o app ./cmd/app")
	}
	if err := b.enter(); err != nil {
		return exitError, err
	}
	result, err := b.build(fs.Args(), *output)
	if err != nil {
		return exitError, err
	}
	if len(result.Uninstrumented) > 0 {
		fmt.Fprintf(os.Stderr, "detrace build: not observed, at least in part: %s\n", strings.Join(result.Uninstrumented, ", "))
	}
	return exitOK, nil
}
