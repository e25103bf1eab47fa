package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report/naming"
)

// Text writes the report for people: plain text, no colour. Files below dir
// are named relative to it. Lines of source are quoted where the files are
// still there. The result depends on the report and the files only.
func Text(w io.Writer, r *race.Report, dir string) error {
	return (&text{dir: dir, sources: naming.NewSources()}).write(w, r)
}

// ColourText is [Text] for a terminal: the same characters between escape
// sequences that set what matters off.
func ColourText(w io.Writer, r *race.Report, dir string) error {
	return (&text{dir: dir, sources: naming.NewSources(), colour: true}).write(w, r)
}

// RaceText is what [Text] writes about race n of so many.
func RaceText(r *race.Race, n, of int, dir string) string {
	t := &text{dir: dir, sources: naming.NewSources()}
	t.race(r, n, of)
	return t.String()
}

// ReasonText is what [Text] writes about reasons.
func ReasonText(reasons []race.Reason, dir string) string {
	t := &text{dir: dir, sources: naming.NewSources()}
	t.reasons(reasons)
	return t.String()
}

type text struct {
	strings.Builder
	dir     string
	sources *naming.Sources
	colour  bool
}

// write shows new races in full, and known ones in a line each.
func (t *text) write(w io.Writer, r *race.Report) error {
	n := 0
	for i := range r.Races {
		if !r.Races[i].Known {
			n++
			t.race(&r.Races[i], n, r.New())
		}
	}
	for i := range r.Races {
		if r := &r.Races[i]; r.Known {
			t.printf("known: %s  %s, %s and %s%s\n", r.Fingerprint, Summary(r), t.pos(r.First.Pos), t.pos(r.Second.Pos), Seen(r.Count))
		}
	}
	if n < len(r.Races) {
		t.printf("\n")
	}
	t.verdict(r)
	_, err := io.WriteString(w, t.String())
	return err
}

// The colours of a terminal.
const (
	bold   = "1"
	red    = "1;31"
	green  = "1;32"
	yellow = "1;33"
)

func (t *text) paint(colour, s string) string {
	if !t.colour {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(t, format, args...) }

func (t *text) pos(p race.Pos) string { return Place(t.dir, p) }

func (t *text) race(r *race.Race, n, of int) {
	t.printf("%s%s\n", t.paint(red, fmt.Sprintf("race %d of %d: %s", n, of, Summary(r))), Seen(r.Count))
	t.access(&r.First)
	t.access(&r.Second)
	if r.Parted != nil {
		t.printf("\n")
		t.wrapped("  ", "parted: ", Parted(t.dir, r.Parted))
	}
	if r.MissingJoin != nil {
		t.wrapped("  ", "missing join: ", r.MissingJoin.Text)
	}
	if len(r.Tests) > 0 {
		t.wrapped("  ", "tests: ", strings.Join(TestNames(r.Tests), ", "))
	}
	if m := Memory(r.Location); m != "" {
		t.printf("  memory: %s\n", m)
	}
	t.printf("  fingerprint: %s\n\n", r.Fingerprint)
}

func (t *text) access(a *race.Access) {
	t.printf("\n  %s, by %s\n", t.paint(bold, What(a)+" at "+t.pos(a.Pos)), Who(a.Task))
	t.quote(a)
	t.frames(a.Stack)
	t.spawn(a.Task.Spawn)
}

// quote shows the line and underlines the expression.
func (t *text) quote(a *race.Access) {
	line := t.sources.Line(a.Pos.File, a.Pos.Line)
	if strings.TrimSpace(line) == "" {
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	t.printf("    %5d | %s\n", a.Pos.Line, line[indent:])
	from, to, ok := Marked(line, a)
	if !ok || from < indent {
		return
	}
	// Tabs within the line stay, so that the marker stands under its text.
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line[indent:from])
	t.printf("          | %s%s\n", pad, t.paint(red, "^"+strings.Repeat("~", utf8.RuneCountInString(line[from:to])-1)))
}

func (t *text) frames(frames []race.Frame) {
	for _, f := range frames {
		t.printf("      %s  %s\n", f.Func, t.pos(f.Pos()))
	}
}

// spawn shows a chain of spawns innermost first, as stacks are.
func (t *text) spawn(chain []race.Frame) {
	for _, step := range slices.Backward(Steps(chain)) {
		t.printf("    started by %s  %s%s", step.Func, t.pos(step.Pos()), Via(step.Frame))
		if step.Levels > 1 {
			t.printf(", %d levels deep", step.Levels)
		}
		t.printf("\n")
	}
}

// width is where running text is wrapped.
const width = 96

// wrapped prints a sentence behind a label.
func (t *text) wrapped(indent, label, sentence string) {
	t.printf("%s%s", indent, t.paint(bold, label))
	column := len(indent) + len(label)
	for i, word := range strings.Fields(sentence) {
		if i > 0 && column+1+len(word) > width {
			t.printf("\n    ")
			column = 4
		} else if i > 0 {
			t.printf(" ")
			column++
		}
		t.printf("%s", word)
		column += len(word)
	}
	t.printf("\n")
}

// maxPlaces is how many places of one reason are listed.
const maxPlaces = 20

func (t *text) verdict(r *race.Report) {
	t.printf("%s: %s\n", t.paint(verdictColours[r.Verdict], "verdict: "+string(r.Verdict)), Headline(r))
	t.reasons(r.Reasons)
	for _, d := range r.Directives {
		t.printf("  declared %s at %s: %s%s\n", d.Kind, t.pos(d.Pos), d.Why, Seen(d.Count))
	}
	if r.Baseline != nil {
		t.stale(r.Baseline)
	}
	t.tests(r.Tests)
	if r.Program.Failed() {
		t.printf("  program: %s\n", Ended(r.Program))
	}
	t.stats(r.Stats)
	if names := Unobserved(r.Uninstrumented); len(names) > 0 {
		t.wrapped("  ", "not observed, at least in part: ", strings.Join(names, ", "))
	}
}

var verdictColours = map[race.Verdict]string{race.Determinate: green, race.Racy: red, race.NotCertified: yellow}

// stale names what a baseline lists and the run did not meet.
func (t *text) stale(b *race.Baseline) {
	if len(b.Stale) == 0 {
		return
	}
	t.printf("  in %s, but not seen in this run:\n", b.File)
	for _, s := range b.Stale {
		t.printf("      %s  %s\n", s.Fingerprint, s.Comment)
	}
}

func (t *text) stats(s race.Stats) {
	if s.Tasks == 0 {
		return // only a program that ends by itself counts
	}
	unit := "goroutine"
	if s.Serial {
		unit = "task"
	}
	t.printf("  judged: %s, %s, %s", Plural(s.Tasks, unit), Plural(s.Reads, "read"), Plural(s.Writes, "write"))
	if s.Seconds > 0 {
		t.printf(", %.2f seconds", s.Seconds)
	}
	t.printf(", engine %s\n", s.Engine)
	if x := s.Exchange; x != nil {
		t.printf("  engine %s until then: %s", x.From, x.Why)
		if x.At != nil {
			t.printf(" (%s)", strings.TrimSpace(x.Construct+" at "+t.pos(*x.At)))
		}
		t.printf("\n")
	}
}

// reasons lists them by code in the order of their first places, each code
// with what would remove it.
func (t *text) reasons(reasons []race.Reason) {
	places := map[string][]race.Reason{}
	var codes []string
	for _, r := range reasons {
		if places[r.Code] == nil {
			codes = append(codes, r.Code)
		}
		places[r.Code] = append(places[r.Code], r)
	}
	for _, code := range codes {
		list := places[code]
		t.printf("  %s: %s\n", t.paint(yellow, code), list[0].Detail)
		for i, r := range list {
			if i == maxPlaces {
				t.printf("      and %s (all of them with -format json)\n", Plural(uint64(len(list)-i), "more place"))
				break
			}
			if r.Pair != nil {
				t.pair(r.Pair)
				continue
			}
			t.place(r)
		}
		if remedy := Remedy(code); remedy != "" {
			t.printf("      to remove: %s\n", remedy)
		}
	}
}

// pair shows two accesses that the schedule ordered.
func (t *text) pair(r *race.Race) {
	t.printf("\n    %s%s\n", t.paint(yellow, Summary(r)), Seen(r.Count))
	t.access(&r.First)
	t.access(&r.Second)
	if r.MissingJoin != nil {
		t.printf("\n")
		t.wrapped("  ", "missing join: ", r.MissingJoin.Text)
	}
	if m := Memory(r.Location); m != "" {
		t.printf("  memory: %s\n", m)
	}
}

func (t *text) place(r race.Reason) {
	if r.Pos.File == "" {
		return
	}
	t.printf("      %s", t.pos(r.Pos))
	if line := strings.TrimSpace(t.sources.Line(r.Pos.File, r.Pos.Line)); line != "" {
		t.printf("  %s", line)
	}
	if r.Other != nil && *r.Other != r.Pos {
		t.printf("  and %s", t.pos(*r.Other))
		if line := strings.TrimSpace(t.sources.Line(r.Other.File, r.Other.Line)); line != "" {
			t.printf("  %s", line)
		}
	}
	t.printf("%s\n", Seen(r.Count))
}
