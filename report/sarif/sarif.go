// Package sarif writes a report as a SARIF 2.1.0 log, the form that code scanning
// services and editors read.
//
// A race is a result with its first access as the location, the second among the
// related locations and a thread flow for each of the two: the chain of spawns from
// main down, then the call stack. A reason with a place is a result, one about the run
// as a whole a notification. What is on a baseline is suppressed.
package sarif

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
	"github.com/detrace/detrace/report/naming"
)

// Options is what a log says besides the report.
type Options struct {
	// Root is the absolute directory that the names of source files below it are
	// relative to: the repository's.
	Root string
	// ExitCode is that of detrace.
	ExitCode int
	// Version is that of detrace; may be empty.
	Version string
}

// sourceRoot is the customary name for the root of a repository.
const sourceRoot = "%SRCROOT%"

// Write writes the log. The sources are read for the columns of expressions, as far
// as they are there. The error is w's.
func Write(w io.Writer, r *race.Report, o Options) error {
	c := &converter{root: o.Root, sources: naming.NewSources(), report: r, rules: raceRules()}
	for _, e := range report.Explanations() {
		if e.Run {
			c.notices.add(explained(e))
		} else {
			c.rules.add(explained(e))
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(log{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []run{c.run(o)},
	})
}

type converter struct {
	root    string
	sources *naming.Sources
	report  *race.Report
	rules   descriptors
	notices descriptors
}

func (c *converter) run(o Options) run {
	called := invocation{ExecutionSuccessful: true, ExitCode: o.ExitCode, ExitCodeDescription: string(c.report.Verdict) + ": " + report.Headline(c.report)}
	results := []result{}
	for i := range c.report.Races {
		results = append(results, c.race(&c.report.Races[i]))
	}
	for i := range c.report.Reasons {
		reason := &c.report.Reasons[i]
		if reason.Pos.File != "" {
			results = append(results, c.reason(reason))
			continue
		}
		called.ToolExecutionNotifications = append(called.ToolExecutionNotifications, notification{
			Descriptor: c.notices.reference(reason.Code), Level: "warning", Message: plain(reason.Detail),
		})
		called.ExecutionSuccessful = false // not all of the run was judged
	}
	for _, w := range c.report.Warnings {
		results = append(results, c.warning(w))
	}
	return run{
		Tool: tool{driver{
			Name: "detrace", Version: o.Version, InformationURI: "https://github.com/detrace/detrace",
			Rules: c.rules.list, Notifications: c.notices.list,
		}},
		Invocations:        []invocation{called},
		OriginalURIBaseIDs: map[string]artifactLocation{sourceRoot: {URI: fileURI(strings.TrimSuffix(o.Root, "/") + "/")}},
		Results:            results,
		ColumnKind:         "unicodeCodePoints",
		Properties: &runProperties{
			Verdict: string(c.report.Verdict), Engine: c.report.Stats.Engine,
			Tasks: c.report.Stats.Tasks, Uninstrumented: c.report.Uninstrumented,
		},
	}
}

func (c *converter) race(r *race.Race) result {
	first, second := c.access(&r.First), c.access(&r.Second)
	// Scanning services refuse a result without a location; where the first access has
	// lost its own, that of the second is nearest to the truth.
	primary := first
	if primary.PhysicalLocation == nil {
		primary = second
	}
	res := result{
		Level: "error", Locations: []location{}, OccurrenceCount: r.Count,
		Message: c.raceMessage(r, second.PhysicalLocation != nil), RelatedLocations: c.related(r, second),
		// The first name is what code scanning tells results apart by, beside file and rule.
		PartialFingerprints: map[string]string{"primaryLocationLineHash": r.Fingerprint, "racingPair/v1": r.Fingerprint},
		CodeFlows:           []codeFlow{{[]threadFlow{c.flow("first", &r.First), c.flow("second", &r.Second)}}},
		Suppressions:        c.suppressions(r.Known),
	}
	if primary.PhysicalLocation != nil {
		res.Locations = append(res.Locations, primary)
	}
	for _, s := range []struct {
		name  string
		stack []race.Frame
	}{{"the first access", r.First.Stack}, {"the second access", r.Second.Stack}} {
		if len(s.stack) > 0 {
			res.Stacks = append(res.Stacks, c.stack(s.name, s.stack))
		}
	}
	rule := c.rules.reference(raceRule(r.Kind))
	res.RuleID, res.RuleIndex = rule.ID, rule.Index
	return res
}

func (c *converter) raceMessage(r *race.Race, linked bool) message {
	other := report.What(&r.Second)
	if linked {
		other = link(other, 1)
	} else {
		other = braces(other)
	}
	text := fmt.Sprintf("%s: %s by %s, and %s at %s by %s, are in no order.",
		braces(report.Summary(r)), braces(report.What(&r.First)), braces(report.Who(r.First.Task)),
		other, braces(c.place(r.Second.Pos)), braces(report.Who(r.Second.Task)))
	if r.MissingJoin != nil {
		text += " Missing join: " + braces(r.MissingJoin.Text) + "."
	}
	return message{text}
}

// related are the other places of a race; the first is the second access.
func (c *converter) related(r *race.Race, second location) []location {
	var all []location
	add := func(l location, text string) {
		if l.PhysicalLocation == nil {
			return
		}
		l.ID = len(all) + 1
		m := plain(text)
		l.Message = &m
		all = append(all, l)
	}
	add(second, "second access: "+report.What(&r.Second))
	if p := r.Parted; p != nil {
		if p.First != nil {
			add(c.frame(*p.First), "the way to the first access starts here")
		}
		if p.Second != nil {
			add(c.frame(*p.Second), "the way to the second access starts here")
		}
	}
	if m := r.MissingJoin; m != nil {
		add(c.location(m.Before), "a join is missing between "+c.place(m.After)+" and this line")
	}
	return all
}

// flow is how the program came to an access: the go statements, then the calls.
func (c *converter) flow(id string, a *race.Access) threadFlow {
	f := threadFlow{ID: id, Message: plain(fmt.Sprintf("%s by %s", report.What(a), report.Who(a.Task)))}
	add := func(l location, text, kind, importance string) {
		m := plain(text)
		l.Message = &m
		f.Locations = append(f.Locations, threadFlowLocation{
			Location: l, Kinds: []string{kind}, NestingLevel: len(f.Locations), Importance: importance,
		})
	}
	for _, step := range report.Steps(a.Task.Spawn) {
		text := step.Func + " starts a goroutine" + report.Via(step.Frame)
		if step.Levels > 1 {
			text += fmt.Sprintf(", %d levels deep", step.Levels)
		}
		add(c.frame(step.Frame), text, "call", "important")
	}
	site := slices.IndexFunc(a.Stack, func(fr race.Frame) bool { return fr.Pos() == a.Pos })
	for i, fr := range slices.Backward(a.Stack) {
		if i == site {
			l := c.access(a)
			l.LogicalLocations = function(fr.Func)
			add(l, report.What(a), "memory", "essential")
		} else {
			add(c.frame(fr), fr.Func, "call", "unimportant")
		}
	}
	if site < 0 {
		add(c.access(a), report.What(a), "memory", "essential")
	}
	return f
}

// warning is a directive that says nothing where nothing is reported: the verdict is as it is.
func (c *converter) warning(w race.Warning) result {
	rule := c.rules.reference(report.Directive)
	return result{
		RuleID: rule.ID, RuleIndex: rule.Index, Level: "note", Message: plain(w.Detail),
		Locations: []location{c.location(w.Pos)}, Suppressions: c.suppressions(false),
	}
}

func (c *converter) reason(r *race.Reason) result {
	rule := c.rules.reference(r.Code)
	// Beside a race the reasons decide nothing.
	level := "warning"
	if c.report.Verdict == race.Racy {
		level = "note"
	}
	res := result{
		RuleID: rule.ID, RuleIndex: rule.Index, Level: level, OccurrenceCount: r.Count,
		Locations: []location{c.location(r.Pos)}, Suppressions: c.suppressions(false),
	}
	text := braces(r.Detail)
	if r.Other != nil && r.Other.File != "" && *r.Other != r.Pos {
		l := c.location(*r.Other)
		m := plain("the other place")
		l.ID, l.Message = 1, &m
		res.RelatedLocations = []location{l}
		text += "; the other place is " + link(c.place(*r.Other), 1)
	}
	text += "."
	if remedy := report.Remedy(r.Code); remedy != "" {
		text += " To remove: " + braces(remedy) + "."
	}
	res.Message = message{text}
	if len(r.Stack) > 0 {
		res.Stacks = append(res.Stacks, c.stack("this place", r.Stack))
	}
	if len(r.OtherStack) > 0 {
		res.Stacks = append(res.Stacks, c.stack("the other place", r.OtherStack))
	}
	return res
}

// suppressions must be there for every result of a run or for none.
func (c *converter) suppressions(known bool) *[]suppression {
	if c.report.Baseline == nil {
		return nil
	}
	list := []suppression{}
	if known {
		list = append(list, suppression{Kind: "external", Status: "accepted", Justification: "known: listed in " + c.report.Baseline.File})
	}
	return &list
}

func (c *converter) place(p race.Pos) string { return report.Place(c.root, p) }

func (c *converter) stack(name string, frames []race.Frame) stack {
	s := stack{Message: plain("call stack of " + name), Frames: []frame{}}
	for _, f := range frames {
		s.Frames = append(s.Frames, frame{c.frame(f)})
	}
	return s
}

func (c *converter) frame(f race.Frame) location {
	l := c.location(f.Pos())
	l.LogicalLocations = function(f.Func)
	return l
}

func function(name string) []logicalLocation {
	return []logicalLocation{{FullyQualifiedName: name, Kind: "function"}}
}

// access is the place of an access with the columns of its expression.
func (c *converter) access(a *race.Access) location {
	l := c.location(a.Pos)
	line := c.sources.Line(a.Pos.File, a.Pos.Line)
	if from, to, ok := report.Marked(line, a); ok && l.PhysicalLocation != nil && l.PhysicalLocation.Region != nil {
		l.PhysicalLocation.Region.StartColumn = utf8.RuneCountInString(line[:from]) + 1
		l.PhysicalLocation.Region.EndColumn = utf8.RuneCountInString(line[:to]) + 1
	}
	return l
}

func (c *converter) location(p race.Pos) location {
	if p.File == "" {
		return location{}
	}
	l := &physicalLocation{ArtifactLocation: c.artifact(p.File)}
	if p.Line > 0 {
		l.Region = &region{StartLine: p.Line}
	}
	return location{PhysicalLocation: l}
}

func (c *converter) artifact(file string) artifactLocation {
	if !filepath.IsAbs(file) { // built with -trimpath: relative to nothing that is known
		return artifactLocation{URI: (&url.URL{Path: file}).String()}
	}
	if rel := report.Relative(c.root, file); rel != file {
		return artifactLocation{URI: (&url.URL{Path: rel}).String(), URIBaseID: sourceRoot}
	}
	return artifactLocation{URI: fileURI(file)}
}

func fileURI(file string) string { return (&url.URL{Scheme: "file", Path: file}).String() }

// plain is a message without placeholders and links.
func plain(text string) message { return message{braces(text)} }

var doubled = strings.NewReplacer("{", "{{", "}", "}}")

// braces keeps braces from being read as placeholders.
func braces(text string) string { return doubled.Replace(text) }

var bracketed = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}")

// link is text that leads to the related location with that id.
func link(text string, id int) string { return fmt.Sprintf("[%s](%d)", bracketed.Replace(text), id) }
