package instrument

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/internal/golden"
)

func TestApplyEdits(t *testing.T) {
	table := []edit{
		literal("a.go", "one", "1$", 1),
		pattern("a.go", `^del \w+\n`, ``, 2),
		pattern("a.go", `&x_(\w+)`, `y_$1`, 1),
		literal("b.go", "nowhere", "", 1),
	}
	tests := []struct{ name, in, out, err string }{
		{"all anchors", "one\ndel p\nkeep del\ndel q\n&x_f\n", "1$\nkeep del\ny_f\n", ""},
		{"missing", "del p\ndel q\n&x_f\n", "", `cannot instrument go1.99: in a.go the anchor "one" occurs 0 times, expected 1`},
		{"once too often", "one one\n", "", `the anchor "one" occurs 2 times, expected 1`},
		{"once too rarely", "one\ndel p\n&x_f\n", "", `the anchor "^del \\w+\\n" occurs 1 times, expected 2`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := applyEdits(table, "go1.99", "a.go", []byte(test.in))
			if test.err != "" {
				var e *Error
				if !errors.As(err, &e) || !strings.Contains(e.Reason, test.err) {
					t.Fatalf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil || string(out) != test.out {
				t.Errorf("got %q, %v; want %q", out, err, test.out)
			}
		})
	}
}

// TestEditsOfRaceRuntime runs the real table over files that have each form of
// anchor as often as Go does.
func TestEditsOfRaceRuntime(t *testing.T) {
	for _, name := range []string{"race.go", "race_amd64.s", "proc.go", "mheap.go"} {
		t.Run(name, func(t *testing.T) {
			file := "runtime/" + name
			in, err := os.ReadFile(filepath.Join("testdata", name+".in"))
			if err != nil {
				t.Fatal(err)
			}
			out, err := applyEdits(withCounts(edits, file, in), "go1.99", file, in)
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", name+".golden"), out)
		})
	}
}

// withCounts is table with the counts of in: the fixture has one anchor of a
// form where Go has dozens.
func withCounts(table []edit, file string, in []byte) []edit {
	out := append([]edit(nil), table...)
	for i, e := range out {
		if e.file == file && e.count > 1 {
			out[i].count = len(e.anchor.FindAllIndex(in, -1))
		}
	}
	return out
}

func TestReplaceAsm(t *testing.T) {
	in, err := os.ReadFile("testdata/asm.in")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, body, golden, err string }{
		{"last", "// replaces last<>\nTEXT\tlast<>(SB), NOSPLIT, $0-0\n\tNOP\n\tRET\n", "asm-last.golden", ""},
		{"ABIInternal", "// replaces runtime·raceread\n\n// New comment.\nTEXT\truntime·raceread<ABIInternal>(SB), NOSPLIT, $0-8\n\tRET\n", "asm-abi.golden", ""},
		{"several", "// replaces last<> runtime·raceread\nTEXT\tlast<>(SB), NOSPLIT, $0-0\n\tRET\n\nTEXT\truntime·raceread(SB), NOSPLIT, $0-8\n\tRET\n", "asm-several.golden", ""},
		{"local name is another symbol", "// replaces raceread<>\nTEXT x\n", "", `the anchor "TEXT raceread<>" occurs 0 times, expected 1`},
		{"twice", "// replaces twice<>\nTEXT x\n", "", `the anchor "TEXT twice<>" occurs 2 times, expected 1`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body, err := parseAsmBody("x.s", []byte(test.body))
			if err != nil {
				t.Fatal(err)
			}
			out, err := replaceAsm(body, "go1.99", raceAsm, in)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %s", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", test.golden), out)
		})
	}
}

func TestParseAsmBodyNeedsSymbols(t *testing.T) {
	for _, src := range []string{"", "TEXT x(SB), $0\n", "// replaces\nTEXT x(SB), $0\n"} {
		if _, err := parseAsmBody("x.s", []byte(src)); err == nil {
			t.Errorf("%q was accepted", src)
		}
	}
}
