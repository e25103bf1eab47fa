package junit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// test is the test case of a test. It fails with the new races of the test and of its
// subtests, whose text stands where the accesses were made.
func (o Options) test(r *race.Report, t *race.Test) testCase {
	c := testCase{Name: t.Name, Time: duration(t.Seconds)}
	var messages []string
	var text strings.Builder
	known, n := 0, 0
	for i := range r.Races {
		found := &r.Races[i]
		if !found.Known {
			n++
		}
		switch {
		case !slices.Contains(t.Races, found.Fingerprint):
		case found.Known:
			known++
		default:
			messages = append(messages, "race: "+report.Summary(found))
			if slices.Contains(found.Tests, t.ID()) {
				text.WriteString(report.RaceText(found, n, r.New(), o.Root))
			}
		}
	}
	switch {
	case len(messages) > 0:
		c.Failure = &outcome{Type: string(race.Racy), Message: strings.Join(messages, "; "), Text: text.String()}
	case t.Outcome == race.Fail:
		c.Failure = &outcome{Type: "test", Message: "the test failed"}
	case t.Outcome == race.Unfinished:
		c.Error = &outcome{Type: "program", Message: "the test did not end"}
	case t.Outcome == race.Skip:
		c.Skipped = &outcome{Message: "skipped"}
	case known > 0:
		c.Skipped = &outcome{Message: fmt.Sprintf("%s, listed in %s", report.Plural(uint64(known), "known race"), r.Baseline.File)}
	}
	for _, f := range t.Left {
		c.Output += fmt.Sprintf("left a goroutine running, started at %s%s\n", report.Place(o.Root, f.Pos()), report.Via(f))
	}
	return c
}

// explained reports whether tests say why the program itself failed.
func explained(tests []race.Test) bool {
	return slices.ContainsFunc(tests, func(t race.Test) bool { return t.Outcome == race.Fail || t.Outcome == race.Unfinished })
}
