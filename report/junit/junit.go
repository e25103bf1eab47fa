// Package junit writes reports in the XML form of JUnit, which CI systems show as test
// results.
//
// A judged run is a test suite. Each new race is a test case that fails; a known race,
// and each kind of reason that keeps the run from being certified, is a skipped one;
// a program that failed by itself is one with an error. A run that is determinate has
// one test case that passes. Of a test binary, each test is a test case, and fails with
// its new races.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// Suite is a judged run.
type Suite struct {
	// Name is the package or test that ran.
	Name   string
	Report *race.Report
}

// Options is what the file says besides the reports.
type Options struct {
	// Root is the absolute directory that the names of source files are relative to.
	Root string
	// Strict makes a run that is not certified fail.
	Strict bool
}

// Write writes one file with all suites. The error is w's.
func Write(w io.Writer, suites []Suite, o Options) error {
	var all testSuites
	for _, s := range suites {
		all.Suites = append(all.Suites, o.suite(s))
	}
	seconds := 0.0
	for i, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		seconds += suites[i].Report.Stats.Seconds
	}
	all.Time = duration(seconds)
	text, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

func duration(seconds float64) string { return fmt.Sprintf("%.3f", seconds) }

func (o Options) suite(s Suite) testSuite {
	r := s.Report
	suite := testSuite{Name: s.Name, Time: duration(r.Stats.Seconds), Properties: []property{
		{"verdict", string(r.Verdict)}, {"engine", r.Stats.Engine}, {"not observed", strings.Join(report.Unobserved(r.Uninstrumented), ", ")},
	}}
	n := 0
	for i := range r.Tests {
		suite.Cases = append(suite.Cases, o.test(r, &r.Tests[i]))
	}
	for i := range r.Races {
		if !r.Races[i].Known {
			n++
			if len(r.Races[i].Tests) == 0 {
				suite.Cases = append(suite.Cases, o.race(r, &r.Races[i], n))
			}
		}
	}
	for i := range r.Races {
		if r.Races[i].Known && len(r.Races[i].Tests) == 0 {
			suite.Cases = append(suite.Cases, o.race(r, &r.Races[i], 0))
		}
	}
	suite.Cases = append(suite.Cases, o.reasons(r)...)
	if r.Verdict == race.Determinate && len(r.Tests) == 0 {
		suite.Cases = append(suite.Cases, testCase{Name: "determinate"})
	}
	if r.Program.Failed() && !explained(r.Tests) {
		suite.Cases = append(suite.Cases, testCase{Name: "the program itself", Error: &outcome{Type: "program", Message: report.Ended(r.Program)}})
	}
	for i := range suite.Cases {
		c := &suite.Cases[i]
		c.Class = s.Name
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	return suite
}

// race is race n of the new ones, or one that is known.
func (o Options) race(r *race.Report, found *race.Race, n int) testCase {
	c := testCase{
		Name: fmt.Sprintf("race: %s (%s and %s)", report.Summary(found), report.Place(o.Root, found.First.Pos), report.Place(o.Root, found.Second.Pos)),
		File: report.Relative(o.Root, found.First.Pos.File), Line: found.First.Pos.Line,
	}
	if found.Known {
		c.Skipped = &outcome{Message: fmt.Sprintf("known: %s is listed in %s", found.Fingerprint, r.Baseline.File)}
		return c
	}
	c.Failure = &outcome{Type: string(found.Kind), Message: fmt.Sprintf("%s and %s are in no order", report.What(&found.First), report.What(&found.Second)),
		Text: report.RaceText(found, n, r.New(), o.Root)}
	return c
}

// reasons is a test case for each code, in the order of the report.
func (o Options) reasons(r *race.Report) []testCase {
	byCode := map[string][]race.Reason{}
	var codes []string
	for _, reason := range r.Reasons {
		if byCode[reason.Code] == nil {
			codes = append(codes, reason.Code)
		}
		byCode[reason.Code] = append(byCode[reason.Code], reason)
	}
	var cases []testCase
	for _, code := range codes {
		list := byCode[code]
		c := testCase{
			Name: "not certified: " + code, File: report.Relative(o.Root, list[0].Pos.File), Line: list[0].Pos.Line,
			Output: report.ReasonText(list, o.Root),
		}
		result := &outcome{Message: list[0].Detail}
		if o.Strict {
			result.Type = code
			c.Failure = result
		} else {
			c.Skipped = result
		}
		cases = append(cases, c)
	}
	return cases
}
