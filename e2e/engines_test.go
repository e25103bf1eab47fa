package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// table1 are the programs of Table 1 of the promises paper, on package task.
var table1 = []string{
	"race_drb027", "determinate_drb072", "determinate_drb078", "determinate_drb079", "race_drb131",
	"determinate_drb132", "determinate_drb133", "race_drb134", "race_drb173", "determinate_drb174",
	"race_drb175", "determinate_drb176", "race_drb177",
}

// TestEngines runs programs of package task serially under engines that were asked for:
// the verdict is the one in the program's name, and the engine judged alone.
func TestEngines(t *testing.T) {
	engines := map[string][]string{
		"drdp":          table1,
		"spbags":        {"determinate_group", "race_drb001", "determinate_finish"},
		"multibags":     {"determinate_group", "race_drb001", "race_future"},
		"multibagsplus": {"determinate_future", "race_future"},
		"rsketch":       {"determinate_promise", "race_promise"},
		"lattice":       {"determinate_line", "determinate_line_wavefront", "race_line", "determinate_pipeline", "race_pipeline"},
		"order":         {"determinate_finish", "race_drb001"},
		"sforder":       {"determinate_group", "race_future"},
		"forder":        {"determinate_promise", "race_promise", "determinate_future"},
		"jointree":      {"determinate_promise", "race_pipeline"},
	}
	for engine, programs := range engines {
		for _, program := range programs {
			t.Run(engine+"/"+program, func(t *testing.T) {
				t.Parallel()
				wanted := race.Racy
				if strings.HasPrefix(program, "determinate_") {
					wanted = race.Determinate
				}
				r := judgeUnder(t, engine, "./testdata/task/"+program)
				if r.Verdict != wanted || r.Stats.Engine != engine || r.Stats.Exchange != nil {
					t.Errorf("verdict %s under %s (%+v), want %s under %s", r.Verdict, r.Stats.Engine, r.Stats.Exchange, wanted, engine)
				}
			})
		}
	}
}

// judgeUnder runs the command with an engine.
func judgeUnder(t *testing.T, engine, program string) *race.Report {
	t.Helper()
	cmd := exec.Command(detrace, "run", "-engine", engine, "-format", "json", program)
	cmd.Dir = root
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	// What the program prints comes before the report.
	out := stdout.Bytes()
	r := new(race.Report)
	if err := json.Unmarshal(out[max(bytes.Index(out, []byte("{\n")), 0):], r); err != nil {
		t.Fatalf("%v: %s%s", err, out, stderr.Bytes())
	}
	return r
}
