package measure

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func runs(ms ...int) Runs {
	var r Runs
	for i, n := range ms {
		r = append(r, Run{CPU: time.Duration(n) * time.Millisecond, Peak: int64(100 * (i + 1))})
	}
	return r
}

func TestRuns(t *testing.T) {
	base, judged := runs(10, 20, 5), runs(30, 40, 20)
	if got := judged.CPU(); got != 30*time.Millisecond {
		t.Errorf("median %v", got)
	}
	if got := judged.Ratios(base); !slices.Equal(got, []float64{2, 3, 4}) {
		t.Errorf("ratios %v: they are those of the same rounds", got)
	}
	if got := judged[:2].Ratios(base); len(got) != 2 {
		t.Errorf("%d ratios of two rounds", len(got))
	}
	if got := judged[:2].CPU(); got != 35*time.Millisecond {
		t.Errorf("median of two: %v", got)
	}
	if base.Peak() != 300 || Runs(nil).Peak() != 0 {
		t.Errorf("peaks %d, %d", base.Peak(), Runs(nil).Peak())
	}
}

func TestExecute(t *testing.T) {
	t.Setenv("DETRACE_ENGINE", "of the caller")
	out, run, err := Execute(context.Background(), "/bin/sh", []string{"-c", `echo "$DETRACE_ENGINE:$DETRACE_QUIET"`}, "DETRACE_QUIET=1")
	if err != nil || string(out.Stdout) != ":1\n" || run.Peak <= 0 {
		t.Errorf("printed %q, peak %d, %v", out.Stdout, run.Peak, err)
	}
	_, _, err = Execute(context.Background(), "/bin/sh", []string{"-c", "echo out; echo err >&2; exit 4"})
	if err == nil || !strings.Contains(err.Error(), "exit status 4") || !strings.Contains(err.Error(), "out\nerr\n") {
		t.Errorf("the error of a failing program is %v", err)
	}
}

// A child does not begin with the peak of this process.
func TestPeakIsTheChilds(t *testing.T) {
	ballast := make([]byte, 256<<20)
	for i := range ballast {
		ballast[i] = 1
	}
	ballast = nil
	_, run, err := Execute(t.Context(), os.Args[0], []string{"-test.run=^$"})
	if err != nil {
		t.Fatal(err)
	}
	if run.Peak > 128<<20 {
		t.Errorf("a process that does nothing has a peak of %d MB", run.Peak>>20)
	}
}
