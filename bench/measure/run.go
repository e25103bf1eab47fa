package measure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A Run is what one process took.
type Run struct {
	CPU  time.Duration // user and system
	Peak int64         // bytes of resident memory
	Wall time.Duration // by the clock
}

// Patience is how long one process may take.
const Patience = 10 * time.Minute

// ErrPatience is the error about a process that took longer.
var ErrPatience = fmt.Errorf("not finished after %v", Patience)

// Output is what a process printed.
type Output struct{ Stdout, Stderr []byte }

// Execute runs a program to its end. env is added to this process's environment, of
// which detrace's own variables are left out. A program that fails is an error that
// shows what it printed.
//
// The system counts memory from before the program is loaded, when the process still is
// a copy of this one: a peak below what this process then has is not seen, see shrink.
func Execute(ctx context.Context, binary string, args []string, env ...string) (Output, Run, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, Patience, ErrPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	inherited := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "DETRACE_") })
	// Go's race detector sleeps for a second at the end, which takes no CPU time.
	cmd.Env = append(append(inherited, "GOMAXPROCS=", "GORACE=atexit_sleep_ms=0"), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	shrink()
	started := time.Now()
	err := cmd.Run()
	wall := time.Since(started)
	out := Output{stdout.Bytes(), stderr.Bytes()}
	if ctx.Err() != nil {
		return out, Run{}, context.Cause(ctx)
	}
	if err != nil {
		return out, Run{}, fmt.Errorf("%w\n%s%s", err, out.Stdout, out.Stderr[:min(len(out.Stderr), 3000)])
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return out, Run{}, errors.New("the system does not say what a process used")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return out, Run{cpu, usage.Maxrss * 1024, wall}, nil
}

// shrink gives memory back and forgets this process's own peak, which a child would begin
// with: building programs takes more than many of them do. Where the system does not
// let it, peaks are too high and not too low.
func shrink() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// Runs are those of one program with one tool, by round.
type Runs []Run

// CPU is the median CPU time; there must be a run.
func (r Runs) CPU() time.Duration {
	all := make([]time.Duration, len(r))
	for i, one := range r {
		all[i] = one.CPU
	}
	slices.Sort(all)
	return Median(all)
}

// Median is the middle of sorted numbers, of which there must be some: the mean of the two
// in the middle if their number is even.
func Median[N float64 | time.Duration](sorted []N) N {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// Peak is the largest memory, 0 without a run.
func (r Runs) Peak() int64 {
	most := int64(0)
	for _, one := range r {
		most = max(most, one.Peak)
	}
	return most
}

// Ratios are the CPU times over those of base in the same rounds, the smallest first.
func (r Runs) Ratios(base Runs) []float64 {
	all := make([]float64, min(len(r), len(base)))
	for i := range all {
		all[i] = r[i].CPU.Seconds() / base[i].CPU.Seconds()
	}
	slices.Sort(all)
	return all
}
