// Package bench measures what judging the programs of bench/suite costs, in the
// configurations of the papers and beside "go build -race", and renders the tables.
//
// A ratio is CPU time, user and system, of a whole process over that of the same program
// and style without a detector in the same round. The processes of one program run in
// turn, so that whatever else the machine does meets all of them.
package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/detrace/detrace/bench/measure"
	"github.com/detrace/detrace/bench/suite/program"
)

// Version is that of the JSON form of Results.
const Version = 1

// Results are what one call of Run measured.
type Results struct {
	Version int             `json:"version"`
	Machine measure.Machine `json:"machine"`
	Rows    []*Row          `json:"rows"`

	// Notes say what could not be measured and why, and what was cut short.
	Notes []string `json:"-"`
	table *Table
	size  string
}

// Styles of a program, tools and configurations, as they stand in rows.
const (
	StyleSerial = "serial"
	StyleTask   = "task"
	StyleGo     = "go"

	// StyleParallel1 and the next are StyleTask in parallel, on so many processors
	// under every tool.
	StyleParallel1 = "parallel-1"
	StyleParallel2 = "parallel-2"
	StyleParallel8 = "parallel-8"

	ToolDetrace = "detrace"
	ToolRace    = "go-race"

	// Base has no detector, Reach only keeps the order of tasks, Instr also sees every
	// access but forgets it, and Full judges.
	Base  = "base"
	Reach = "reach"
	Instr = "instr"
	Full  = "full"
)

// A Row is one program, style, tool, engine and configuration. What was not measured is
// empty or nil.
type Row struct {
	Program string       `json:"program"`
	Kind    program.Kind `json:"kind"`
	Style   string       `json:"style"`
	Tool    string       `json:"tool"`
	// Engine is that of detrace, empty for other tools and without a detector.
	Engine string `json:"engine"`
	Config string `json:"config"`
	// Coalesce says that the accesses of loops were checked together.
	Coalesce   bool      `json:"coalesce"`
	CPUSeconds []float64 `json:"cpu_seconds"` // by round
	// WallSeconds is how long the processes took. On a shared machine it says little.
	WallSeconds []float64 `json:"wall_seconds"`
	Ratio       *Ratio    `json:"ratio"`
	// NsPerAccess is what the detector takes, spread over all accesses of the program.
	NsPerAccess *float64 `json:"ns_per_access"`
	// ShadowRatio is bytes of the detector's tables, shadow memory and all else, at the
	// end per byte of the program's memory that has a history.
	ShadowRatio *float64 `json:"shadow_ratio"`
	// RSSRatio is peak resident memory over that without a detector.
	RSSRatio *float64 `json:"rss_ratio"`
	// Counts are the parameters (n, base, steps), peak_rss in bytes, and of runs under
	// detrace: reads, writes, checked, tasks, states, detector_bytes, reasons, and how
	// often somebody else was first: waits, construct_waits, retries.
	Counts map[string]uint64 `json:"counts"`
	// Projection is there in tables that project.
	Projection *Projection `json:"projection,omitempty"`

	params program.Params
	runs   measure.Runs
}

// A Ratio is over the rounds.
type Ratio struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
	Max    float64 `json:"max"`
}

// EncodeJSON writes the results as one JSON object.
func (r *Results) EncodeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// newRow is a row without a measurement.
func newRow(name string, info program.Info, params program.Params, style string) *Row {
	return &Row{
		Program: name, Kind: info.Kind, Style: style, Tool: ToolDetrace, Config: Base, CPUSeconds: []float64{}, WallSeconds: []float64{}, params: params,
		Counts: map[string]uint64{"n": uint64(params.N), "base": uint64(params.Base), "steps": uint64(params.Steps)},
	}
}

// label names the row for people.
func (r *Row) label() string {
	label := fmt.Sprintf("%s, %s, %s %s %s", r.Program, r.Style, r.Tool, r.Engine, r.Config)
	if r.single() {
		label += ", one by one"
	}
	return label
}

// single reports whether the row is detrace with a check at each access.
func (r *Row) single() bool { return r.Tool == ToolDetrace && r.Config != Base && !r.Coalesce }

// processors is how many a style runs on, 0 for all.
func processors(style string) int {
	switch style {
	case StyleParallel1:
		return 1
	case StyleParallel2:
		return 2
	case StyleParallel8:
		return 8
	}
	return 0
}

// environment is what every tool gets in a style.
func environment(style string) []string {
	if n := processors(style); n > 0 {
		return []string{fmt.Sprint("GOMAXPROCS=", n)}
	}
	return nil
}

// onTasks reports whether a style runs on package task under an engine of its
// constructs.
func onTasks(style string) bool { return style == StyleTask || processors(style) > 0 }

func (r *Row) measured() bool { return len(r.runs) > 0 }

// wall is the median of how long the processes took.
func (r *Row) wall() float64 { return measure.Median(slices.Sorted(slices.Values(r.WallSeconds))) }

// cpu is the median CPU time.
func (r *Row) cpu() time.Duration { return r.runs.CPU() }

// conclude computes the row's figures from its runs and those of the program without a
// detector; full is the row in which detrace counted the accesses, nil if there is none.
func (r *Row) conclude(base, full *Row) {
	if !r.measured() {
		return
	}
	for _, run := range r.runs {
		r.CPUSeconds = append(r.CPUSeconds, run.CPU.Seconds())
		r.WallSeconds = append(r.WallSeconds, run.Wall.Seconds())
	}
	r.Counts["peak_rss"] = uint64(r.runs.Peak())
	if r == base || !base.measured() {
		return
	}
	ratios := r.runs.Ratios(base.runs)
	r.Ratio = &Ratio{ratios[0], measure.Median(ratios), ratios[len(ratios)-1]}
	memory := float64(r.runs.Peak()) / float64(base.runs.Peak())
	r.RSSRatio = &memory
	if full == nil || r.Config != Full {
		return
	}
	accesses := full.Counts["reads"] + full.Counts["writes"]
	if more := r.cpu() - base.cpu(); accesses > 0 && more > 0 {
		ns := float64(more.Nanoseconds()) / float64(accesses)
		r.NsPerAccess = &ns
	}
}
