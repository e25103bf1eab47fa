package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
