package bench

import (
	"io"

	"github.com/detrace/detrace/bench/plot"
)

// A Plot is a picture of results in a file of its own.
type Plot struct {
	Title string
	// File is the file's name, as the Markdown page refers to it.
	File  string
	chart *plot.Bars
}

// Write writes the picture as SVG.
func (p *Plot) Write(w io.Writer) error { return p.chart.Write(w) }

// Plots are pictures of the table: time and memory of all full configurations. prefix is
// what their files' names begin with.
func (r *Results) Plots(prefix string) []Plot {
	var plots []Plot
	for _, kind := range []struct {
		suffix, title string
		value         func(*Row) *plot.Value
	}{
		{"time", "CPU time as a multiple of the program's own", timeValue},
		{"memory", "Peak memory as a multiple of the program's own", memoryValue},
	} {
		chart := r.chart(kind.title, kind.value)
		if len(chart.Groups) > 0 {
			plots = append(plots, Plot{kind.title, prefix + "." + kind.suffix + ".svg", chart})
		}
	}
	return plots
}

func timeValue(r *Row) *plot.Value {
	if r.Ratio == nil {
		return nil
	}
	return &plot.Value{Value: r.Ratio.Median, Min: r.Ratio.Min, Max: r.Ratio.Max}
}

func memoryValue(r *Row) *plot.Value {
	if r.RSSRatio == nil {
		return nil
	}
	return &plot.Value{Value: *r.RSSRatio, Min: *r.RSSRatio, Max: *r.RSSRatio}
}

// chart has a group for each line, and in it a bar for each full configuration. A series
// is an engine where lines have several, else a tool.
func (r *Results) chart(title string, value func(*Row) *plot.Value) *plot.Bars {
	c := &plot.Bars{Title: r.table.Title + ": " + title}
	lines := r.lines()
	several := false
	for _, l := range lines {
		n := 0
		for _, row := range l.rows {
			if row.Tool == ToolDetrace && row.Config == Full {
				n++
			}
		}
		several = several || n > 1
	}
	for _, l := range lines {
		first := l.rows[0]
		g := plot.Group{Label: first.Program}
		if len(r.table.styles) > 1 {
			g.Label += ", " + first.Style
		}
		if r.table.halvings > 0 {
			g.Label += ", base " + size.cell(l)
		}
		for _, row := range l.rows {
			if row.Config != Full {
				continue
			}
			series := row.Tool
			if several && row.Tool == ToolDetrace {
				series = row.Engine
			}
			if v := value(row); v != nil {
				v.Series = c.Index(series)
				g.Values = append(g.Values, *v)
			}
		}
		if len(g.Values) > 0 {
			c.Groups = append(c.Groups, g)
		}
	}
	return c
}
