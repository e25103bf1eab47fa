// Package plot draws grouped bars on a logarithmic scale as SVG: every bar says its
// value in figures, series differ in pattern and not in colour alone, and title and
// description are there for those who do not see the picture.
package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Bars is a chart of positive numbers.
type Bars struct {
	Title  string
	Series []string
	Groups []Group
}

// A Group of bars has a label.
type Group struct {
	Label  string
	Values []Value
}

// A Value is a bar of a series and the range that a line over its end shows.
type Value struct {
	Series          int
	Value, Min, Max float64
}

// Index returns the number of the series with this name, which is new if need be.
func (b *Bars) Index(series string) int {
	if i := slices.Index(b.Series, series); i >= 0 {
		return i
	}
	b.Series = append(b.Series, series)
	return len(b.Series) - 1
}

// Sizes in pixels.
const (
	labels  = 190 // width of the labels
	width   = 560 // of the scale
	figures = 120 // width for what stands behind a bar
	bar     = 16
	gap     = 10
	head    = 78
	foot    = 34
)

// colours can be told apart with colour-blind eyes (Okabe and Ito).
var colours = []string{"#0072B2", "#E69F00", "#009E73", "#CC79A7"}

// scale maps numbers to pixels.
type scale struct{ low, high float64 }

func (s scale) x(v float64) float64 {
	v = min(max(v, s.low), s.high)
	return labels + width*math.Log(v/s.low)/math.Log(s.high/s.low)
}

// newScale covers all values and 1.
func newScale(groups []Group) scale {
	low, high := 1.0, 1.0
	for _, g := range groups {
		for _, v := range g.Values {
			low, high = min(low, v.Min), max(high, v.Max)
		}
	}
	return scale{tick(low / 1.1), tick(high * 2)}
}

// tick is the largest of 1, 2 and 5 times a power of ten that is not above v.
func tick(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, t := range []float64{5, 2} {
		if t*power <= v {
			return t * power
		}
	}
	return power
}

// Write draws the chart.
func (b *Bars) Write(w io.Writer) error {
	s := newScale(b.Groups)
	height := head + foot
	for _, g := range b.Groups {
		height += bar*len(g.Values) + gap
	}
	var d strings.Builder
	total := labels + width + figures
	fmt.Fprintf(&d, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="12">`+"\n", total, height)
	fmt.Fprintf(&d, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n", escape(b.Title), escape(b.describe()))
	b.patterns(&d)
	fmt.Fprintf(&d, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", total, height)
	fmt.Fprintf(&d, "<text x=\"8\" y=\"20\" font-size=\"14\" font-weight=\"bold\">%s</text>\n", escape(b.Title))
	b.legend(&d)
	s.grid(&d, height)
	y := head
	for _, g := range b.Groups {
		fmt.Fprintf(&d, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", labels-8, y+bar*len(g.Values)/2+4, escape(g.Label))
		for _, v := range g.Values {
			b.bar(&d, s, v, y)
			y += bar
		}
		y += gap
	}
	d.WriteString("</svg>\n")
	_, err := io.WriteString(w, d.String())
	return err
}

// patterns defines the fill of each series: full, and stripes of different slopes.
func (b *Bars) patterns(d *strings.Builder) {
	d.WriteString("<defs>\n")
	for i := range b.Series {
		fmt.Fprintf(d, `<pattern id="s%d" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(%d)"><rect width="6" height="6" fill="%s"/>`,
			i, 45*i, colours[i%len(colours)])
		if i > 0 {
			d.WriteString(`<rect width="2" height="6" fill="#fff" fill-opacity="0.6"/>`)
		}
		d.WriteString("</pattern>\n")
	}
	d.WriteString("</defs>\n")
}

func (b *Bars) legend(d *strings.Builder) {
	x := labels
	for i, name := range b.Series {
		fmt.Fprintf(d, "<rect x=\"%d\" y=\"32\" width=\"12\" height=\"12\" fill=\"url(#s%d)\"/><text x=\"%d\" y=\"42\">%s</text>\n", x, i, x+18, escape(name))
		x += 40 + 8*len(name)
	}
}

// grid draws a line for each tick, a strong one at 1, and its value at both ends.
func (s scale) grid(d *strings.Builder, height int) {
	power := math.Pow(10, math.Floor(math.Log10(s.low)))
	for ; power <= s.high; power *= 10 {
		for _, t := range []float64{1, 2, 5} {
			v := t * power
			if v < s.low*0.999 || v > s.high*1.001 {
				continue
			}
			colour := "#ddd"
			if math.Abs(v-1) < 1e-9 {
				colour = "#555"
			}
			x := s.x(v)
			fmt.Fprintf(d, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>\n", x, head-8, x, height-foot+4, colour)
			for _, y := range []int{head - 14, height - foot + 20} {
				fmt.Fprintf(d, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g×</text>\n", x, y, math.Round(v*1000)/1000)
			}
		}
	}
}

// bar reaches from 1 to its value.
func (b *Bars) bar(d *strings.Builder, s scale, v Value, y int) {
	from, to := s.x(1), s.x(v.Value)
	fmt.Fprintf(d, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"url(#s%d)\"/>\n", min(from, to), y+1, max(math.Abs(to-from), 1), bar-2, v.Series)
	if v.Min < v.Max {
		fmt.Fprintf(d, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#000\" stroke-width=\"1.5\"/>\n", s.x(v.Min), y+bar/2, s.x(v.Max), y+bar/2)
	}
	fmt.Fprintf(d, "<text x=\"%.1f\" y=\"%d\">%.1f×</text>\n", max(from, to, s.x(v.Max))+6, y+bar-4, v.Value)
}

// describe says all values in words.
func (b *Bars) describe() string {
	var d strings.Builder
	d.WriteString("Bars on a logarithmic scale.")
	for _, g := range b.Groups {
		fmt.Fprintf(&d, " %s:", g.Label)
		for i, v := range g.Values {
			if i > 0 {
				d.WriteString(",")
			}
			fmt.Fprintf(&d, " %s %.1f", b.Series[v.Series], v.Value)
		}
		d.WriteString(".")
	}
	return d.String()
}

func escape(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil {
		panic(err) // a strings.Builder takes everything
	}
	return b.String()
}
