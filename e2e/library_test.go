package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestFinishLeftOpen runs a program whose race is inside of package task, where no want
// can stand: an Async by a task that the Finish does not wait for, and the end of the Finish.
func TestFinishLeftOpen(t *testing.T) {
	for _, flags := range []string{"", "-parallel", "-engine native"} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "report.json")
			args := append([]string{"run", "-format", "json=" + file}, strings.Fields(flags)...)
			out, code := command(t, root, nil, detrace, append(args, "./testdata/library/finish_left_open")...)
			r := decode(t, file)
			if code != 3 || len(r.Races) != 1 || r.Races[0].Location.Name != "s.ended" {
				t.Errorf("exit code %d, want 3 and one race of s.ended\n%s", code, out)
			}
		})
	}
}
