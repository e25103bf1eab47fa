package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/race"
)

// TestTurns runs goroutines that use locks and the like in turns, many programs of them, and
// compares the reasons with those that the program finds among all pairs of its operations.
func TestTurns(t *testing.T) {
	binary := program{name: "turns", path: "./testdata/random/turns"}.build(t, t.TempDir())
	dir := t.TempDir()
	judge := func(seed uint64) error {
		dir := filepath.Join(dir, fmt.Sprint(seed))
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		r, want := judged(t, dir, binary, fmt.Sprint(seed), 1+int(seed%2))
		if got := fmt.Sprint(codes(r)); got != strings.TrimSpace(want) {
			return fmt.Errorf("reasons %s, want %s", got, want)
		}
		return nil
	}
	first, count := soak.Seeds(60)
	if seed, err := soak.FirstFailure(first, count, judge); err != nil {
		t.Errorf("turns %d: %v", seed, err)
	}
}

// schedules is in how many runs accesses that no join orders must be told of once.
const schedules = 60

// TestOutcomes runs random goroutines and tasks that join one another and let the schedule
// decide here and there. What is certified must end in one way, however often it runs, and
// accesses of variables that no join orders, and they alone, are a race or luck: unless what
// the schedule decided put them in order, as an atomic load that came after a store. Then that
// is told, and another schedule shows them.
func TestOutcomes(t *testing.T) {
	outcomes := program{name: "outcomes", path: "./testdata/random/outcomes"}
	serial := outcomes.build(t, t.TempDir())
	parallel := filepath.Join(t.TempDir(), "parallel")
	command(t, root, nil, detrace, "build", "-parallel", "-o", parallel, outcomes.path)
	plain := filepath.Join(t.TempDir(), "plain")
	command(t, root, nil, "go", "build", "-o", plain, outcomes.path)
	dir := t.TempDir()
	var certified, others atomic.Int64
	try := func(seed uint64) error {
		dir := filepath.Join(dir, fmt.Sprint(seed))
		if err := os.Mkdir(dir, 0o777); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		actors := []string{"goroutines", "goroutines", "tasks", "tasks"}[seed%4]
		binary := []string{serial, serial, serial, parallel}[seed%4]
		judge := func(run int) (r *race.Report, told bool) {
			dir := filepath.Join(dir, fmt.Sprint(run))
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Error(err)
			}
			r, _ = judged(t, dir, binary, fmt.Sprint(actors, " ", seed, " 1"), 1+(int(seed/4)+run)%2)
			return r, len(r.Races) > 0 || slices.Contains(codes(r), "luck")
		}
		r, told := judge(0)
		out, code := command(t, dir, nil, plain, actors, fmt.Sprint(seed), "100")
		var unordered bool
		var ends int
		if _, err := fmt.Sscan(out, &unordered, &ends); err != nil || code != 0 {
			return fmt.Errorf("exit code %d, %q: %v", code, out, err)
		}
		for run := 1; unordered && !told && r.Verdict != race.Determinate && run < schedules; run++ {
			r, told = judge(run)
		}
		found := codes(r)
		switch {
		case r.Verdict == race.Determinate && ends > 1:
			return fmt.Errorf("certified, and has %d ends", ends)
		case unordered && !told:
			return fmt.Errorf("%v, and accesses are unordered", found)
		case !unordered && len(r.Races) > 0:
			return fmt.Errorf("%v, and all accesses are in order", found)
		case r.Verdict == race.Determinate:
			certified.Add(1)
		default:
			others.Add(1)
		}
		return nil
	}
	first, count := soak.Seeds(60)
	if seed, err := soak.FirstFailure(first, count, try); err != nil {
		t.Errorf("outcomes %d: %v", seed, err)
	}
	t.Logf("%d certified, %d not", certified.Load(), others.Load())
	if certified.Load() < int64(count/8) || others.Load() < int64(count/8) {
		t.Error("the test is blind")
	}
}

// codes are those of a report's reasons, and its races.
func codes(r *race.Report) []string {
	var all []string
	for _, reason := range r.Reasons {
		all = append(all, string(reason.Code))
	}
	for _, found := range r.Races {
		all = append(all, "race on "+found.Location.Name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
