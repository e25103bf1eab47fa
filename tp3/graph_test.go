package tp3

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/detrace/detrace/internal/golden"
)

// exampleGraph is the graph of the racy hand-over.
func exampleGraph(t *testing.T) *Graph {
	src, err := os.ReadFile("../examples/tp3/handoff_racy.tp3")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Parse("handoff_racy.tp3", string(src))
	if err != nil {
		t.Fatal(err)
	}
	return mustRun(t, p, Limits{}).Graph
}

func TestGraphGolden(t *testing.T) {
	g := exampleGraph(t)
	for name, render := range map[string]func(io.Writer) error{
		"graph.dot": g.DOT,
		"graph.svg": g.SVG,
		"graph.txt": func(w io.Writer) error { _, err := io.WriteString(w, g.Canonical()); return err },
	} {
		var got bytes.Buffer
		if err := render(&got); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("..", "testdata", "tp3", name), got.Bytes())
	}
}

// The nodes and edges that are drawn are those of the twin.
func TestElementsAgreeWithTheTwin(t *testing.T) {
	for seed := range uint64(300) {
		p := mustParse(t, generate(seed))
		c := newConfig(p)
		r := &runner{c: c, order: newOrder(c), stack: []int32{0}}
		if err := r.run(t.Context(), 200); err != nil {
			t.Fatal(err)
		}
		nodes, edges := newGraph(c, r.steps).Elements()
		slow := newSlowGraph(c, r.steps)
		if len(nodes) != len(slow.nodes) || len(edges) != len(slow.edges) {
			t.Fatalf("seed %d: got %d nodes, %d edges, want %d, %d", seed, len(nodes), len(edges), len(slow.nodes), len(slow.edges))
		}
		got := map[string]int{}
		for _, e := range edges {
			got[fmt.Sprintf("%s %s %s", twinName(nodes[e.From]), e.Kind, twinName(nodes[e.To]))]++
		}
		for e, kind := range slow.edges {
			name := fmt.Sprintf("%s %s %s", slowName(e[0]), map[string]EdgeKind{"cont": Continue, "fork": Fork, "np": NewPromise, "set": Set, "join": Join}[kind], slowName(e[1]))
			if got[name] != 1 {
				t.Fatalf("seed %d: edge %s is not there; got %v", seed, name, got)
			}
		}
	}
}

func twinName(n Node) string {
	if n.Task == "" {
		return strings.NewReplacer("(", " ", ")", "").Replace(n.Name)
	}
	return n.Name
}

// slowName is a twin's node without its label, numbered from 1.
func slowName(n string) string {
	if !strings.HasPrefix(n, "[") {
		return n
	}
	name, _, _ := strings.Cut(n[1:], ",")
	task, number, _ := strings.Cut(name, "#")
	i, err := strconv.Atoi(number)
	if err != nil {
		return n
	}
	return fmt.Sprintf("%s@%d", task, i+1)
}

func TestLabelsShowLocals(t *testing.T) {
	p := mustParse(t, "x = alloc\na = 1\nasync { b = 2\na = a + b }\nwhile (0 != load x) { }")
	nodes, _ := mustRun(t, p, Limits{}).Graph.Elements()
	var got []string
	for _, n := range nodes {
		got = append(got, fmt.Sprintf("%s %v", n.Name, n.Locals))
	}
	want := []string{
		"main@1 []", "main@2 [x=main.r1]", "main@3 [x=main.r1 a=1]", "main@4 [x=main.r1 a=1]", "main@5 [x=main.r1 a=1]",
		"main.t1@1 [x=main.r1 a=1]", "main.t1@2 [x=main.r1 a=1 b=2]", "main.t1@3 [x=main.r1 b=2 a=3]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// box is a rectangle of the drawing.
type box struct{ x0, y0, x1, y1 int }

func (b box) overlaps(c box) bool { return b.x0 < c.x1 && c.x0 < b.x1 && b.y0 < c.y1 && c.y0 < b.y1 }

var pathCommand = regexp.MustCompile(`([MHV])(-?\d+)(?: (-?\d+))?`)

// checkDrawing fails if a drawing is not well-formed, or has nodes over each
// other, edges across nodes, or anything outside of its frame.
func checkDrawing(t *testing.T, svg string) {
	t.Helper()
	var boxes []box
	var paths []string
	var frame box
	described := map[string]bool{}
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		start, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range start.Attr {
			attr[a.Name.Local] = a.Value
		}
		number := func(name string) int {
			n, err := strconv.Atoi(attr[name])
			if err != nil {
				t.Fatalf("%s of %s: %v", name, start.Name.Local, err)
			}
			return n
		}
		described[attr["id"]] = true
		switch {
		case start.Name.Local == "svg":
			frame = box{0, 0, number("width"), number("height")}
		case start.Name.Local == "rect" && attr["class"] != "":
			boxes = append(boxes, box{number("x"), number("y"), number("x") + number("width"), number("y") + number("height")})
		case start.Name.Local == "path" && attr["class"] != "":
			paths = append(paths, attr["d"])
		}
	}
	if !described["title"] || !described["desc"] {
		t.Error("no title or no description")
	}
	for i, b := range boxes {
		if b.x0 < frame.x0 || b.y0 < frame.y0 || b.x1 > frame.x1 || b.y1 > frame.y1 {
			t.Errorf("node %v is outside of %v", b, frame)
		}
		for _, c := range boxes[i+1:] {
			if b.overlaps(c) {
				t.Errorf("nodes %v and %v overlap", b, c)
			}
		}
	}
	for _, d := range paths {
		checkPath(t, d, boxes)
	}
}

func checkPath(t *testing.T, d string, boxes []box) {
	t.Helper()
	x, y := 0, 0
	for _, m := range pathCommand.FindAllStringSubmatch(d, -1) {
		n, _ := strconv.Atoi(m[2])
		fromX, fromY := x, y
		switch m[1] {
		case "M":
			x = n
			y, _ = strconv.Atoi(m[3])
			continue
		case "H":
			x = n
		case "V":
			if y = n; y < fromY {
				t.Errorf("edge %s goes upwards", d)
			}
		}
		// A segment has no width: it is inside where it is strictly between.
		s := box{min(x, fromX), min(y, fromY), max(x, fromX), max(y, fromY)}
		for _, b := range boxes {
			if s.x0 < b.x1 && b.x0 < s.x1 && s.y0 < b.y1 && b.y0 < s.y1 {
				t.Errorf("edge %s crosses node %v", d, b)
			}
		}
	}
}

func TestDrawings(t *testing.T) {
	for seed := range uint64(300) {
		out := mustRun(t, mustParse(t, generate(seed)), Limits{RunSteps: 100})
		var svg strings.Builder
		if err := out.Graph.SVG(&svg); err != nil {
			t.Fatal(err)
		}
		checkDrawing(t, svg.String())
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, generate(seed))
		}
	}
}

func TestHostileNamesAreEscaped(t *testing.T) {
	p, err := Parse("<a>&\"\\\n\x00.tp3", "x = alloc")
	if err != nil {
		t.Fatal(err)
	}
	var svg, dot strings.Builder
	g := mustRun(t, p, Limits{}).Graph
	if err := errors.Join(g.SVG(&svg), g.DOT(&dot)); err != nil {
		t.Fatal(err)
	}
	checkDrawing(t, svg.String())
	if want := `digraph "<a>&\"\\\n`; !strings.HasPrefix(dot.String(), want) {
		t.Errorf("got %.40q, want %q first", dot.String(), want)
	}
}

func TestDrawingIsRefusedWhenTooLarge(t *testing.T) {
	g := mustRun(t, mustParse(t, "x = alloc; store 1 to x; while (0 != load x) { }"), Limits{RunSteps: MaxSVGNodes}).Graph
	if err := g.SVG(io.Discard); err == nil || !strings.Contains(err.Error(), "DOT") {
		t.Errorf("got %v", err)
	}
}
