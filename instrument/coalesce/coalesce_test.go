package coalesce

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/internal/golden"
)

// TestLoops is what is said of each loop of testdata/loops.go, those that are left alone
// with the reason.
func TestLoops(t *testing.T) {
	name, err := filepath.Abs(filepath.Join("testdata", "loops.go"))
	if err != nil {
		t.Fatal(err)
	}
	result := Rewrite(filepath.Dir(name), []Package{{Path: "loops", Name: "loops", Files: []string{name}, Rewrite: true}})
	var b strings.Builder
	for _, l := range result.Loops {
		fmt.Fprintf(&b, "%d: ", l.Line)
		switch {
		case l.Inside:
			b.WriteString("together, with the loop around it\n")
		case l.Coalesced:
			fmt.Fprintf(&b, "together\n\t%s\n", strings.Join(l.Proven, "\n\t"))
		default:
			fmt.Fprintf(&b, "one by one: %s\n", l.Why)
		}
	}
	golden.Check(t, filepath.Join("testdata", "loops.golden"), []byte(b.String()))
}

// Every line of a rewritten file has the number that it had.
func TestLinesKeepTheirNumbers(t *testing.T) {
	name := filepath.Join("testdata", "loops.go")
	result := Rewrite(".", []Package{{Path: "loops", Name: "loops", Files: []string{name}, Rewrite: true}})
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	old, now := strings.Split(string(src), "\n"), strings.Split(string(result.Files[name]), "\n")
	if len(now) < len(old) {
		t.Fatalf("%d lines became %d", len(old), len(now))
	}
	// A directive that keeps a function from being inlined is a line more, and one that
	// says so follows it.
	shift := 0
	for i := range old {
		for strings.HasPrefix(now[i+shift], "//go:noinline") {
			if want := fmt.Sprintf("//line :%d:1", i+1); now[i+shift+1] != want {
				t.Errorf("line %d: %q follows, want %q", i+1, now[i+shift+1], want)
			}
			shift += 2
		}
		text := strings.TrimSpace(old[i])
		trail := strings.HasPrefix(text, "for ") && strings.Contains(now[i+shift], "for detraceLeft")
		if !strings.Contains(now[i+shift], text) && !strings.HasPrefix(text, "}") && !trail {
			t.Errorf("line %d is %q, was %q", i+1, now[i+shift], text)
		}
	}
}

// A loop runs together as long as its bounds can be computed without wrapping, and no longer.
func TestBoundsHaveRoom(t *testing.T) {
	for header, bits := range map[string]int{
		"for i := range a":                       40,
		"for i := 0; i < n; i++":                 40,
		"for i := 0; i < n*m; i++":               30,
		"for i := n; i < n+m; i += 2":            40,
		"for i := n - m; i < n*33554432+m; i++":  36,
		"for i := 0; i < n*m/2; i++":             30,
		"for i := 0; i < n*m*2+n*65536*256; i++": 30,
	} {
		name := filepath.Join(t.TempDir(), "p.go")
		writeFile(t, name, "package p\n\nfunc f(a []int, n, m int) {\n\t"+header+" {\n\t\ta[i] = 1\n\t}\n}\n")
		text := string(Rewrite("", []Package{{Path: "p", Name: "p", Files: []string{name}, Rewrite: true}}).Files[name])
		if want := fmt.Sprintf("+1<<%d) < 1<<%d", bits, bits+1); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", header, want, text)
		}
	}
}

// A file with what rewriting might break is left alone.
func TestFilesLeftAlone(t *testing.T) {
	const loop = "func f(a []int) {\n\tfor i := range a {\n\t\ta[i] = 1\n\t}\n}\n"
	for what, src := range map[string]string{
		"cgo":                "package p\n\nimport \"C\"\n\n" + loop,
		"lines of its own":   "package p\n\n//line x.y:1\n" + loop,
		"an error":           "package p\n\nvar x int = \"\"\n\n" + loop,
		"no Go":              "package p\n\nfunc {",
		"a function len":     "package p\n\nfunc len() {}\n\n" + loop,
		"a generic function": "package p\n\nfunc f[T any](a []int) {\n\tfor i := range a {\n\t\ta[i] = 1\n\t}\n}\n",
		"a directive":        "package p\n\n//go:nosplit\n" + loop,
	} {
		name := filepath.Join(t.TempDir(), "p.go")
		writeFile(t, name, src)
		if result := Rewrite("", []Package{{Path: "p", Name: "p", Files: []string{name}, Rewrite: true}}); len(result.Files) > 0 {
			t.Errorf("%s: rewritten to\n%s", what, result.Files[name])
		}
	}
}
