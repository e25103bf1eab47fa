package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/detrace/detrace/bench/projection"
	"github.com/detrace/detrace/internal/rawtrace"
)

// A Projection is how long a row would take on more processors, from the dag of one run of it
// on one processor and what each strand cost there. Nothing in it was measured on more.
type Projection struct {
	Strands int `json:"strands"`
	// WorkSeconds are T1, SpanSeconds T∞, and LockedSeconds those of the work during which
	// the lock of constructs is held.
	WorkSeconds   float64     `json:"work_seconds"`
	SpanSeconds   float64     `json:"span_seconds"`
	LockedSeconds float64     `json:"locked_seconds"`
	Times         []Projected `json:"times"`
}

// Projected is the time on so many processors: that of a simulated greedy scheduler, and
// T1/P + T∞, which no greedy one exceeds if nobody waits for the lock.
type Projected struct {
	Processors int     `json:"processors"`
	Seconds    float64 `json:"seconds"`
	Bound      float64 `json:"bound_seconds"`
}

var projectedProcessors = []int{1, 2, 4, 8, 16, 32, 64}

func newProjection(d *projection.Dag) *Projection {
	work, span := d.Work().Seconds(), d.Span().Seconds()
	p := &Projection{Strands: d.Len(), WorkSeconds: work, SpanSeconds: span, LockedSeconds: d.Locked().Seconds()}
	for _, n := range projectedProcessors {
		p.Times = append(p.Times, Projected{n, d.Time(n).Seconds(), work/float64(n) + span})
	}
	return p
}

// project records the costs of the rows that can be projected. Without a detector
// nothing can be recorded: a strand's share of that time is its share of a run that only keeps
// the order of tasks.
func (m *measuring) project(ctx context.Context, rows []*Row) error {
	if !m.Table.projects {
		return nil
	}
	var base *Row
	for _, r := range rows {
		switch {
		case r.Style != StyleParallel1 || !r.measured() || m.late(m.deadline):
		case r.Config == Base:
			base = r
		case r.Config == Reach && base != nil || r.Config == Full:
			d, err := m.costs(ctx, r)
			if err != nil {
				return fmt.Errorf("%s: %w", r.label(), err)
			}
			if r.Config == Reach {
				base.Projection = newProjection(d.Unlocked(base.cpu()))
			} else {
				r.Projection = newProjection(d)
			}
		}
	}
	return nil
}

// costs runs a row's program again, as often as there are rounds, and reads what its strands
// cost in the run that was disturbed least.
func (m *measuring) costs(ctx context.Context, r *Row) (least *projection.Dag, err error) {
	for round := 0; round < m.Rounds && (round == 0 || !m.late(m.deadline)); round++ {
		d, err := m.recordCosts(ctx, r)
		if err != nil {
			return nil, err
		}
		if least == nil || d.Work() < least.Work() {
			least = d
		}
	}
	return least, nil
}

func (m *measuring) recordCosts(ctx context.Context, r *Row) (*projection.Dag, error) {
	file := filepath.Join(m.dir, "costs")
	defer os.Remove(file)
	_, run, failed, _, err := m.recorded(ctx, r, arguments(r), "DETRACE_COSTS="+file)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	in, err := rawtrace.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return projection.Read(in, run.CPU)
}

const projectionLegend = "Size is n / base case / steps. Measured is the least of the rounds on one and two processors: CPU time, and time by " +
	"the clock, which on a shared machine is more than the program needs. Everything else is projected: from the dag of one run on one processor, that with the least " +
	"work, and the CPU time that each strand had in it, by a simulated greedy scheduler; in brackets the bound T1/P + T∞. Work is T1, span T∞. Under the lock: " +
	"the share of the work that holds the lock of constructs, which the simulated strands wait for. Base is the program without a " +
	"detector: its strands share its CPU time as they do that of a run that only keeps the order of tasks."

// writeProjections writes the table of projections.
func (r *Results) writeProjections(w io.Writer) {
	fmt.Fprint(w, "\n| program | size | | engine | strands | measured: CPU, 1 | CPU, 2 | clock, 1 | clock, 2 | projected: work | span | work/span | under the lock |")
	for _, n := range projectedProcessors {
		fmt.Fprintf(w, " on %d |", n)
	}
	fmt.Fprint(w, "\n"+strings.Repeat("|---", 13+len(projectedProcessors))+"|\n")
	for _, l := range r.lines() {
		for _, row := range l.rows {
			if p := row.Projection; p != nil {
				fmt.Fprintf(w, "| %s | %s | %s | %s | %d |", row.Program, size.cell(l), row.Config, row.Engine, p.Strands)
				two := onTwo(l.group, row)
				for _, seconds := range [][]float64{row.CPUSeconds, two.CPUSeconds, row.WallSeconds, two.WallSeconds} {
					fmt.Fprintf(w, " %s |", clock(least(seconds)))
				}
				fmt.Fprintf(w, " %s | %s | %.1f | %.1f %% |", clock(p.WorkSeconds), clock(p.SpanSeconds), p.WorkSeconds/p.SpanSeconds, 100*p.LockedSeconds/p.WorkSeconds)
				for _, t := range p.Times {
					fmt.Fprintf(w, " %s (%s) |", clock(t.Seconds), clock(t.Bound))
				}
				fmt.Fprintln(w)
			}
		}
	}
}

// onTwo is the row of a group that is one on two processors.
func onTwo(group []*Row, one *Row) *Row {
	for _, r := range group {
		if r.Style == StyleParallel2 && r.Tool == one.Tool && r.Config == one.Config && r.Engine == one.Engine {
			return r
		}
	}
	return new(Row)
}

// least is the shortest of some times, 0 if there are none.
func least(seconds []float64) float64 {
	if len(seconds) == 0 {
		return 0
	}
	return slices.Min(seconds)
}

// clock is a time for people.
func clock(seconds float64) string {
	if seconds == 0 {
		return "–"
	}
	if seconds < 10 {
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	}
	return time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond).String()
}
