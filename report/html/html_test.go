package html

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report/reporttest"
)

func render(t testing.TB, r *race.Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r, Options{Root: reporttest.Root(t), Name: "example.com/app"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, c := range reporttest.Cases(t) {
		got := render(t, c.Report)
		for _, problem := range check(got) {
			t.Errorf("%s: %s", c.Name, problem)
		}
		if c.Golden {
			reporttest.Golden(t, c.Name+".html", []byte(got))
		}
	}
}

var (
	// elements are all that a page consists of: none of them loads or runs anything.
	elements = "html head meta title style body a header h1 h2 h3 p strong span nav ul ol li main article details summary " +
		"section div pre mark code dl dt dd footer figure figcaption svg g rect path text desc"
	attributes = "lang charset name content http-equiv class href aria-label aria-labelledby id tabindex role viewBox width height d x y rx open"
)

// check returns what is wrong with a page, which is HTML and XML at once: elements
// that are not closed, or that load something; ids twice; references to nothing;
// headings that skip a level.
func check(page string) (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	page, ok := strings.CutPrefix(page, "<!DOCTYPE html>\n")
	if !ok {
		bad("no doctype")
	}
	d := xml.NewDecoder(strings.NewReader(page)) // is strict
	ids, references := map[string]bool{}, []string{}
	level := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			bad("%v", err)
			break
		}
		switch e := token.(type) {
		case xml.StartElement:
			name := e.Name.Local
			if !contains(elements, name) {
				bad("element %s", name)
			}
			for _, a := range e.Attr {
				switch key := a.Name.Local; {
				case !contains(attributes, key):
					bad("attribute %s of %s", key, name)
				case key == "id":
					if ids[a.Value] {
						bad("id %s is there twice", a.Value)
					}
					ids[a.Value] = true
				case key == "href":
					id, here := strings.CutPrefix(a.Value, "#")
					if !here {
						bad("reference to %s", a.Value)
					}
					references = append(references, id)
				case key == "aria-labelledby":
					references = append(references, strings.Fields(a.Value)...)
				}
			}
			if len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6' {
				if n := int(name[1] - '0'); n > level+1 {
					bad("heading %s after one of level %d", name, level)
				} else {
					level = n
				}
			}
		case xml.Comment, xml.ProcInst, xml.Directive:
			bad("%T", token)
		}
	}
	for _, id := range references {
		if !ids[id] {
			bad("reference to %s, which is not there", id)
		}
	}
	return problems
}

func contains(list, word string) bool { return strings.Contains(" "+list+" ", " "+word+" ") }

// The check itself finds what is wrong.
func TestCheck(t *testing.T) {
	good := render(t, reporttest.Find(t, "nested"))
	for _, tt := range []struct{ old, new, want string }{
		{"</h1>", "", "closed by"},
		{"</h2>", "</h4>", "closed by"},
		{`href="#run"`, `href="https://example.com"`, "reference to https://example.com"},
		{`href="#run"`, `href="#nowhere"`, "reference to nowhere"},
		{`<footer>`, `<footer><script></script>`, "element script"},
		{`<footer>`, `<footer><img src="x"/>`, "attribute src"},
		{`<footer>`, `<footer onclick="x">`, "attribute onclick"},
		{`id="run"`, `id="content"`, "id content is there twice"},
		{"<h2 id=\"race-1-title\">", "<h4 id=\"x\"></h4><h2 id=\"race-1-title\">", "heading h4 after"},
	} {
		got := strings.Join(check(strings.Replace(good, tt.old, tt.new, 1)), "\n")
		if !strings.Contains(good, tt.old) || !strings.Contains(got, tt.want) {
			t.Errorf("%s instead of %s: got %q, want %q", tt.new, tt.old, got, tt.want)
		}
	}
}

// A page asks for nothing: it names no other resource, in no way that HTML or CSS
// have, and forbids loading any.
func TestNoNetwork(t *testing.T) {
	reference := regexp.MustCompile(`(?i)https?:|//[a-z]|src\s*=|srcset|url\(|@import|@font-face|<(link|script|iframe|object|embed|img|base|form)\b|xlink|\bon[a-z]+\s*=`)
	for _, c := range reporttest.Cases(t) {
		page := render(t, c.Report)
		if c.Name == "hostile" {
			// Its names contain addresses, as text.
			page = strings.ReplaceAll(page, "](http://example.com/)", "")
		}
		// Comments of Go source are quoted as text.
		page = strings.ReplaceAll(page, "//detrace:", "")
		for _, line := range strings.Split(page, "\n") {
			if m := reference.FindString(line); m != "" && !strings.Contains(line, "//: ") {
				t.Errorf("%s: %q in %q", c.Name, m, line)
			}
		}
		if !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'"`) {
			t.Errorf("%s: no policy that forbids loading", c.Name)
		}
	}
}

// Names that try to leave their place stay text, in the page and in the drawing.
func TestHostileNames(t *testing.T) {
	page := render(t, reporttest.Hostile(t))
	if strings.Contains(page, "<script") || strings.Contains(page, "]]>"+"&amp;{{") {
		t.Error("a name became markup")
	}
	if n := strings.Count(page, "&lt;script&gt;"+reporttest.Marker); n < 10 {
		t.Errorf("the hostile name is shown %d times as text, want it wherever it belongs", n)
	}
	if strings.Contains(page, "ZgotmplZ") {
		t.Error("a value was dropped by the template")
	}
}

func TestContents(t *testing.T) {
	page := render(t, reporttest.Find(t, "known"))
	for _, want := range []string{
		`<p class="verdict race"><strong>race</strong> <span>3 racing pairs of source lines, 2 known and 1 new</span></p>`,
		"The program itself: failed with exit code 7.",
		`<mark>result</mark> = 42`,
		"First access: write of result", "Second access: read of result",
		"Missing join:", "missing join</text>", "Fingerprint: <code>7ec77fb78cd1f713</code>",
		"<code>lock-order</code>", "To remove it:", "example.com/asm, the runtime (2 packages)", "2 races of this run are listed in",
		"write-read on gone",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if n := strings.Count(page, "Show this known race"); n != 2 {
		t.Errorf("%d known races are folded, want 2", n)
	}
}

// A drawing shows both accesses once, boxes beside each other and inside the picture.
func TestDrawing(t *testing.T) {
	for _, c := range reporttest.Cases(t) {
		v := &viewer{root: reporttest.Root(t)}
		for i := range c.Report.Races {
			r := &c.Report.Races[i]
			d := v.draw(r)
			if d == nil {
				if r.Parted != nil {
					t.Errorf("%s, race %d: no drawing", c.Name, i)
				}
				continue
			}
			accesses, missing := 0, 0
			for i, b := range d.Boxes {
				if b.Class == "access" {
					accesses++
				}
				if b.X < 0 || b.Y < 0 || b.X+b.W > d.Width || b.Y+b.H > d.Height {
					t.Errorf("%s: box %+v is outside of %d by %d", c.Name, b, d.Width, d.Height)
				}
				for _, other := range d.Boxes[:i] {
					if b.X < other.X+other.W && other.X < b.X+b.W && b.Y < other.Y+other.H && other.Y < b.Y+b.H {
						t.Errorf("%s: boxes %+v and %+v overlap", c.Name, b, other)
					}
				}
			}
			for _, e := range d.Edges {
				if e.Class == "missing" {
					missing++
				}
			}
			if accesses != 2 || missing != 1 || d.Height > 1600 {
				t.Errorf("%s, race %d: %d accesses, %d missing joins, %d pixels high", c.Name, i, accesses, missing, d.Height)
			}
		}
	}
}

// The shape of the drawing for each way in which two chains can part.
func TestDrawingShapes(t *testing.T) {
	for name, want := range map[string]string{
		"parent": "start:main starts spawn:go access:write of result access:read of result | next fork next missing",
		"nested": "start:main starts spawn:errgroup.(*Group).Go spawn:go access:map write of seen spawn:errgroup.(*Group).Go access:read (map iteration) of seen" +
			" | next fork fork next fork missing",
		"siblings": "start:main starts spawn:sync.(*WaitGroup).Go access:write of p.count spawn:sync.(*WaitGroup).Go, again access:write of p.count" +
			" | next fork next fork missing",
	} {
		v := &viewer{root: reporttest.Root(t)}
		d := v.draw(&reporttest.Find(t, name).Races[0])
		var boxes, edges []string
		for _, b := range d.Boxes {
			boxes = append(boxes, b.Class+":"+b.Text)
		}
		for _, e := range d.Edges {
			edges = append(edges, e.Class)
		}
		if got := strings.Join(boxes, " ") + " | " + strings.Join(edges, " "); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Text has at least the contrast of 4.5 to 1 that is asked of it for normal sizes, on
// every ground it stands on, in light and dark.
func TestContrast(t *testing.T) {
	themes := strings.SplitN(style, "@media (prefers-color-scheme: dark)", 2)
	for i, name := range []string{"light", "dark"} {
		colours := map[string]float64{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6});`).FindAllStringSubmatch(themes[i], -1) {
			colours[m[1]] = luminance(t, m[2])
		}
		for _, pair := range []string{
			"text ground", "text panel", "text bad-ground", "text good-ground", "text warn-ground", "text mark",
			"quiet ground", "quiet panel", "quiet bad-ground", "link ground", "bad ground", "bad panel", "bad bad-ground", "good good-ground", "warn warn-ground",
		} {
			front, back, _ := strings.Cut(pair, " ")
			x, okX := colours[front]
			y, okY := colours[back]
			if ratio := (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05); !okX || !okY || ratio < 4.5 {
				t.Errorf("%s: %s: contrast %.2f", name, pair, ratio)
			}
		}
	}
}

// luminance is the relative luminance of WCAG 2.
func luminance(t *testing.T, hex string) float64 {
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
