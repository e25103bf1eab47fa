// Package github writes a report as workflow commands, which GitHub shows as
// annotations of the lines they name.
//
// A new race is an error at its first access and a notice at the second, a known one
// a notice, a reason and a directive that says nothing a warning. GitHub shows ten of each level for a step; all are in
// the log.
package github

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
	"github.com/detrace/detrace/report/naming"
)

// Write writes the commands, one a line, and the verdict as the last line. Files
// below root, the repository's directory, are named relative to it. The error is w's.
func Write(w io.Writer, r *race.Report, root string) error {
	a := &annotations{root: root, sources: naming.NewSources()}
	for i := range r.Races {
		if !r.Races[i].Known {
			a.race(&r.Races[i])
		}
	}
	for i := range r.Races {
		if race := &r.Races[i]; race.Known {
			a.command("notice", "known race: "+report.Summary(race), &race.First, race.First.Pos, a.sides(&race.First, &race.Second)+", as listed in "+r.Baseline.File)
		}
	}
	for i := range r.Reasons {
		a.reason(&r.Reasons[i])
	}
	for _, w := range r.Warnings {
		a.command("warning", "a directive that says nothing", nil, w.Pos, w.Detail)
	}
	if b := r.Baseline; b != nil && len(b.Stale) > 0 {
		text := "not seen in this run, but listed in " + b.File + ":"
		for _, s := range b.Stale {
			text += "\n" + s.Fingerprint + " " + s.Comment
		}
		a.command("notice", "stale baseline", nil, race.Pos{}, text)
	}
	if r.Program.Failed() {
		fmt.Fprintf(a, "program: %s\n", data.Replace(report.Ended(r.Program)))
	}
	fmt.Fprintf(a, "verdict: %s: %s\n", r.Verdict, report.Headline(r))
	_, err := io.WriteString(w, a.String())
	return err
}

type annotations struct {
	strings.Builder
	root    string
	sources *naming.Sources
}

func (a *annotations) race(r *race.Race) {
	text := a.sides(&r.First, &r.Second)
	if r.MissingJoin != nil {
		text += "\nmissing join: " + r.MissingJoin.Text
	}
	if len(r.Tests) > 0 {
		text += "\ntests: " + strings.Join(report.TestNames(r.Tests), ", ")
	}
	text += "\nfingerprint: " + r.Fingerprint
	a.command("error", "race: "+report.Summary(r), &r.First, r.First.Pos, text)
	if r.Second.Pos != r.First.Pos {
		a.command("notice", "race, the other side: "+report.Summary(r), &r.Second, r.Second.Pos, a.sides(&r.Second, &r.First))
	}
}

// sides is both accesses of a race, the one that is annotated first.
func (a *annotations) sides(here, there *race.Access) string {
	return fmt.Sprintf("%s by %s, and %s at %s by %s, are in no order",
		report.What(here), report.Who(here.Task), report.What(there), report.Place(a.root, there.Pos), report.Who(there.Task))
}

func (a *annotations) reason(r *race.Reason) {
	text := r.Detail
	if r.Other != nil && *r.Other != r.Pos {
		text += "; the other place is " + report.Place(a.root, *r.Other)
	}
	if remedy := report.Remedy(r.Code); remedy != "" {
		text += "\nto remove: " + remedy
	}
	a.command("warning", "not certified: "+r.Code, nil, r.Pos, text)
}

// command writes one annotation of a line, with the column of access if that is known.
func (a *annotations) command(level, title string, access *race.Access, at race.Pos, text string) {
	var properties []string
	add := func(name, value string) { properties = append(properties, name+"="+property.Replace(value)) }
	if at.File != "" {
		add("file", report.Relative(a.root, at.File))
	}
	if at.File != "" && at.Line > 0 {
		add("line", fmt.Sprint(at.Line))
		if access != nil {
			line := a.sources.Line(at.File, at.Line)
			if from, _, ok := report.Marked(line, access); ok {
				add("col", fmt.Sprint(utf8.RuneCountInString(line[:from])+1))
			}
		}
	}
	add("title", title)
	fmt.Fprintf(a, "::%s %s::%s\n", level, strings.Join(properties, ","), data.Replace(text))
}

// What a command's text and its properties cannot have as it is.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
