package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// TestCoalescedIsOneByOne compares, for the programs of the papers, what is found when
// the accesses of loops are checked together with what is found one by one: the same
// races under the same fingerprints.
func TestCoalescedIsOneByOne(t *testing.T) {
	programs := []string{"mm -racy", "sort", "sw -racy", "hw", "ferret", "lcs -racy", "bst", "dedup", "matmul",
		"strassen -racy", "poisson -racy", "sparselu", "knapsack", "health", "gather"}
	for _, style := range []string{"goroutines", "tasks"} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			together, single := filepath.Join(dir, "together"), filepath.Join(dir, "single")
			for binary, flag := range map[string]string{together: "on", single: "off"} {
				if out, code := command(t, root, nil, detrace, "build", "-coalesce="+flag, "-o", binary, "./bench/suite/cmd/"+style); code != 0 {
					t.Fatalf("detrace build: exit code %d\n%s", code, out)
				}
			}
			races := 0
			for _, args := range programs {
				got, _ := judged(t, dir, together, args, 1)
				want, _ := judged(t, dir, single, args, 1)
				if got.Verdict != want.Verdict || !slices.Equal(fingerprints(got), fingerprints(want)) {
					t.Errorf("%s: together %s, one by one %s", args, summary(got), summary(want))
				}
				races += len(want.Races)
			}
			if races < 5 {
				t.Errorf("only %d races in all programs", races)
			}
		})
	}
}

// judged runs a binary once, on so many processors, and renders what it recorded. It returns
// what the program wrote, too.
func judged(t *testing.T, dir, binary, args string, procs int) (r *race.Report, out string) {
	records := filepath.Join(dir, "records")
	out, code := command(t, dir, []string{"DETRACE_RECORDS=" + records, "DETRACE_QUIET=1", fmt.Sprint("GOMAXPROCS=", procs)}, binary, strings.Fields(args)...)
	if code != 0 && !strings.Contains(args, "-racy") {
		t.Errorf("%s: exit code %d\n%s", args, code, out)
	}
	rendered := filepath.Join(dir, "report.json")
	command(t, root, nil, detrace, "report", "-binary", binary, "-format", "json="+rendered, records)
	return decode(t, rendered), out
}

func summary(r *race.Report) string {
	s := string(r.Verdict)
	for _, found := range r.Races {
		s += " " + found.Location.Name + " " + found.Fingerprint
	}
	return s
}
