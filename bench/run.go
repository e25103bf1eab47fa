package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/detrace/detrace/bench/measure"
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/internal/record"
)

// Options say what to measure.
type Options struct {
	Table *Table
	// Size is that of the programs: tiny, small, medium or paper.
	Size string
	// Rounds is how often each program runs in each configuration.
	Rounds int
	// Budget, if not 0, is the time after which no process is started any more. Programs
	// share it: one that would take more has fewer rounds.
	Budget time.Duration
	// Patience, if not 0, is how long a process may take. What takes longer is not
	// measured.
	Patience time.Duration
	// Programs are some of the table's, none for all; Engines replace those that it
	// names for style task.
	Programs, Engines []string
	// Progress is told what is being done, a line each time. May be nil.
	Progress func(line string)
}

// Run builds and measures. The error is about a program that failed, printed another
// result than without a detector, or raced; nothing is wrong with being slow.
func Run(ctx context.Context, o Options) (*Results, error) {
	started := time.Now()
	rows, err := o.Table.rows(o.Size, o.Programs, o.Engines)
	if err != nil {
		return nil, err
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	dir, err := os.MkdirTemp("", "detrace-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	m := &measuring{Options: o, results: &Results{Version: Version, Machine: measure.ThisMachine(ctx), Rows: rows, table: o.Table, size: o.Size}, dir: dir}
	if o.Budget > 0 {
		m.deadline = started.Add(o.Budget)
	}
	if err := m.build(ctx, rows); err != nil {
		return nil, err
	}
	groups := groupsOf(rows)
	for i, group := range groups {
		if err := m.group(ctx, group, len(groups)-i); err != nil {
			return nil, err
		}
	}
	m.results.Machine.LoadAfter = measure.Load()
	return m.results, nil
}

// measuring is one call of Run.
type measuring struct {
	Options
	results  *Results
	dir      string
	deadline time.Time                   // zero without a budget
	binaries map[string]measure.Binaries // by style
	// absent are the configurations that judged programs turned out not to have.
	absent map[string]bool
}

// commands are the directories of the styles.
var commands = map[string]string{StyleSerial: "serial", StyleTask: "tasks", StyleGo: "goroutines", StyleParallel1: "tasks", StyleParallel2: "tasks", StyleParallel8: "tasks"}

// build builds the styles of the rows.
func (m *measuring) build(ctx context.Context, rows []*Row) error {
	root, err := measure.ModuleRoot(ctx)
	if err != nil {
		return err
	}
	single := slices.ContainsFunc(rows, func(r *Row) bool { return r.single() })
	b := &measure.Builder{Out: m.dir, Progress: m.Progress, Single: single}
	m.binaries, m.absent = map[string]measure.Binaries{}, map[string]bool{}
	for _, r := range rows {
		if _, built := m.binaries[r.Style]; built {
			continue
		}
		b.Parallel = processors(r.Style) > 0
		if m.binaries[r.Style], err = b.Build(ctx, filepath.Join(root, "bench", "suite", "cmd", commands[r.Style])); err != nil {
			return err
		}
	}
	if m.results.Machine.NoRace = b.NoRace; b.NoRace != "" {
		m.note("Go's race detector is absent: " + b.NoRace)
	}
	return nil
}

func (m *measuring) note(text string) {
	if !slices.Contains(m.results.Notes, text) {
		m.results.Notes = append(m.results.Notes, text)
	}
}

// groupsOf cuts the rows where the program or its parameters change.
func groupsOf(rows []*Row) [][]*Row {
	var groups [][]*Row
	for i, r := range rows {
		if i == 0 || r.Program != rows[i-1].Program || r.params != rows[i-1].params {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], r)
	}
	return groups
}

// group measures the rows of one program, of which left are to come, this one included.
func (m *measuring) group(ctx context.Context, rows []*Row, left int) error {
	m.Progress(fmt.Sprintf("%s n=%d base=%d: %d configurations", rows[0].Program, rows[0].params.N, rows[0].params.Base, len(rows)))
	until := time.Now().Add(time.Until(m.deadline) / time.Duration(left))
	for _, r := range rows {
		if m.late(m.deadline) {
			break
		}
		if err := m.looks(ctx, r); err != nil {
			return fmt.Errorf("%s: %w", r.label(), err)
		}
	}
	var want []byte
	// What cannot be measured is left out after the first round, so its reason is
	// found once.
	rest, last := rows, time.Duration(0)
	for round := range m.Rounds {
		began := time.Now()
		if round > 0 && m.late(until.Add(-last)) {
			m.note(fmt.Sprintf("Fewer than %d rounds where a program would have taken more than its share of %v.", m.Rounds, m.Budget))
			break
		}
		var err error
		if rest, err = m.round(ctx, rest, &want); err != nil {
			return err
		}
		last = time.Since(began)
	}
	conclude(rows)
	return m.project(ctx, rows)
}

func (m *measuring) late(until time.Time) bool { return m.Budget > 0 && time.Now().After(until) }

// round runs each row once and returns those that could be measured. want is the result
// that all must have, nil before the first.
func (m *measuring) round(ctx context.Context, rows []*Row, want *[]byte) ([]*Row, error) {
	var measured []*Row
	for _, r := range rows {
		if m.late(m.deadline) {
			m.note(fmt.Sprintf("What is missing without another reason is so because %v were over.", m.Budget))
			return measured, nil
		}
		out, run, err := m.once(ctx, r)
		var absent *absence
		if errors.As(err, &absent) {
			m.note(absent.why)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.label(), err)
		}
		if *want == nil {
			*want = out
		}
		if !bytes.Equal(out, *want) {
			return nil, fmt.Errorf("%s: the result is %q, it was %q", r.label(), out, *want)
		}
		r.runs = append(r.runs, run)
		measured = append(measured, r)
	}
	return measured, nil
}

// conclude computes the figures of the rows of one program.
func conclude(rows []*Row) {
	var base, full *Row
	for _, r := range rows {
		if r.Config == Base {
			base, full = r, nil
		}
		if full == nil {
			full = counted(rows, r.Style)
		}
		r.conclude(base, full)
	}
}

// counted is the row of a style in which detrace counted the accesses.
func counted(rows []*Row, style string) *Row {
	for _, r := range rows {
		if r.Style == style && r.Tool == ToolDetrace && r.Config == Full && r.measured() {
			return r
		}
	}
	return nil
}

// An absence says why something cannot be measured.
type absence struct{ why string }

func (a *absence) Error() string { return a.why }

// once runs a row's program once.
func (m *measuring) once(ctx context.Context, r *Row) ([]byte, measure.Run, error) {
	if m.Patience > 0 {
		why := &absence{fmt.Sprintf("%s took longer than %v: not shown.", r.label(), m.Patience)}
		limited, cancel := context.WithTimeoutCause(ctx, m.Patience, why)
		defer cancel()
		ctx = limited
	}
	binaries, args := m.binaries[r.Style], arguments(r)
	switch {
	case r.Config == Base:
		return execute(ctx, binaries[measure.Plain], args, environment(r.Style)...)
	case r.Tool == ToolRace && binaries[measure.Race] == "":
		return nil, measure.Run{}, &absence{"Go's race detector is absent: " + m.results.Machine.NoRace}
	case r.Tool == ToolRace:
		return execute(ctx, binaries[measure.Race], args, environment(r.Style)...)
	case m.absent[r.Config]:
		return nil, measure.Run{}, absentConfig(r.Config)
	}
	return m.judge(ctx, r, args)
}

// looks makes sure that the detector of a row is looking: it must find the race in the
// program's racy variant, if there is one.
func (m *measuring) looks(ctx context.Context, r *Row) error {
	info, _, err := variant(r.Program, "tiny")
	if err != nil || !info.Racy || r.Tool != ToolDetrace || r.Config != Full || r.Style == StyleSerial {
		return err
	}
	// The program may fail: its result may be wrong.
	_, _, failed, file, err := m.recorded(ctx, r, []string{info.Name, "-size", "tiny", "-racy", "-peak"})
	switch {
	case err != nil:
		return errors.Join(err, failed)
	case file.Header.Refused:
		return nil // so will the program be; its absence is noted there
	case len(file.Races) == 0:
		return errors.New("detrace found no race in the racy variant")
	}
	return nil
}

func arguments(r *Row) []string {
	args := []string{r.programName(), "-n", fmt.Sprint(r.params.N), "-base", fmt.Sprint(r.params.Base), "-steps", fmt.Sprint(r.params.Steps), "-peak"}
	if r.params.General && onTasks(r.Style) {
		args = append(args, "-general")
	}
	return args
}

// execute runs a program of the suite, which says itself what its peak of memory was.
func execute(ctx context.Context, binary string, args []string, env ...string) ([]byte, measure.Run, error) {
	out, run, err := measure.Execute(ctx, binary, args, env...)
	if err != nil {
		return out.Stdout, run, err
	}
	run.Peak, err = program.Peak(out.Stderr)
	return out.Stdout, run, err
}

// programName is the program's name without the variant.
func (r *Row) programName() string {
	info, _, err := variant(r.Program, "tiny")
	if err != nil {
		return r.Program
	}
	return info.Name
}

// judge runs the program under detrace and takes the counts from its records.
func (m *measuring) judge(ctx context.Context, r *Row, args []string) ([]byte, measure.Run, error) {
	out, run, failed, file, err := m.recorded(ctx, r, args)
	switch {
	case err == nil && file.Header.Refused:
		why := "it does not take the program's constructs"
		if file.Exchange != nil {
			why = file.Exchange.Why
		}
		return nil, run, &absence{fmt.Sprintf("%s under %s is absent: %s.", r.Program, r.Engine, why)}
	case failed != nil:
		return nil, run, failed
	case err != nil:
		return nil, run, err
	}
	return out, run, m.accept(r, file)
}

// recorded runs a program under the engine and in the configuration of the row. failed is
// about the program, err about its records. more is added to the
// environment.
func (m *measuring) recorded(ctx context.Context, r *Row, args []string, more ...string) (out []byte, run measure.Run, failed error, file *record.File, err error) {
	records := filepath.Join(m.dir, "records")
	if err := os.Remove(records); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, run, nil, nil, err
	}
	env := append(environment(r.Style), "DETRACE_RECORDS="+records, "DETRACE_QUIET=1")
	env = append(env, more...)
	if onTasks(r.Style) {
		env = append(env, "DETRACE_ENGINE="+r.Engine)
	}
	if r.Config != Full {
		env = append(env, "DETRACE_CONFIG="+r.Config)
	}
	tool := measure.Judged
	if r.single() {
		tool = measure.Single
	}
	out, run, failed = execute(ctx, m.binaries[r.Style][tool], args, env...)
	file, err = record.ReadFile(records)
	return out, run, failed, file, err
}

// accept wants the records of a run without a race, by the engine and in the
// configuration that the row names, and takes their counts.
func (m *measuring) accept(r *Row, file *record.File) error {
	h := &file.Header
	answered := engines.ID(h.Answered).String()
	if h.Answered == 0 {
		answered = native
	}
	switch {
	case file.Damage != nil || !h.Finished || h.Dropped:
		return fmt.Errorf("its records are incomplete")
	case len(file.Races) > 0:
		return fmt.Errorf("detrace found %d racing pairs", len(file.Races))
	case !did(r.Config, h):
		m.absent[r.Config] = true
		return absentConfig(r.Config)
	case answered != r.Engine:
		return &absence{fmt.Sprintf("%s, style %s, was to be judged by %s and was judged by %s: not shown.", r.Program, r.Style, r.Engine, answered)}
	}
	if h.Shadowed > 0 {
		ratio := float64(h.Shadow+h.Bytes) / float64(h.Shadowed)
		r.ShadowRatio = &ratio
	}
	for name, n := range map[string]uint64{
		"reads": h.Reads, "writes": h.Writes, "checked": h.Checked, "tasks": h.Tasks, "states": h.States,
		"detector_bytes": h.Bytes, "reasons": uint64(len(file.Reasons)),
		"waits": h.Waits, "retries": h.Retries, "construct_waits": h.Queued,
	} {
		r.Counts[name] = n
	}
	return nil
}

// did reports whether a run was in this configuration. A judged program that does not
// know the variable for it judges in full, which shows in its counts.
func did(config string, h *record.Header) bool {
	switch config {
	case Reach:
		return h.Config == record.ConfigReach && h.Reads+h.Writes == 0
	case Instr:
		return h.Config == record.ConfigInstr && h.Reads+h.Writes > 0 && h.Checked == 0
	}
	return h.Config == record.ConfigFull
}

func absentConfig(config string) error {
	return &absence{fmt.Sprintf("Configuration %s is absent: judged programs do not have it.", config)}
}
