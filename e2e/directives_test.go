package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directive that says nothing is told of wherever it stands in the program's own
// source, once, by every command that builds it; it changes neither verdict nor exit code.
func TestMalformedDirectives(t *testing.T) {
	files := map[string]string{
		"go.mod":        "module example.com/said\n\ngo 1.25\n",
		"main.go":       "package main\n\nimport \"example.com/said/lib\"\n\nfunc main() {\n\tprintln(lib.Two()) //detrace:ignroe a typo\n}\n",
		"lib/lib.go":    "package lib\n\n//detrace:ignore the whole function\nfunc Two() int {\n\treturn 2\n}\n",
		"lib/x_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tTwo() // detrace:commutative a space\n}\n",
		"a/a.go":        "package a\n\nimport \"example.com/said/lib\"\n\nvar Two = lib.Two\n",
		"a/x_test.go":   "package a\n\nimport \"testing\"\n\nfunc TestTwo(t *testing.T) {\n\tTwo()\n}\n",
		"b/b.go":        "package b // nobody imports it\n\n//detrace:commutative\nvar x int\n",
	}
	dir := t.TempDir()
	for name, content := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const (
		typo     = "detrace: main.go:6: //detrace:ignroe is no directive: write "
		function = "detrace: lib/lib.go:3: //detrace:ignore in the comment of a function says nothing about its lines: write "
		space    = "detrace: lib/x_test.go:6: // detrace:commutative is no directive: write "
	)
	report := filepath.Join(t.TempDir(), "report")
	for _, tt := range []struct {
		args   string
		wants  []string
		report bool
	}{
		{"run -strict -format json=" + report, []string{function, typo}, true},
		{"run -strict -format html=" + report, []string{function, typo}, true},
		{"build -o " + filepath.Join(t.TempDir(), "app"), []string{function, typo}, false},
		{"test -strict -format json=" + report + " ./...", []string{function, space}, true},
	} {
		out, code := command(t, dir, nil, detrace, strings.Fields(tt.args)...)
		if code != 0 {
			t.Errorf("%s: exit code %d\n%s", tt.args, code, out)
		}
		for _, want := range tt.wants {
			if strings.Count(out, want) != 1 {
				t.Errorf("%s: want once %q, got\n%s", tt.args, want, out)
			}
		}
		if n := strings.Count(out, "detrace:"+"ignore is") + strings.Count(out, "\ndetrace: b/"); n > 0 {
			t.Errorf("%s: got\n%s", tt.args, out)
		}
		if !tt.report {
			continue
		}
		written, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.wants {
			_, detail, _ := strings.Cut(want, "//")
			if strings.Count(string(written), strings.TrimSuffix(detail, ": write ")) != 1 {
				t.Errorf("%s: want once %q in\n%s", tt.args, detail, written)
			}
		}
	}
}
