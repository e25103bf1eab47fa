package tp3

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxSVGNodes is the most nodes that [Graph.SVG] draws: more are not legible.
const MaxSVGNodes = 2000

// SVG draws the graph: a column for each task and each promise, time downwards,
// a node below all that precede it. It needs no script, no font of its own and
// no colour to be understood: kinds of edges differ in their dashes, racing
// nodes say so, and what does not fit a node is in its title. The error is w's,
// or says that the graph has more than [MaxSVGNodes] nodes.
func (g *Graph) SVG(w io.Writer) error {
	nodes, edges := g.Elements()
	if len(nodes) > MaxSVGNodes {
		return fmt.Errorf("the graph has %d nodes, too many to draw legibly (the limit is %d): write it as DOT instead", len(nodes), MaxSVGNodes)
	}
	d := newDrawing(nodes, edges)
	out := bufio.NewWriter(w)
	d.header(out, g)
	for i := range edges {
		d.edge(out, i)
	}
	for i := range nodes {
		d.node(out, i)
	}
	d.legend(out)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// Sizes in pixels.
const (
	svgChar     = 7.3 // width of a character of the 12px monospace font
	svgBox      = 40  // height of a node
	svgGap      = 30  // between rows, for horizontal parts of edges
	svgGutter   = 48  // between columns, for vertical parts of edges
	svgMargin   = 20
	svgTop      = 64 // above the first row
	svgBottom   = 60 // for the legend
	svgMaxChars = 44 // of a line in a node
)

// drawing is a layout.
type drawing struct {
	nodes         []Node
	edges         []Edge
	row           []int
	column        []int // of each node
	names         []string
	left, width   []int // of each column
	total, height int
}

func newDrawing(nodes []Node, edges []Edge) *drawing {
	d := &drawing{nodes: nodes, edges: edges}
	d.columns()
	d.rows()
	x := svgMargin
	for _, w := range d.width {
		d.left = append(d.left, x)
		x += w + svgGutter
	}
	d.total = max(x-svgGutter+svgMargin, 560)
	d.height = svgBottom
	for _, r := range d.row {
		d.height = max(d.height, d.top(r)+svgBox+svgBottom)
	}
	return d
}

// columns gives every task and every promise a column; a promise stands to the
// right of the task that created it, whose nodes come before in the list.
func (d *drawing) columns() {
	index := map[string]int{}
	for i := range d.nodes {
		n := &d.nodes[i]
		name := n.Task + n.Promise
		col, ok := index[name]
		if !ok {
			col = len(d.width)
			index[name] = col
			d.names = append(d.names, name)
			d.width = append(d.width, 0)
		}
		d.column = append(d.column, col)
		for _, line := range append(n.lines(), name) {
			d.width[col] = max(d.width[col], int(svgChar*float64(utf8.RuneCountInString(line)))+20)
		}
	}
}

// rows gives every node the length of the longest path to it.
func (d *drawing) rows() {
	d.row = make([]int, len(d.nodes))
	waiting := make([]int, len(d.nodes))
	out := make([][]int, len(d.nodes))
	for _, e := range d.edges {
		waiting[e.To]++
		out[e.From] = append(out[e.From], e.To)
	}
	var ready []int
	for i, n := range waiting {
		if n == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		for _, to := range out[i] {
			d.row[to] = max(d.row[to], d.row[i]+1)
			if waiting[to]--; waiting[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
}

func (d *drawing) top(row int) int { return svgTop + row*(svgBox+svgGap) }

func (d *drawing) middle(i int) int { return d.left[d.column[i]] + d.width[d.column[i]]/2 }

// lines is what a node shows.
func (n *Node) lines() []string {
	if n.Task == "" {
		if n.Fulfilled {
			return []string{"fulfilled"}
		}
		return []string{"unfulfilled"}
	}
	first := n.statement()
	if n.Racy {
		first += "  (races)"
	}
	lines := []string{cut(first)}
	if len(n.Locals) > 0 {
		lines = append(lines, cut(strings.Join(n.Locals, " ")))
	}
	return lines
}

func cut(s string) string {
	if len(s) <= svgMaxChars {
		return s
	}
	return s[:svgMaxChars-1] + "…"
}

func escape(s string) string {
	var b bytes.Buffer
	xml.EscapeText(&b, []byte(s)) // a bytes.Buffer takes everything
	return b.String()
}

func (d *drawing) header(out io.Writer, g *Graph) {
	racy := 0
	for i := range d.nodes {
		if d.nodes[i].Racy {
			racy++
		}
	}
	promises := 0
	for i := range d.nodes {
		if d.nodes[i].Task == "" && !d.nodes[i].Fulfilled {
			promises++
		}
	}
	name := escape(g.prog.name)
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" width="%d" height="%d" viewBox="0 0 %d %d">
<title id="title">Computation graph of %s</title>
<desc id="desc">One run: %d tasks, %d promises, %d nodes, %d edges, %d nodes whose statement races. One column for each task and each promise; time runs downwards.</desc>
<style>
  text { font: 12px monospace; fill: #1a1a1a; }
  .box { fill: #ffffff; stroke: #333333; }
  .promise { fill: #eef3fb; stroke: #1f4e8c; }
  .fulfilled { fill: #cddff7; stroke: #1f4e8c; stroke-width: 2; }
  .racy { fill: #fff1f0; stroke: #b00020; stroke-width: 3; }
  .name { font-weight: bold; }
  .edge { fill: none; stroke: #333333; }
  .fork { stroke-width: 2.5; }
  .new { stroke-dasharray: 2 3; }
  .set { stroke: #1f4e8c; stroke-dasharray: 7 4; }
  .join { stroke: #1f4e8c; stroke-dasharray: 12 3 2 3; }
</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 8 4 0 8z" fill="#333333"/></marker></defs>
<rect width="%d" height="%d" fill="#ffffff"/>
`, d.total, d.height, d.total, d.height, name, len(g.tasks), promises, len(d.nodes), len(d.edges), racy, d.total, d.height)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"20\">%s</text>\n", svgMargin, name)
	for col, name := range d.names {
		fmt.Fprintf(out, "<text class=\"name\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>\n", d.left[col]+d.width[col]/2, svgTop-14, escape(name))
	}
}

func (d *drawing) node(out io.Writer, i int) {
	n := &d.nodes[i]
	class, round := "box", 3
	switch {
	case n.Fulfilled:
		class, round = "fulfilled", svgBox/2
	case n.Task == "":
		class, round = "promise", svgBox/2
	case n.Racy:
		class = "racy"
	}
	col, top := d.column[i], d.top(d.row[i])
	full := n.Name
	if n.Task != "" {
		full = fmt.Sprintf("%s: %s {%s}", n.Task, n.statement(), strings.Join(n.Locals, " "))
	}
	fmt.Fprintf(out, "<g><title>%s</title><rect class=\"%s\" rx=\"%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", escape(full), class, round, d.left[col], top, d.width[col], svgBox)
	lines := n.lines()
	y := top + svgBox/2 + 4 - 8*(len(lines)-1)
	for _, line := range lines {
		fmt.Fprintf(out, "<text text-anchor=\"middle\" x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>", d.middle(i), y, escape(line))
		y += 16
	}
	fmt.Fprintln(out, "</g>")
}

var svgClasses = [...]string{Continue: "edge", Fork: "edge fork", NewPromise: "edge new", Set: "edge set", Join: "edge join"}

// edge draws an edge within a column straight down, and one to another column
// through the gap below its source, down the gutter beside its target's column,
// and through the gap above its target: no node stands in the way. Parallel
// edges are set off from each other.
func (d *drawing) edge(out io.Writer, i int) {
	e := d.edges[i]
	from, to := d.top(d.row[e.From])+svgBox, d.top(d.row[e.To])
	a, b := d.column[e.From], d.column[e.To]
	x, y := d.middle(e.From), d.middle(e.To)
	var path string
	if a == b {
		path = fmt.Sprintf("M%d %dV%d", x, from, to)
	} else {
		shift := i % 4 * 3
		gutter, side := d.left[b]-10-2*shift, 1
		if b < a {
			gutter, side = d.left[b]+d.width[b]+10+2*shift, -1
		}
		x, y = x+side*(8+shift), y-side*(8+shift)
		path = fmt.Sprintf("M%d %dV%dH%dV%dH%dV%d", x, from, from+5+shift, gutter, to-14+shift/2, y, to)
	}
	fmt.Fprintf(out, "<path class=\"%s\" marker-end=\"url(#arrow)\" d=\"%s\"><title>%s</title></path>\n", svgClasses[e.Kind], path,
		escape(fmt.Sprintf("%s: %s to %s", e.Kind, d.nodes[e.From].Name, d.nodes[e.To].Name)))
}

func (d *drawing) legend(out io.Writer) {
	x, y := svgMargin, d.height-24
	for kind := Continue; kind <= Join; kind++ {
		fmt.Fprintf(out, "<path class=\"%s\" marker-end=\"url(#arrow)\" d=\"M%d %dH%d\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
			svgClasses[kind], x, y, x+36, x+42, y+4, kind)
		x += 42 + int(svgChar*float64(len(kind.String()))) + 20
	}
}
