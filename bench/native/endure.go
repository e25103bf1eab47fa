package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/detrace/detrace/bench/measure"
	"github.com/detrace/detrace/internal/record"
)

// endure judges one program for so long and prints how much memory it has after each tenth of
// the time. The error is about a run that failed, or whose memory went on growing: at the
// end it is more than a twentieth above what it was after half the time. That wants some
// minutes: tables grow until the first collections.
func endure(ctx context.Context, total time.Duration) error {
	b, programs, err := newBuilder(ctx)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.Out)
	binaries, err := b.Build(ctx, filepath.Join(programs, "endure"))
	if err != nil {
		return err
	}
	plain, _, err := endured(ctx, binaries[measure.Plain], filepath.Join(b.Out, "none"), min(total, 20*time.Second))
	if err != nil {
		return err
	}
	records := filepath.Join(b.Out, "records")
	judged, cpu, err := endured(ctx, binaries[measure.Judged], records, total)
	if err != nil {
		return err
	}
	file, err := record.ReadFile(records)
	if err != nil {
		return err
	}
	h := &file.Header
	if !h.Finished || len(file.Races) > 0 || len(file.Reasons) > 0 {
		return fmt.Errorf("the program was not certified: %d races, %d reasons", len(file.Races), len(file.Reasons))
	}
	printMachine(measure.ThisMachine(ctx), "")
	fmt.Printf("%v, CPU time %.0f s, %.2g accesses, %d tasks; resident memory after each tenth, in MB. Plain, after at most 20 s: %d MB.\n\n",
		total, cpu.Seconds(), float64(h.Reads+h.Writes), h.Tasks, plain[len(plain)-1]>>20)
	for i, bytes := range judged {
		fmt.Printf("| %d %% | %.1f MB |\n", 10*(i+1), float64(bytes)/(1<<20))
	}
	if half, last := judged[len(judged)/2-1], judged[len(judged)-1]; last > half+half/20 {
		return fmt.Errorf("memory grew from %d MB to %d MB", half>>20, last>>20)
	}
	return nil
}

// endured runs the program and returns what it said of its memory.
func endured(ctx context.Context, binary, records string, total time.Duration) (resident []int, cpu time.Duration, err error) {
	cmd := exec.CommandContext(ctx, binary, total.String())
	cmd.Env = append(os.Environ(), "DETRACE_RECORDS="+records, "DETRACE_QUIET=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s%s", binary, err, out, stderr.Bytes())
	}
	for lines := bufio.NewScanner(&stderr); lines.Scan(); {
		var n int
		if _, err := fmt.Sscanf(lines.Text(), "resident %d", &n); err == nil {
			resident = append(resident, n)
		}
	}
	if len(resident) != 10 {
		return nil, 0, fmt.Errorf("%s told of its memory %d times, not 10", binary, len(resident))
	}
	return resident, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}
