// Command native measures what judging a program costs: whole-process CPU time
// and peak memory, plain, with Go's race detector and with detrace.
//
//	go run ./bench/native            the programs of bench/programs, interleaved
//	go run ./bench/native -limits    memory and survival at large sizes
//	go run ./bench/native -endure 10m    memory over time
//
// It prints a Markdown table. The exit code is not 0 only when a result was
// wrong, a race was reported or, with -limits or -endure, a limit was not held;
// never because something was slow.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/detrace/detrace/bench/measure"
)

func main() {
	limits := flag.Bool("limits", false, "test the limits instead of measuring time")
	rounds := flag.Int("rounds", 5, "how often each program is run")
	only := flag.String("only", "", "run the one `case` with this name")
	long := flag.Duration("endure", 0, "judge one program for so `long` and look at its memory")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cases, print := timed, printTimes
	if *limits {
		cases, print = limited, printLimits
		*rounds = 1
	}
	if *long > 0 {
		if err := endure(ctx, *long); err != nil {
			fmt.Fprintln(os.Stderr, "bench/native:", err)
			os.Exit(1)
		}
		return
	}
	if err := bench(ctx, cases, *only, *rounds, print); err != nil {
		fmt.Fprintln(os.Stderr, "bench/native:", err)
		os.Exit(1)
	}
}

// A workload is a program of bench/programs with arguments.
type workload struct {
	name, program string
	args          []string
}

var timed = []workload{
	{"matrix product, n = 512", "matmul", nil},
	{"merge sort, 1,000,000 numbers", "mergesort", nil},
	{"Smith-Waterman, 1024 × 1024", "smithwaterman", nil},
}

var limited = []workload{
	{"100,000 goroutines alive at once", "alive", nil},
	{"1,000,000 goroutines in sequence", "sequence", []string{"1000000"}},
	{"5,000,000 goroutines in sequence", "sequence", []string{"5000000"}},
	{"a map of 1,000,000 entries", "bigmap", nil},
	{"a slice of 256 MB swept once", "sweep", nil},
}

// bench builds and runs the cases, and prints the table as far as it came.
func bench(ctx context.Context, cases []workload, only string, rounds int, print func([]result) error) error {
	b, programs, err := newBuilder(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.Out)
	var results []result
	for _, c := range cases {
		if only != "" && c.program != only {
			continue
		}
		fmt.Fprintf(os.Stderr, "%s\n", c.name)
		binaries, err := b.Build(ctx, filepath.Join(programs, c.program))
		if err != nil {
			return err
		}
		r, err := compare(ctx, c, binaries, rounds)
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	printMachine(measure.ThisMachine(ctx), b.NoRace)
	return print(results)
}

// newBuilder returns what builds programs, into a new directory that the caller removes, and
// where the programs are.
func newBuilder(ctx context.Context) (b *measure.Builder, programs string, err error) {
	root, err := measure.ModuleRoot(ctx)
	if err != nil {
		return nil, "", err
	}
	dir, err := os.MkdirTemp("", "detrace-bench-*")
	if err != nil {
		return nil, "", err
	}
	b = &measure.Builder{Out: dir, Progress: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	return b, filepath.Join(root, "bench", "programs"), nil
}
