package html

import (
	"strings"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// around is how many lines are quoted before and after that of an access.
const around = 3

// sourceLine is a line of source; Mark is what the access is about.
type sourceLine struct {
	N                   int
	Here                bool
	Before, Mark, After string
}

// excerpt is the source around an access, without the indentation that all its lines
// share; nil where the file or the line is not there.
func (v *viewer) excerpt(a *race.Access) []sourceLine {
	if strings.TrimSpace(v.sources.Line(a.Pos.File, a.Pos.Line)) == "" {
		return nil
	}
	first, last := max(1, a.Pos.Line-around), a.Pos.Line+around
	for first < a.Pos.Line && v.blank(a.Pos.File, first) {
		first++
	}
	for last > a.Pos.Line && v.blank(a.Pos.File, last) {
		last--
	}
	indent := -1
	for n := first; n <= last; n++ {
		line := v.sources.Line(a.Pos.File, n)
		if own := len(line) - len(strings.TrimLeft(line, "\t ")); !v.blank(a.Pos.File, n) && (indent < 0 || own < indent) {
			indent = own
		}
	}
	var lines []sourceLine
	for n := first; n <= last; n++ {
		line := v.sources.Line(a.Pos.File, n)
		if n != a.Pos.Line {
			lines = append(lines, sourceLine{N: n, Before: expand(line[min(indent, len(line)):])})
			continue
		}
		from, to, ok := report.Marked(line, a)
		if !ok || from < indent {
			from, to = len(line), len(line)
		}
		lines = append(lines, sourceLine{N: n, Here: true, Before: expand(line[indent:from]), Mark: expand(line[from:to]), After: expand(line[to:])})
	}
	return lines
}

func (v *viewer) blank(file string, n int) bool {
	return strings.TrimSpace(v.sources.Line(file, n)) == ""
}

// expand sets tabs as spaces: behind the line numbers, tab stops would stand at odd
// places.
func expand(s string) string { return strings.ReplaceAll(s, "\t", "    ") }
