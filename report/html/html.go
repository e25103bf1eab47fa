// Package html writes a report as one page that needs nothing else: no network, no
// script, no font.
//
// The page is for reading and for keeping: it quotes the source around both accesses
// of a race as it was when the page was made, and draws how the program came to
// them. It is usable with a keyboard, with a screen reader and on paper.
package html

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
	"github.com/detrace/detrace/report/naming"
)

// Options is what a page says besides the report.
type Options struct {
	// Root is the absolute directory that the names of source files are relative to.
	Root string
	// Name is the program, for the title.
	Name string
}

//go:embed page.tmpl
var pageText string

//go:embed style.css
var style string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"plural": func(n int, words ...string) string { return report.Plural(uint64(n), words...) },
}).Parse(pageText))

// Write writes the page. The error is w's.
func Write(w io.Writer, r *race.Report, o Options) error {
	v := &viewer{root: o.Root, sources: naming.NewSources()}
	p := pageView{
		Style: template.CSS(style), Name: o.Name, Report: r, Headline: report.Headline(r),
		Reasons: v.reasons(r.Reasons), Unobserved: report.Unobserved(r.Uninstrumented), AllUnobserved: r.Uninstrumented,
	}
	for i := range r.Races {
		p.Races = append(p.Races, v.race(&r.Races[i], i+1))
	}
	for _, w := range r.Warnings {
		p.Warnings = append(p.Warnings, warningView{v.place(w.Pos), w.Detail})
	}
	if r.Program.Failed() {
		p.Ended = report.Ended(r.Program)
	}
	if x := r.Stats.Exchange; x != nil && x.At != nil {
		p.ExchangeAt = v.place(*x.At)
	}
	// Written at once, so that an error leaves no half of a page behind.
	var sb strings.Builder
	if err := page.Execute(&sb, p); err != nil {
		return err
	}
	_, err := io.WriteString(w, strings.Map(visible, sb.String()))
	return err
}

// visible replaces characters that are none of HTML, and those that would show the
// text around them in another order than it has.
func visible(c rune) rune {
	switch {
	case c < 0x20 && c != '\n' && c != '\t', 0x7f <= c && c < 0xa0, 0x202a <= c && c <= 0x202e, 0x2066 <= c && c <= 0x2069:
		return '\ufffd'
	}
	return c
}

// The views are what the template shows, in words and places.

type pageView struct {
	Style                     template.CSS
	Name, Headline            string
	Report                    *race.Report
	Races                     []raceView
	Reasons                   []reasonView
	Warnings                  []warningView
	Unobserved, AllUnobserved []string
	Ended, ExchangeAt         string
}

type raceView struct {
	*race.Race
	N                             int
	Summary, Seen, Parted, Memory string
	Tests                         string
	Sides                         []accessView
	Drawing                       *drawing // nil where the chains of spawns are not known
}

type accessView struct {
	ID, Which, What, Who, Place string
	Excerpt                     []sourceLine
	Stack                       []frameView
	Spawn                       []frameView
}

type frameView struct {
	Func, Place, Via string
	Levels           int
}

type reasonView struct {
	Code, Detail, Remedy string
	Places               []placeView
	More                 int
}

type warningView struct{ Place, Detail string }

type placeView struct {
	Place, Line string
	Other       string
	OtherLine   string
	Seen        string
}

type viewer struct {
	root    string
	sources *naming.Sources
}

func (v *viewer) place(p race.Pos) string { return report.Place(v.root, p) }

func (v *viewer) race(r *race.Race, n int) raceView {
	view := raceView{Race: r, N: n, Summary: report.Summary(r), Seen: report.Seen(r.Count), Memory: report.Memory(r.Location)}
	if r.Parted != nil {
		view.Parted = report.Parted(v.root, r.Parted)
	}
	view.Tests = strings.Join(report.TestNames(r.Tests), ", ")
	view.Drawing = v.draw(r)
	view.Sides = []accessView{v.access(&r.First, "First"), v.access(&r.Second, "Second")}
	return view
}

func (v *viewer) access(a *race.Access, which string) accessView {
	view := accessView{
		ID: strings.ToLower(which), Which: which, What: report.What(a), Who: report.Who(a.Task),
		Place: v.place(a.Pos), Excerpt: v.excerpt(a),
	}
	for _, s := range report.Steps(a.Stack) {
		view.Stack = append(view.Stack, frameView{Func: s.Func, Place: v.place(s.Pos()), Levels: s.Levels})
	}
	for _, s := range report.Steps(a.Task.Spawn) {
		view.Spawn = append(view.Spawn, frameView{s.Func, v.place(s.Pos()), report.Via(s.Frame), s.Levels})
	}
	return view
}

// maxPlaces is how many places of one code are listed.
const maxPlaces = 200

func (v *viewer) reasons(reasons []race.Reason) []reasonView {
	var views []reasonView
	at := map[string]int{}
	for i := range reasons {
		r := &reasons[i]
		n, ok := at[r.Code]
		if !ok {
			n = len(views)
			at[r.Code] = n
			views = append(views, reasonView{Code: r.Code, Detail: r.Detail, Remedy: report.Remedy(r.Code)})
		}
		view := &views[n]
		switch {
		case r.Pos.File == "":
		case len(view.Places) == maxPlaces:
			view.More++
		default:
			view.Places = append(view.Places, v.reasonPlace(r))
		}
	}
	return views
}

func (v *viewer) reasonPlace(r *race.Reason) placeView {
	p := placeView{Place: v.place(r.Pos), Line: v.line(r.Pos), Seen: report.Seen(r.Count)}
	if r.Other != nil && *r.Other != r.Pos {
		p.Other, p.OtherLine = v.place(*r.Other), v.line(*r.Other)
	}
	return p
}

func (v *viewer) line(p race.Pos) string { return strings.TrimSpace(v.sources.Line(p.File, p.Line)) }
