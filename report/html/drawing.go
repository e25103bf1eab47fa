package html

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// drawing is the part of the dag that a race is about, laid out: time runs downwards,
// the way to the first access is on the left, to the second on the right, the tasks
// they have in common in the middle. The join that is missing is a dashed edge.
type drawing struct {
	Width, Height int
	Boxes         []box
	Edges         []edge
	Band          band
}

// box is a point of the program: a go statement or an access.
type box struct {
	X, Y, W, H           int
	Class                string
	Text, Place, Tooltip string
}

// TextX and the baselines of the two lines of text.
func (b box) TextX() int  { return b.X + b.W/2 }
func (b box) TextY() int  { return b.Y + 18 }
func (b box) PlaceY() int { return b.Y + 35 }

// edge is a line with an arrow at its end. Label may be empty.
type edge struct {
	Class, Path, Arrow string
	Label              string
	LabelX, LabelY     int
}

// band is the ground of what one task does itself.
type band struct {
	X, Y, W, H int
	Text       string
}

func (b band) TextX() int { return b.X + 10 }
func (b band) TextY() int { return b.Y + 15 }

// Sizes in pixels.
const (
	boxWidth, boxHeight = 258, 44
	rowHeight           = 68 // from box to box
	columnGap           = 46
	margin              = 12
	bandHead            = 22 // above a band's first box, for its text
	maxChars            = 34 // of 12px monospace in a box
	// maxSteps is how many steps of one chain are drawn; the middle of a longer one is
	// left out.
	maxSteps = 5
)

// layout is a drawing in the making.
type layout struct {
	*drawing
	v    *viewer
	left bool // there is a left column
	y    int  // of the next box
}

// draw lays out a race whose chains of spawns part; nil if they do not.
func (v *viewer) draw(r *race.Race) *drawing {
	if r.Parted == nil || r.Parted.First == nil && r.Parted.Second == nil {
		return nil
	}
	// early is the branch that a join would have to end before the other goes on.
	early := branch{"First", &r.First, r.Parted.First, -1}
	late := branch{"Second", &r.Second, r.Parted.Second, 1}
	if early.step == nil || late.step != nil && r.MissingJoin != nil && r.MissingJoin.Spawn == *late.step && *early.step != *late.step {
		early, late = late, early
	}
	l := &layout{drawing: &drawing{}, v: v, left: r.Parted.First != nil, y: margin}
	last := l.common(r.Parted)

	l.y += bandHead
	fork := l.step(0, report.Step{Frame: *early.step, Levels: 1}, "")
	l.edge(last, fork, len(r.Parted.Task.Spawn) > 0)
	access := l.branch(fork, early, r.Parted)
	var then box
	if late.step == nil {
		then = l.access(0, late.which, late.access)
		l.edge(fork, then, false)
	} else {
		again := ""
		if *late.step == *early.step {
			again = ", again"
		}
		then = l.step(0, report.Step{Frame: *late.step, Levels: 1}, again)
		l.edge(fork, then, false)
		l.branch(then, late, r.Parted)
	}
	if r.MissingJoin != nil {
		l.missing(access, then, early.side)
	}
	l.Band = band{X: fork.X - 10, Y: fork.Y - bandHead, W: boxWidth + 20, H: then.Y + boxHeight + 10 - fork.Y + bandHead, Text: owner(r.Parted.Task)}

	columns := 1
	for _, step := range []*race.Frame{r.Parted.First, r.Parted.Second} {
		if step != nil {
			columns++
		}
	}
	l.Width = 2*margin + columns*boxWidth + (columns-1)*columnGap
	l.Height = l.y + margin
	return l.drawing
}

// owner is short: an edge comes in beside it.
func owner(t race.Task) string {
	switch who := report.Who(t); {
	case len(t.Spawn) > 0:
		return "one goroutine"
	case who == "the main goroutine":
		return "main goroutine"
	}
	return "the runtime"
}

// branch is one way down from where the chains part; side is -1 left, 1 right.
type branch struct {
	which  string
	access *race.Access
	step   *race.Frame // nil where the ancestor made the access
	side   int
}

// common draws the tasks that both ways have in common and returns the last box.
func (l *layout) common(p *race.Parted) box {
	last := l.add(0, box{Class: "start", Text: "main starts", Tooltip: "The program starts."})
	if p.Task.ID == 0 || len(p.Task.Spawn) == 0 && report.Who(p.Task) != "the main goroutine" {
		l.Boxes[0].Text = "the program starts"
	}
	for i, s := range short(report.Steps(p.Task.Spawn)) {
		next := l.step(0, s, "")
		l.edge(last, next, i > 0)
		last = next
	}
	return last
}

// branch draws the spawns below the fork and the access, which it returns.
func (l *layout) branch(fork box, b branch, p *race.Parted) box {
	nested := b.access.Task.Spawn[min(len(p.Task.Spawn)+1, len(b.access.Task.Spawn)):]
	last := fork
	connect := func(next box) {
		if last == fork {
			l.turn(fork, next)
		} else {
			l.edge(last, next, true)
		}
		last = next
	}
	for _, s := range short(report.Steps(nested)) {
		connect(l.step(b.side, s, ""))
	}
	connect(l.access(b.side, b.which, b.access))
	return last
}

// short leaves out the middle of a long chain; the gap is a step without a function.
func short(steps []report.Step) []report.Step {
	if len(steps) <= maxSteps {
		return steps
	}
	head, tail := maxSteps/2, maxSteps-maxSteps/2-1
	gap := report.Step{}
	for _, s := range steps[head : len(steps)-tail] {
		gap.Levels += s.Levels
	}
	return append(append(append([]report.Step{}, steps[:head]...), gap), steps[len(steps)-tail:]...)
}

// step draws a go statement in a column: -1, 0 or 1.
func (l *layout) step(column int, s report.Step, more string) box {
	if s.Func == "" {
		text := fmt.Sprintf("… %s …", report.Plural(uint64(s.Levels), "more go statement"))
		return l.add(column, box{Class: "gap", Text: text, Tooltip: text})
	}
	how := "go"
	if via := report.Via(s.Frame); via != "" {
		how = strings.TrimPrefix(via, " via ")
	}
	if s.Levels > 1 {
		more += fmt.Sprintf(" ×%d", s.Levels)
	}
	place := l.v.place(s.Pos())
	return l.add(column, box{Class: "spawn", Text: how + more, Place: place,
		Tooltip: fmt.Sprintf("%s starts a goroutine by %s at %s%s", s.Func, how, place, more)})
}

func (l *layout) access(column int, which string, a *race.Access) box {
	place := l.v.place(a.Pos)
	return l.add(column, box{Class: "access", Text: report.What(a), Place: place,
		Tooltip: fmt.Sprintf("%s access: %s at %s by %s", which, report.What(a), place, report.Who(a.Task))})
}

// add places a box in the next row.
func (l *layout) add(column int, b box) box {
	if l.left {
		column++
	}
	b.X, b.Y, b.W, b.H = margin+column*(boxWidth+columnGap), l.y, boxWidth, boxHeight
	b.Text, b.Place = fit(b.Text), fitEnd(b.Place)
	l.y += rowHeight
	l.Boxes = append(l.Boxes, b)
	return b
}

// fit cuts the end off a text that is too long for a box.
func fit(s string) string {
	if utf8.RuneCountInString(s) <= maxChars {
		return s
	}
	return string([]rune(s)[:maxChars-1]) + "…"
}

// fitEnd cuts the beginning off a place: its end says more.
func fitEnd(s string) string {
	r := []rune(s)
	if len(r) <= maxChars {
		return s
	}
	return "…" + string(r[len(r)-maxChars+1:])
}

// edge goes straight down. A spawn leads into a new task, anything else stays in one.
func (l *layout) edge(from, to box, spawn bool) {
	class := "next"
	if spawn {
		class = "fork"
	}
	x := from.X + from.W/2
	l.Edges = append(l.Edges, edge{Class: class, Path: fmt.Sprintf("M%d %dV%d", x, from.Y+from.H, to.Y), Arrow: down(x, to.Y)})
}

// turn is a spawn that leads into another column: sideways, then down.
func (l *layout) turn(from, to box) {
	x, y := to.X+to.W/2, from.Y+from.H/2
	start := from.X
	if to.X > from.X {
		start += from.W
	}
	l.Edges = append(l.Edges, edge{Class: "fork", Path: fmt.Sprintf("M%d %dH%dV%d", start, y, x, to.Y), Arrow: down(x, to.Y)})
}

// missing is the join that is not there: from the access down, then to the point that
// it should come before.
func (l *layout) missing(access, then box, side int) {
	x, y := access.X+access.W/2, then.Y+then.H/2
	end, back := then.X, -8
	if side > 0 {
		end, back = then.X+then.W, 8
	}
	l.Edges = append(l.Edges, edge{
		Class: "missing", Path: fmt.Sprintf("M%d %dV%dH%d", x, access.Y+access.H, y, end),
		Arrow: fmt.Sprintf("M%d %dl%d -4v8z", end, y, back), Label: "missing join", LabelX: x, LabelY: y + 16,
	})
}

func down(x, y int) string { return fmt.Sprintf("M%d %dl-4 -8h8z", x, y) }
