package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/detrace/detrace/bench/measure"
)

// A line of a table is one program with its parameters in one style.
type line struct {
	table *Table
	rows  []*Row // the first is without a detector
	group []*Row // those of the same program and parameters in all styles
	first *line  // of the same program and style
}

// A column has a heading and what stands in a line, empty for what is absent.
type column struct {
	title string
	cell  func(l *line) string
}

// find returns the row of a tool, engine and configuration, nil if it was not measured.
// An empty engine stands for the line's first.
func (l *line) find(tool, engine, config string) *Row {
	return l.findRow(tool, engine, config, false)
}

// findRow is find, single also of the row whose loops are checked one by one.
func (l *line) findRow(tool, engine, config string, single bool) *Row {
	for _, r := range l.rows {
		if r.measured() && r.Tool == tool && r.Config == config && (engine == "" || r.Engine == engine) && r.single() == single {
			return r
		}
	}
	return nil
}

// with makes a column of what show says of a row.
func with(title, tool, engine, config string, show func(r *Row) string) column {
	return column{title, func(l *line) string {
		if r := l.find(tool, engine, config); r != nil {
			return show(r)
		}
		return ""
	}}
}

// oneByOne makes a column of what show says of the row whose loops are checked one by one.
func oneByOne(engine string, show func(r *Row) string) column {
	return column{titled(engine, "one by one"), func(l *line) string {
		if r := l.findRow(ToolDetrace, engine, Full, true); r != nil {
			return show(r)
		}
		return ""
	}}
}

// retitled is a column under another heading.
func retitled(title string, c column) column { return column{title, c.cell} }

var (
	size = column{"size", func(l *line) string {
		p := l.rows[0].params
		text := fmt.Sprintf("%d / %d", p.N, p.Base)
		if p.Steps > 0 {
			text += fmt.Sprintf(" / %d", p.Steps)
		}
		return text
	}}
	base   = with("base", ToolDetrace, "", Base, func(r *Row) string { return fmt.Sprintf("%.3f s", r.cpu().Seconds()) })
	engine = with("engine", ToolDetrace, "", Full, func(r *Row) string { return r.Engine })

	raceOverhead = with("-race", ToolRace, "", Full, ratio)
	raceMemory   = with("-race: memory", ToolRace, "", Full, rss)

	tasks    = count("tasks")
	accesses = with("accesses", ToolDetrace, "", Full, func(r *Row) string { return fmt.Sprint(r.Counts["reads"] + r.Counts["writes"]) })
)

// seconds is how long the program takes, judged or not.
func seconds(engine, config string) column {
	return with(titled(engine, config+", time"), ToolDetrace, engine, config, func(r *Row) string { return fmt.Sprintf("%.3f s", r.wall()) })
}

// speedup is how many times faster that is than on one processor.
func speedup(engine, config string) column {
	return column{titled(engine, config+", T1/Tp"), func(l *line) string {
		one := &line{rows: slices.DeleteFunc(slices.Clone(l.group), func(r *Row) bool { return r.Style != StyleParallel1 })}
		first, here := one.find(ToolDetrace, engine, config), l.find(ToolDetrace, engine, config)
		if first == nil || here == nil || processors(l.rows[0].Style) == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f", first.wall()/here.wall())
	}}
}

func cpuOf(r measure.Run) float64  { return r.CPU.Seconds() }
func wallOf(r measure.Run) float64 { return r.Wall.Seconds() }

// besideSerial is what a run under the detector takes of something over what the serial
// detector takes of it in the same round.
func besideSerial(title string, of func(measure.Run) float64) column {
	return column{title + "/serial", func(l *line) string {
		serial := &line{rows: slices.DeleteFunc(slices.Clone(l.group), func(r *Row) bool { return r.Style != StyleTask })}
		first, here := serial.find(ToolDetrace, "", Full), l.find(ToolDetrace, "", Full)
		if first == nil || here == nil || here == first {
			return ""
		}
		ratios := make([]float64, min(len(first.runs), len(here.runs)))
		for i := range ratios {
			ratios[i] = of(here.runs[i]) / of(first.runs[i])
		}
		slices.Sort(ratios)
		return fmt.Sprintf("%.2f (%.2f–%.2f)", measure.Median(ratios), ratios[0], ratios[len(ratios)-1])
	}}
}

// overhead is CPU time over that without a detector.
func overhead(engine, config string) column {
	return with(titled(engine, config), ToolDetrace, engine, config, ratio)
}

func titled(engine, what string) string {
	if engine == "" {
		return what
	}
	return engine + ": " + what
}

func ratio(r *Row) string {
	if r.Ratio == nil {
		return ""
	}
	return fmt.Sprintf("%.1f× (%.1f–%.1f)", r.Ratio.Median, r.Ratio.Min, r.Ratio.Max)
}

func memory(engine string) column {
	return with(titled(engine, "memory"), ToolDetrace, engine, Full, rss)
}

func rss(r *Row) string {
	if r.RSSRatio == nil {
		return ""
	}
	return fmt.Sprintf("%d MB, %.1f×", r.runs.Peak()>>20, *r.RSSRatio)
}

// shadowMemory is bytes of the detector over those of the program that have a history.
func shadowMemory(engine string) column {
	return with(titled(engine, "shadow"), ToolDetrace, engine, Full, func(r *Row) string {
		if r.ShadowRatio == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", *r.ShadowRatio)
	})
}

func perAccess(engine string) column {
	return with(titled(engine, "ns/access"), ToolDetrace, engine, Full, func(r *Row) string {
		if r.NsPerAccess == nil {
			return ""
		}
		return fmt.Sprintf("%.1f", *r.NsPerAccess)
	})
}

func count(name string) column {
	return with(name, ToolDetrace, "", Full, func(r *Row) string { return fmt.Sprint(r.Counts[name]) })
}

// perMillion is a count for each million accesses.
func perMillion(title, name string) column {
	return with(title+"/1e6", ToolDetrace, "", Full, func(r *Row) string {
		if r.Counts["reads"]+r.Counts["writes"] == 0 || processors(r.Style) == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f", 1e6*float64(r.Counts[name])/float64(r.Counts["reads"]+r.Counts["writes"]))
	})
}

func detectorBytes(engine string) column {
	return with(titled(engine, "detector"), ToolDetrace, engine, Full, func(r *Row) string {
		return fmt.Sprintf("%.1f MB", float64(r.Counts["detector_bytes"])/(1<<20))
	})
}

// grown is the overhead over that of the program's first line in the style.
func grown(engine string) column {
	return column{titled(engine, "over the first"), func(l *line) string {
		first, here := l.first.find(ToolDetrace, engine, Full), l.find(ToolDetrace, engine, Full)
		if first == nil || here == nil || first.Ratio == nil || here.Ratio == nil {
			return ""
		}
		return fmt.Sprintf("%.2f", here.Ratio.Median/first.Ratio.Median)
	}}
}

// published is the paper's own figure.
func published(name string) column {
	return column{"paper: " + name, func(l *line) string { return l.table.published[l.rows[0].Program][name] }}
}

// fourColumns are the configurations of the MultiBags paper.
func fourColumns(engine string) []column {
	return []column{size, base, overhead(engine, Reach), overhead(engine, Instr), overhead(engine, Full), perAccess(engine), memory(engine), shadowMemory(engine)}
}

// lines cuts the rows where the program, its parameters or the style change.
func (r *Results) lines() []*line {
	var lines []*line
	first := map[[2]string]*line{}
	for _, group := range groupsOf(r.Rows) {
		for _, row := range group {
			if row.Config == Base {
				l := &line{table: r.table, group: group}
				lines = append(lines, l)
				of := [2]string{row.Program, row.Style}
				if first[of] == nil {
					first[of] = l
				}
				l.first = first[of]
			}
			last := lines[len(lines)-1]
			last.rows = append(last.rows, row)
		}
	}
	return lines
}

const legend = "Size is n / base case / steps. Base is the program's own CPU time, user and system, of the whole process; overheads are " +
	"multiples of it, the median of the rounds and in brackets the smallest and the largest. Memory is the peak of resident " +
	"memory, and how many times that of the program alone it is; shadow is the bytes of " +
	"the detector's tables over those of the program's memory that has a history, at the end. A dash stands for what was not measured."

// WriteMarkdown writes the table, and the plots, which are names of files, as images.
func (r *Results) WriteMarkdown(w io.Writer, plots ...Plot) error {
	var b strings.Builder
	m := r.Machine
	fmt.Fprintf(&b, "## %s\n\n", r.table.Title)
	fmt.Fprintf(&b, "%s, %s/%s, %d × %s; load average before %s, after %s. Size %s, %s.\n\n", m.Go, m.OS, m.Arch, m.CPUs, m.Processor, m.Load, m.LoadAfter, r.size, r.rounds())
	if r.table.projects {
		fmt.Fprintf(&b, "%s\n", projectionLegend)
		r.writeProjections(&b)
		return r.writeRest(w, &b, plots)
	}
	fmt.Fprintf(&b, "%s\n", legend)
	if r.table.Note != "" {
		fmt.Fprintf(&b, "%s\n", r.table.Note)
	}
	columns := append([]column{{"program", func(l *line) string { return l.rows[0].Program }}}, r.table.columns...)
	if len(r.table.styles) > 1 {
		columns = append(columns[:1:1], append([]column{{"style", func(l *line) string { return l.rows[0].Style }}}, columns[1:]...)...)
	}
	b.WriteString("\n|")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.title)
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(columns)) + "\n")
	for _, l := range r.lines() {
		b.WriteString("|")
		for _, c := range columns {
			text := c.cell(l)
			if text == "" {
				text = "–"
			}
			fmt.Fprintf(&b, " %s |", text)
		}
		b.WriteString("\n")
	}
	r.writeMeans(&b)
	return r.writeRest(w, &b, plots)
}

// writeRest writes what b has and what comes after a table.
func (r *Results) writeRest(w io.Writer, b *strings.Builder, plots []Plot) error {
	for _, note := range r.Notes {
		fmt.Fprintf(b, "\n- %s", note)
	}
	if len(r.Notes) > 0 {
		b.WriteString("\n")
	}
	for _, p := range plots {
		fmt.Fprintf(b, "\n![%s](%s)\n", p.Title, p.File)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// rounds says how many there were.
func (r *Results) rounds() string {
	least, most := -1, 0
	for _, row := range r.Rows {
		if n := len(row.runs); n > 0 {
			most = max(most, n)
			if least < 0 || n < least {
				least = n
			}
		}
	}
	if least == most {
		return fmt.Sprintf("rounds: %d", most)
	}
	return fmt.Sprintf("rounds: %d to %d", max(least, 0), most)
}
