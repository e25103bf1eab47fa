package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/detrace/detrace/detect/structured"
	"github.com/detrace/detrace/race"
)

// comparison is a row of the table of engines.
type comparison struct {
	engine  string
	refused string
	seconds float64
	*replayed
}

// replayAll judges a trace under every engine. Whoever takes it must find the same racy
// bytes.
func replayAll(t *trace, format string) (int, error) {
	var rows []comparison
	for _, engine := range append(structured.Engines(), structured.Auto, structured.Oracle) {
		if err := t.rewind(); err != nil {
			return exitError, err
		}
		start := time.Now()
		r, err := t.judge(engine)
		row := comparison{engine: engine, replayed: r, seconds: time.Since(start).Seconds()}
		var refused *structured.Refused
		if errors.As(err, &refused) {
			row.refused = fmt.Sprintf("line %d: %s", refused.Event.Event.Line, refused.Event.Why)
		} else if err != nil {
			return exitError, err // no engine would take it
		}
		rows = append(rows, row)
	}
	disagree, verdict := disagreement(rows)
	var err error
	if format == "json" {
		err = comparisonJSON(os.Stdout, rows, verdict, disagree)
	} else {
		err = comparisonText(os.Stdout, rows, verdict, disagree)
	}
	switch {
	case err != nil:
		return exitError, err
	case disagree != "":
		return exitError, errors.New(disagree)
	case verdict == race.Racy:
		return exitRace, nil
	}
	return exitOK, nil
}

// disagreement says which engines find other racy bytes than the most exact one, which
// comes last; "" if none does. Not all engines can have refused: some take every program.
func disagreement(rows []comparison) (string, race.Verdict) {
	var reference *comparison
	for i := range rows {
		if rows[i].replayed != nil {
			reference = &rows[i]
		}
	}
	if reference == nil {
		return "every engine refuses the trace", ""
	}
	var others []string
	for _, r := range rows {
		if r.replayed != nil && !r.racy.Equal(reference.racy) {
			others = append(others, fmt.Sprintf("%s (%d racy bytes)", r.engine, r.racy.Len()))
		}
	}
	if others == nil {
		return "", reference.verdict()
	}
	return fmt.Sprintf("engines disagree with %s (%d racy bytes): %s; please report this trace as a defect of detrace",
		reference.engine, reference.racy.Len(), strings.Join(others, ", ")), ""
}

func comparisonText(w io.Writer, rows []comparison, verdict race.Verdict, disagree string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "engine\tverdict\tpairs\tracy bytes\tseconds")
	for _, r := range rows {
		if r.replayed == nil {
			fmt.Fprintf(table, "%s\trefused\t\t\t\t%s\n", r.engine, r.refused)
			continue
		}
		name := r.engine
		if r.engine == structured.Auto {
			name += " (" + r.stats.Engine + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%.3f\n", name, r.verdict(), len(r.races), r.racy.Len(), r.seconds)
	}
	if err := table.Flush(); err != nil || disagree != "" {
		return err
	}
	_, err := fmt.Fprintf(w, "verdict: %s\n", verdict)
	return err
}

// The JSON form of the table.
type (
	comparisonReport struct {
		Version      int             `json:"version"`
		Verdict      race.Verdict    `json:"verdict,omitempty"`
		Disagreement string          `json:"disagreement,omitempty"`
		Engines      []comparisonRow `json:"engines"`
	}
	comparisonRow struct {
		Engine    string       `json:"engine"`
		Ended     string       `json:"ended,omitempty"` // the engine that ended the run
		Refused   string       `json:"refused,omitempty"`
		Verdict   race.Verdict `json:"verdict,omitempty"`
		Pairs     int          `json:"pairs"`
		RacyBytes uint64       `json:"racy_bytes"`
		Seconds   float64      `json:"seconds"`
	}
)

func comparisonJSON(w io.Writer, rows []comparison, verdict race.Verdict, disagree string) error {
	out := comparisonReport{Version: race.Version, Verdict: verdict, Disagreement: disagree}
	for _, r := range rows {
		row := comparisonRow{Engine: r.engine, Refused: r.refused, Seconds: r.seconds}
		if r.replayed != nil {
			row.Ended, row.Verdict, row.Pairs, row.RacyBytes = r.stats.Engine, r.verdict(), len(r.races), r.racy.Len()
		}
		out.Engines = append(out.Engines, row)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}
