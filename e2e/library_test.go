package e2e

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLibrary runs programs whose race is inside of package task, where no want can stand:
// an Async by a task that the Finish does not wait for, and the end of the Finish; and two
// tasks that use one Group.
func TestLibrary(t *testing.T) {
	for program, variables := range map[string][]string{
		"finish_left_open":         {"s.ended"},
		"group_shared":             {"f.n"},
		"group_synced":             {"f.n", "g.failures.n"},
		"group_synced_for_a_while": {"f.n", "g.failures.n", "more.gaveUp"}, // which, the schedule decides
	} {
		for _, flags := range []string{"", "-parallel", "-engine native"} {
			t.Run(program+flags, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "report.json")
				args := append([]string{"run", "-format", "json=" + file}, strings.Fields(flags)...)
				out, code := command(t, root, nil, detrace, append(args, "./testdata/library/"+program)...)
				r := decode(t, file)
				for _, race := range r.Races {
					if !slices.Contains(variables, race.Location.Name) {
						t.Errorf("a race of %s, want those of %v", race.Location.Name, variables)
					}
				}
				if code != 3 || len(r.Races) == 0 || program == "finish_left_open" && len(r.Races) != 1 {
					t.Errorf("exit code %d, want 3 and a race of %v\n%s", code, variables, out)
				}
			})
		}
	}
}
