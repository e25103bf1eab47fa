package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/bench/measure"
	"github.com/detrace/detrace/bench/projection"
	"github.com/detrace/detrace/internal/golden"
	"github.com/detrace/detrace/internal/record"
)

// written compares what write writes with a file of testdata.
func written(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", name), got.Bytes())
}

// fake fills in the rows of a table as if they had been measured: the i-th row of a
// program takes i+1 times the time and memory of the first. absent rows stay empty.
func fake(t *testing.T, table string, programs []string, absent func(*Row) bool) *Results {
	t.Helper()
	tab, err := FindTable(table)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := tab.rows("tiny", programs, nil)
	if err != nil {
		t.Fatal(err)
	}
	machine := measure.Machine{Go: "go1.99", OS: "linux", Arch: "amd64", CPUs: 2, Processor: "Abacus", Load: "0.00 1.00 2.00", LoadAfter: "3.00 2.00 2.00", NoRace: "no compiler"}
	for _, group := range groupsOf(rows) {
		for i, r := range group {
			if absent(r) {
				continue
			}
			for _, ms := range []int{100, 90, 130} {
				r.runs = append(r.runs, measure.Run{CPU: time.Duration(ms*(i+1)+i) * time.Millisecond, Peak: int64(i+1) << 24, Wall: time.Duration(ms) * time.Second})
			}
			if r.Tool == ToolDetrace && r.Config == Full {
				r.Counts["reads"], r.Counts["writes"], r.Counts["tasks"] = 9_000_000, 1_000_000, 42
			}
		}
		conclude(group)
	}
	return &Results{Version: Version, Machine: machine, Rows: rows, table: tab, size: "tiny", Notes: []string{"This was not measured."}}
}

func withoutRace(r *Row) bool { return r.Tool == ToolRace }

func withoutConfigs(r *Row) bool { return r.Config == Reach || r.Config == Instr }

func TestRendering(t *testing.T) {
	r := fake(t, "all", []string{"mm", "lcs-general"}, withoutRace)
	plots := r.Plots("all")
	written(t, "all.md", func(w io.Writer) error { return r.WriteMarkdown(w, plots...) })
	written(t, "all.json", r.EncodeJSON)
	for _, p := range plots {
		written(t, p.File, p.Write)
	}
	for _, table := range []string{"sf-order-4", "multibags-8", "promises-2", "headline", "growth"} {
		r := fake(t, table, nil, withoutConfigs)
		written(t, table+".md", func(w io.Writer) error { return r.WriteMarkdown(w) })
	}
}

// What is projected stands beside what was measured, and apart.
func TestProjectionRendering(t *testing.T) {
	r := fake(t, "projection", []string{"fib", "mm"}, func(*Row) bool { return false })
	for _, row := range r.Rows {
		if row.Style == StyleParallel1 && row.Config != Reach {
			d := new(projection.Dag)
			fork := d.Add(0, time.Duration(len(row.runs))*time.Millisecond, time.Microsecond)
			left, right := d.Add(0, 20*time.Millisecond, 0, fork), d.Add(0, 30*time.Millisecond, 0, fork)
			d.Add(time.Microsecond, time.Millisecond, 0, left, right)
			if row.Config == Base {
				d = d.Unlocked(d.Work())
			}
			row.Projection = newProjection(d)
		}
		row.WallSeconds = []float64{0.3 / float64(processors(row.Style)), 0.2 / float64(processors(row.Style))}
	}
	written(t, "projection.md", func(w io.Writer) error { return r.WriteMarkdown(w) })
	written(t, "projection.json", r.EncodeJSON)
}

// The recorded work is what was measured on one processor, and more processors never
// take longer than the dag allows.
func TestProjection(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	table, err := FindTable("projection")
	if err != nil {
		t.Fatal(err)
	}
	results, err := Run(context.Background(), Options{Table: table, Size: "tiny", Rounds: 1, Programs: []string{"mm", "dedup", "promisesort", "fib"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results.Rows {
		p := r.Projection
		if (p != nil) != (r.Style == StyleParallel1 && r.Config != Reach) {
			t.Errorf("%s: a projection, or none", r.label())
		}
		if p == nil {
			continue
		}
		for i, at := range p.Times {
			low := max(p.SpanSeconds, p.WorkSeconds/float64(at.Processors))
			if at.Seconds < 0.999*low || i == 0 && at.Seconds != p.WorkSeconds || p.LockedSeconds == 0 && at.Seconds > 1.001*at.Bound {
				t.Errorf("%s: %+v", r.label(), p)
			}
		}
		if p.Strands < 10 || (p.LockedSeconds > 0) != (r.Config == Full) || p.LockedSeconds > p.WorkSeconds/2 || p.SpanSeconds > p.WorkSeconds {
			t.Errorf("%s: %+v", r.label(), p)
		}
	}
}

// The keys are a promise to those who read the form.
func TestJSONKeys(t *testing.T) {
	var b bytes.Buffer
	if err := fake(t, "go", []string{"mm"}, withoutRace).EncodeJSON(&b); err != nil {
		t.Fatal(err)
	}
	var top map[string]json.RawMessage
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(b.Bytes(), &top); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(top["rows"], &rows); err != nil {
		t.Fatal(err)
	}
	keys(t, top, "machine rows version")
	for _, row := range rows {
		keys(t, row, "coalesce config counts cpu_seconds engine kind ns_per_access program ratio rss_ratio shadow_ratio style tool wall_seconds")
	}
}

func keys(t *testing.T, m map[string]json.RawMessage, want string) {
	t.Helper()
	var got []string
	for k := range m {
		got = append(got, k)
	}
	slices.Sort(got)
	if strings.Join(got, " ") != want {
		t.Errorf("keys %v, want %s", got, want)
	}
}

// Every table must be able to name its rows and have figures of programs it has.
func TestTables(t *testing.T) {
	for _, table := range Tables {
		for _, size := range []string{"tiny", "small", "medium", "paper"} {
			rows, err := table.rows(size, nil, nil)
			if err != nil || len(rows) == 0 {
				t.Errorf("%s: %d rows, %v", table.Name, len(rows), err)
			}
			for _, r := range rows {
				if r.params.N == 0 || r.params.Base == 0 {
					t.Errorf("%s: %s has no size %s", table.Name, r.Program, size)
				}
			}
		}
		for program := range table.published {
			if !slices.Contains(table.programs, program) {
				t.Errorf("%s has figures of %s, which it does not measure", table.Name, program)
			}
		}
	}
	if _, err := FindTable("none"); err == nil || !strings.Contains(err.Error(), "sf-order-4") {
		t.Errorf("an unknown table: %v", err)
	}
	if _, err := Tables[0].rows("tiny", []string{"none"}, nil); err == nil {
		t.Error("an unknown program is measured")
	}
	if _, err := Tables[0].rows("huge", nil, nil); err == nil {
		t.Error("an unknown size is measured")
	}
}

// A judged program that ignores the configuration it is asked for must not pass for one
// that has it.
func TestConfigurationsShowInTheCounts(t *testing.T) {
	tests := []struct {
		config  string
		header  record.Header
		believe bool
	}{
		{Full, record.Header{Reads: 1, Checked: 1}, true},
		{Full, record.Header{Config: record.ConfigInstr, Reads: 1}, false},
		{Instr, record.Header{Config: record.ConfigInstr, Reads: 1}, true},
		{Instr, record.Header{Config: record.ConfigInstr, Reads: 1, Checked: 1}, false},
		{Instr, record.Header{Config: record.ConfigInstr}, false},
		{Instr, record.Header{Reads: 1}, false},
		{Reach, record.Header{Config: record.ConfigReach}, true},
		{Reach, record.Header{Config: record.ConfigReach, Writes: 1}, false},
		{Reach, record.Header{}, false},
	}
	for _, test := range tests {
		if got := did(test.config, &test.header); got != test.believe {
			t.Errorf("%s with %+v: %v", test.config, test.header, got)
		}
	}
}

// The real thing, small: every program in both parallel styles is judged by the engine it is to be
// judged by and certified, and the racy variants are found.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	table := *Tables[0]
	table.styles = slices.Clone(table.styles[1:])
	for i := range table.styles {
		table.styles[i].race = false
	}
	results, err := Run(context.Background(), Options{Table: &table, Size: "tiny", Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results.Rows {
		switch {
		case len(r.CPUSeconds) != 1:
			t.Errorf("%s was not measured", r.label())
		case r.Config == Base:
		case r.Ratio == nil || r.RSSRatio == nil:
			t.Errorf("%s: no ratio", r.label())
		case (r.ShadowRatio != nil) != (r.Config == Full):
			t.Errorf("%s: a shadow ratio, or none", r.label())
		case (r.Counts["reads"] == 0) != (r.Config == Reach) || r.Counts["tasks"] == 0:
			t.Errorf("%s: counts %v", r.label(), r.Counts)
		case (r.Counts["reasons"] != 0) != (r.Config == Full && (r.Program == "mutex" || r.Program == "atomics")):
			// What shares a lock or an atomic cannot be certified; everything else is.
			t.Errorf("%s: counts %v", r.label(), r.Counts)
		}
	}
	if t.Failed() {
		t.Log(strings.Join(results.Notes, "\n"))
	}
}

// What cannot be measured is told of and not shown: an engine that cannot judge the
// program, and Go's race detector without a C compiler.
func TestRunTellsOfWhatIsAbsent(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	table, err := FindTable("lattice")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", "/nonexistent/cc")
	results, err := Run(context.Background(), Options{Table: table, Size: "tiny", Rounds: 1, Engines: []string{"multibags", "lattice"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results.Rows {
		measured := r.Config == Base || r.Engine == "lattice"
		if got := len(r.CPUSeconds) > 0; got != measured {
			t.Errorf("%s: measured is %v", r.label(), got)
		}
	}
	notes := strings.Join(results.Notes, "\n")
	for _, want := range []string{"dedup under multibags is absent: ", "Go's race detector is absent: go build -race failed"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not among the notes:\n%s", want, notes)
		}
	}
	if results.Machine.NoRace == "" {
		t.Error("the machine does not say that Go's race detector is absent")
	}
}
