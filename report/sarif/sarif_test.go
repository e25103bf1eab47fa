package sarif

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
	"github.com/detrace/detrace/report/reporttest"
)

func render(t *testing.T, r *race.Report) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r, Options{Root: reporttest.Root(t), ExitCode: 3, Version: "v1.2.3"}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Every log is valid by the standard's rules, also where names are hostile.
func TestGolden(t *testing.T) {
	for _, c := range reporttest.Cases(t) {
		got := render(t, c.Report)
		for _, problem := range validate(got) {
			t.Errorf("%s: %s", c.Name, problem)
		}
		if c.Golden {
			reporttest.Golden(t, c.Name+".sarif", got)
		}
	}
}

// decoded is what the tests below look at, independent of the types that write.
type decoded struct {
	Runs []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID   string
					Help struct{ Text string }
				}
			}
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ExitCode                   int
			ToolExecutionNotifications []struct{ Descriptor struct{ ID string } }
		}
		Results []struct {
			RuleID              string
			Level               string
			Message             struct{ Text string }
			Locations           []place
			RelatedLocations    []place
			PartialFingerprints map[string]string
			Suppressions        *[]struct{ Kind string }
			CodeFlows           []struct {
				ThreadFlows []struct {
					Locations []struct{ Location place }
				}
			}
		}
	}
}

type place struct {
	ID               int
	Message          struct{ Text string }
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           struct{ StartLine, StartColumn, EndColumn int }
	}
}

func decode(t *testing.T, r *race.Report) decoded {
	t.Helper()
	var d decoded
	if err := json.Unmarshal(render(t, r), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestRace(t *testing.T) {
	r := reporttest.Find(t, "nested")
	res := decode(t, r).Runs[0].Results[0]
	first, second := res.Locations[0].PhysicalLocation, res.RelatedLocations[0]
	if first.ArtifactLocation.URI != "app/main.go" || first.ArtifactLocation.URIBaseID != "%SRCROOT%" ||
		first.Region.StartLine != 55 || first.Region.StartColumn != 4 || first.Region.EndColumn != 8 {
		t.Errorf("first access: got %+v", first)
	}
	if second.ID != 1 || second.PhysicalLocation.Region.StartLine != 61 || !strings.Contains(res.Message.Text, "(1)") {
		t.Errorf("second access: got %+v, message %q, want a link to it", second, res.Message.Text)
	}
	if res.RuleID != "race-write-read" || res.Level != "error" || res.PartialFingerprints["primaryLocationLineHash"] != r.Races[0].Fingerprint {
		t.Errorf("got %+v", res)
	}
	var flows []string
	for _, f := range res.CodeFlows[0].ThreadFlows {
		var steps []string
		for _, l := range f.Locations {
			steps = append(steps, l.Location.Message.Text)
		}
		flows = append(flows, strings.Join(steps, "; "))
	}
	want := []string{
		"main.nested starts a goroutine via errgroup.(*Group).Go; main.nested.func1 starts a goroutine; map write of seen",
		"main.nested starts a goroutine via errgroup.(*Group).Go; golang.org/x/sync/errgroup.(*Group).Go; read (map iteration) of seen",
	}
	if strings.Join(flows, "\n") != strings.Join(want, "\n") {
		t.Errorf("thread flows: got\n%s\nwant\n%s", strings.Join(flows, "\n"), strings.Join(want, "\n"))
	}
}

func TestLevels(t *testing.T) {
	for name, want := range map[string]string{"reasons": "warning", "everything_and_failed": "note"} {
		for _, res := range decode(t, reporttest.Find(t, name)).Runs[0].Results {
			if !strings.HasPrefix(res.RuleID, "race-") && res.Level != want {
				t.Errorf("%s: %s has level %s, want %s", name, res.RuleID, res.Level, want)
			}
		}
	}
}

// What is about the run as a whole has no place and is no result.
func TestNotifications(t *testing.T) {
	for name, code := range map[string]string{"killed": "unfinished", "full": "records-full", "damaged": "records-damaged", "observed": "observed-edges"} {
		run := decode(t, reporttest.Find(t, name)).Runs[0]
		called := run.Invocations[0]
		if len(run.Results) != 0 || called.ExecutionSuccessful || len(called.ToolExecutionNotifications) != 1 || called.ToolExecutionNotifications[0].Descriptor.ID != code {
			t.Errorf("%s: got %+v, want one notification %s", name, run, code)
		}
	}
	if called := decode(t, reporttest.Find(t, "reasons")).Runs[0].Invocations[0]; !called.ExecutionSuccessful || called.ExitCode != 3 {
		t.Errorf("got %+v, want a successful run with the exit code it was given", called)
	}
}

func TestKnownRacesAreSuppressed(t *testing.T) {
	r := reporttest.Find(t, "known")
	for i, res := range decode(t, r).Runs[0].Results {
		known := i < len(r.Races) && r.Races[i].Known
		if res.Suppressions == nil || (len(*res.Suppressions) == 1) != known {
			t.Errorf("result %d: got %v, want suppressed: %t", i, res.Suppressions, known)
		}
	}
	for _, res := range decode(t, reporttest.Find(t, "nested")).Runs[0].Results {
		if res.Suppressions != nil {
			t.Error("a result has suppressions without a baseline")
		}
	}
}

func TestEveryRuleHasHelp(t *testing.T) {
	rules := decode(t, reporttest.Find(t, "determinate")).Runs[0].Tool.Driver.Rules
	ids := map[string]bool{}
	for _, r := range rules {
		ids[r.ID] = r.Help.Text != ""
	}
	for _, id := range []string{"race-write-write", "race-write-read", "race-read-write"} {
		if !ids[id] {
			t.Errorf("%s: no rule with help", id)
		}
	}
	for _, e := range report.Explanations() {
		if !e.Run && !ids[e.Code] {
			t.Errorf("%s: no rule with help", e.Code)
		}
	}
}

func TestURIs(t *testing.T) {
	c := &converter{root: "/home/me/src"}
	for file, want := range map[string]artifactLocation{
		"/home/me/src/a/b.go":        {"a/b.go", sourceRoot},
		"/home/me/src/a b/ü#?%.go":   {"a%20b/%C3%BC%23%3F%25.go", sourceRoot},
		"/home/me/src/x:y.go":        {"./x:y.go", sourceRoot},
		"/home/me/src2/a.go":         {"file:///home/me/src2/a.go", ""},
		"/usr/lib/go/src/sync/wg.go": {"file:///usr/lib/go/src/sync/wg.go", ""},
		"example.com/m@v1/a.go":      {"example.com/m@v1/a.go", ""},
	} {
		if got := c.artifact(file); got != want {
			t.Errorf("%s: got %v, want %v", file, got, want)
		}
	}
}

func TestMessages(t *testing.T) {
	if got, want := link(`grid[i][j] \ struct{}`, 1), `[grid\[i\]\[j\] \\ struct{{}}](1)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := plain("map[string]struct{}{0}").Text, "map[string]struct{{}}{{0}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
