package instrument

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.25\n",
		"a/a.go":           "package a\n",
		"a/a_test.go":      "package a\n",
		"b/b.go":           "package b\n",
		"c/c_test.go":      "package c_test\n",
		"broken/x_test.go": "package\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		patterns, want, err string
	}{
		{"./...", "example.com/m/a tests, example.com/m/b, example.com/m/broken tests, example.com/m/c tests", ""},
		{"./b sort", "example.com/m/b, sort tests", ""},
		{"a/a_test.go", "command-line-arguments tests", ""},
		{"./nothing", "", "nothing"},
		{"./nothing/...", "", "no such file or directory"},
		{"./b/c...", "", "no packages"},
		{"-v", "", `"-v" is not a package`},
	} {
		all, err := Packages(t.Context(), Config{Cache: t.TempDir(), Dir: dir, Patterns: strings.Fields(tt.patterns)})
		var got []string
		for _, p := range all {
			name := p.ImportPath
			if p.Tests {
				name += " tests"
			}
			got = append(got, name)
			if p.Dir == "" || len(p.Patterns) == 0 {
				t.Errorf("%s: got %+v", tt.patterns, p)
			}
		}
		slices.Sort(got)
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: got %q, %v, want %s %s", tt.patterns, got, err, tt.want, tt.err)
		}
	}
}
