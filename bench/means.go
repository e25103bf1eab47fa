package bench

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// writeMeans writes for each style the geometric mean over its programs of what detrace takes,
// with the accesses of loops together and one by one, and Go's race detector, and where
// detrace takes more than that one.
func (r *Results) writeMeans(b *strings.Builder) {
	if !r.table.means {
		return
	}
	lines := r.lines()
	for _, s := range r.table.styles {
		of := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.rows[0].Style != s.name })
		full, single, race := func(l *line) *Row { return l.find(ToolDetrace, "", Full) },
			func(l *line) *Row { return l.findRow(ToolDetrace, "", Full, true) },
			func(l *line) *Row { return l.find(ToolRace, "", Full) }
		fmt.Fprintf(b, "\n- Geometric mean, style %s: %s together, %s one by one, %s -race.%s", s.name, mean(of, full), mean(of, single), mean(of, race), above(of, full, race))
	}
	b.WriteString("\n")
}

// mean is the geometric mean of the overheads of the rows that were measured.
func mean(lines []*line, row func(*line) *Row) string {
	sum, n := 0.0, 0
	for _, l := range lines {
		if r := row(l); r != nil && r.Ratio != nil {
			sum, n = sum+math.Log(r.Ratio.Median), n+1
		}
	}
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f× of %d programs", math.Exp(sum/float64(n)), n)
}

// above says where the first row takes more CPU time than the second.
func above(lines []*line, first, second func(*line) *Row) string {
	var names []string
	for _, l := range lines {
		if a, b := first(l), second(l); a != nil && b != nil && a.cpu() > b.cpu() {
			names = append(names, fmt.Sprintf("%s (%.1f)", l.rows[0].Program, a.cpu().Seconds()/b.cpu().Seconds()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " More than -race, as a multiple of it: " + strings.Join(names, ", ") + "."
}
