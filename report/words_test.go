package report

import (
	"bytes"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/detrace/detrace/internal/golden"
	"github.com/detrace/detrace/race"
)

func TestMarked(t *testing.T) {
	for _, tt := range []struct {
		line, expr string
		column     int
		want       string
		ok         bool
	}{
		{"\tx = 1", "x", 2, "x", true},
		{"\tdst.Pix[y*dst.Stride+x] = 0", "dst.Pix[y * dst.Stride + x]", 2, "dst.Pix[y*dst.Stride+x]", true},
		{"f(a [ i ], b)", "a[i]", 3, "a [ i ]", true},
		{"größe++", "größe", 1, "größe", true},
		{"other", "x", 1, "o", true},
		{"über", "x", 1, "ü", true},
		{"x", "x.y", 1, "x", true},
		{"x", "", 1, "x", true},
		{"x \xff", "\xff", 3, "\xff", true},
		{"x", "x", 0, "", false},
		{"x", "x", 2, "", false},
		{"", "x", 1, "", false},
	} {
		from, to, ok := Marked(tt.line, &race.Access{Expr: tt.expr, Column: tt.column})
		if ok != tt.ok || tt.line[from:to] != tt.want {
			t.Errorf("%q in %q: got %q, %t, want %q, %t", tt.expr, tt.line, tt.line[from:to], ok, tt.want, tt.ok)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, tt := range []struct{ dir, file, want string }{
		{"/src", "/src/a/b.go", "a/b.go"},
		{"/src/", "/src/a.go", "a.go"},
		{"/src", "/src2/a.go", "/src2/a.go"},
		{"/src", "/src/..a/b.go", "..a/b.go"},
		{"/src", "example.com/m/a.go", "example.com/m/a.go"},
		{"/", "/usr/a.go", "usr/a.go"},
	} {
		if got := Relative(tt.dir, tt.file); got != tt.want {
			t.Errorf("%s from %s: got %s, want %s", tt.file, tt.dir, got, tt.want)
		}
	}
}

func TestSteps(t *testing.T) {
	a, b := race.Frame{Func: "a"}, race.Frame{Func: "b"}
	got := Steps([]race.Frame{a, a, b, a})
	want := []Step{{a, 2}, {b, 1}, {a, 1}}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Colours add escape sequences and change nothing else.
func TestColourText(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, s := range scenarios {
		b := program()
		s.records(b)
		r := build(t, b, s.options)
		var plain, coloured bytes.Buffer
		if err := Text(&plain, r, "/"); err != nil {
			t.Fatal(err)
		}
		if err := ColourText(&coloured, r, "/"); err != nil {
			t.Fatal(err)
		}
		if !escape.Match(coloured.Bytes()) || !bytes.Equal(escape.ReplaceAll(coloured.Bytes(), nil), plain.Bytes()) {
			t.Errorf("%s: got\n%s\nwant the text with colours\n%s", s.name, coloured.String(), plain.String())
		}
	}
}

// Known races stand in a line each, below the new ones.
func TestKnownText(t *testing.T) {
	b := program()
	siblings(b)
	parentAndChild(b)
	b.Finish(0)
	r := build(t, b, Options{})
	r.Races[0].Known = true
	r.Baseline = &race.Baseline{File: "races.txt", Known: 1, Stale: []race.Stale{{Fingerprint: "00000000000000aa", Comment: "gone"}}}
	var text bytes.Buffer
	if err := Text(&text, r, "/nowhere"); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "known.txt"), text.Bytes())
}
