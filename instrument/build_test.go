package instrument

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace"
)

// newModule writes a Go module and returns its directory.
func newModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":             "module example.com/m\n\ngo 1.25.0\n",
		"go.sum":             "",
		"ok/a.go":            "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n",
		"lib/a.go":           "package lib\n",
		"lib/a_test.go":      "package lib\n\nimport \"testing\"\n\nfunc TestLib(t *testing.T) {}\n",
		"onlytest/a_test.go": "package onlytest\n",
		"syntax/a.go":        "package main\n\nfunc main() {\n\tx :=\n}\n",
		"types/a.go":         "package main\n\nfunc main() {\n\tvar s string = 1\n}\n",
		"tags/a.go":          "//go:build extra\n\npackage main\n\nfunc main() {}\n",
		"cgo/a.go":           "package main\n\nimport \"C\"\n\nfunc main() {}\n",
		"missing/a.go":       "package main\n\nimport _ \"example.com/m/nothere\"\n\nfunc main() {}\n",
		"cycle/a.go":         "package cycle\n\nimport _ \"example.com/m/cycle2\"\n",
		"cycle2/a.go":        "package cycle2\n\nimport _ \"example.com/m/cycle\"\n",
		"mixed/a.go":         "package main\n",
		"mixed/b.go":         "package other\n",
		"empty/README":       "",
	} {
		path := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// isolated gives the test temporary and cache directories of its own and
// returns a Config with them. The go command's cache is shared.
func isolated(t *testing.T, dir string) Config {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("GOTMPDIR", "")
	t.Setenv("GOFLAGS", "")
	return Config{Sources: detrace.Sources, Cache: t.TempDir(), Dir: dir, Output: filepath.Join(t.TempDir(), "out")}
}

// assertNothingLeft fails when a build has left temporary files.
func assertNothingLeft(t *testing.T) {
	t.Helper()
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("left in the temporary directory: %v", left)
	}
}

func TestBuildErrors(t *testing.T) {
	dir := newModule(t)
	tests := []struct {
		name    string
		change  func(*Config)
		pattern string
		reason  string // contained in the one line
		output  string // contained in the go command's own words
	}{
		{"syntax error", nil, "./syntax", "cannot build example.com/m/syntax: see the messages above", "syntax/a.go:5:1: syntax error"},
		{"type error", nil, "./types", "cannot build example.com/m/types", "types/a.go:4:17: cannot use 1"},
		{"not main", nil, "./lib", "package example.com/m/lib is not a program but package lib", ""},
		{"only tests", nil, "./onlytest", "package example.com/m/onlytest has only test files", ""},
		{"several", nil, "./...", "./... matches", ""},
		{"no such directory", nil, "./nothere", "cannot load ./nothere: ", ""},
		{"no such package", nil, "nothere", "package nothere is not in std", ""},
		{"no such file", nil, "nothere.go", "cannot load nothere.go: no such file", ""},
		{"no such module", nil, "example.com/other/p", "no required module provides package example.com/other/p; to add it: go get", ""},
		{"import missing", nil, "./missing", "missing/a.go:3:8: ", ""},
		{"import cycle", nil, "./cycle", "import cycle not allowed: example.com/m/cycle imports example.com/m/cycle2", ""},
		{"two packages in one directory", nil, "./mixed", "found packages main (a.go) and other (b.go)", ""},
		{"no Go files", nil, "./empty", "no Go files in", ""},
		{"tag excludes all", nil, "./tags", "build constraints exclude all Go files", ""},
		{"cgo", nil, "./cgo", "package example.com/m/cgo needs cgo", ""},
		{"a flag", nil, "-x", `"-x" is not a package`, ""},
		{"nothing matches", nil, "./empty/...", "matched no packages", ""},
		{"no tests", func(c *Config) { c.Test = true }, "./ok", "package example.com/m/ok has no test files", ""},
		{"no such -C", func(c *Config) { c.Dir += "/nothere" }, "./ok", "nothere: no such file or directory", ""},
		{"-C is a file", func(c *Config) { c.Dir += "/go.mod" }, "./ok", "go.mod: not a directory", ""},
		{"output directory missing", func(c *Config) { c.Output = "/nothere/out" }, "./ok", "cannot write the program to /nothere/out: /nothere: no such file", ""},
		{"output below a file", func(c *Config) { c.Output = "go.mod/out" }, "./ok", "not a directory", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := isolated(t, dir)
			cfg.Patterns = []string{test.pattern}
			if test.change != nil {
				test.change(&cfg)
			}
			_, err := Build(t.Context(), cfg)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if !strings.Contains(e.Reason, test.reason) || strings.Contains(e.Reason, "\n") {
				t.Errorf("reason %q, want one line with %q", e.Reason, test.reason)
			}
			if !strings.Contains(e.Output, test.output) || test.output == "" && e.Output != "" {
				t.Errorf("output %q, want %q", e.Output, test.output)
			}
			assertNothingLeft(t)
		})
	}
}

func TestBuildEnvironmentErrors(t *testing.T) {
	dir := newModule(t)
	tests := []struct{ name, variable, value, reason string }{
		{"no go command", "PATH", "/nothere", "no go command on PATH"},
		{"other system", "GOOS", "windows", "this build is for windows/amd64"},
		{"refused flag", "GOFLAGS", "-race", "GOFLAGS contains -race"},
		{"no temporary directory", "TMPDIR", "/nothere", "cannot create a temporary directory"},
		{"no such GOROOT", "GOROOT", "/nothere", "cannot find GOROOT directory: /nothere"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			cfg := isolated(t, dir)
			cfg.Patterns = []string{"./ok"}
			t.Setenv(test.variable, test.value)
			_, err := Build(t.Context(), cfg)
			if err == nil || !strings.Contains(err.Error(), test.reason) {
				t.Errorf("error %v, want %s", err, test.reason)
			}
		})
	}
}

func TestBuildLeavesTheModuleAlone(t *testing.T) {
	dir := newModule(t)
	before := contents(t, dir)
	for _, goflags := range []string{"", "-mod=mod"} {
		cfg := isolated(t, dir)
		t.Setenv("GOFLAGS", goflags)
		cfg.Patterns = []string{"./ok"}
		result, err := Build(t.Context(), cfg)
		if err != nil {
			t.Fatalf("%v\n%s", err, outputOf(err))
		}
		assertNothingLeft(t)
		if strings.Join(result.Uninstrumented, " ") == "" || strings.Contains(strings.Join(result.Uninstrumented, " "), "detrace") {
			t.Errorf("uninstrumented: %q", result.Uninstrumented)
		}
	}
	if after := contents(t, dir); after != before {
		t.Errorf("the module was changed:\n%s\n--- was\n%s", after, before)
	}
}

func TestSecondBuildIsSilent(t *testing.T) {
	cfg := isolated(t, newModule(t))
	cfg.Patterns = []string{"./ok"}
	if _, err := Build(t.Context(), cfg); err != nil {
		t.Fatalf("%v\n%s", err, outputOf(err))
	}
	if err := exec.Command(cfg.Output).Run(); err != nil {
		t.Errorf("the program: %v", err)
	}
	cfg.Progress = func(line string) { t.Errorf("the second build said %q", line) }
	if _, err := Build(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

func TestBuildOfTests(t *testing.T) {
	dir := newModule(t)
	for _, pattern := range []string{"./lib", "lib/a_test.go"} {
		cfg := isolated(t, dir)
		cfg.Patterns, cfg.Test = []string{pattern}, true
		if _, err := Build(t.Context(), cfg); err != nil {
			t.Fatalf("%s: %v\n%s", pattern, err, outputOf(err))
		}
		if strings.Contains(pattern, ".go") {
			continue
		}
		if out, err := exec.Command(cfg.Output, "-test.v").CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestLib") {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

func TestBuildTags(t *testing.T) {
	cfg := isolated(t, newModule(t))
	cfg.Patterns, cfg.Tags = []string{"./tags"}, []string{"extra"}
	if _, err := Build(t.Context(), cfg); err != nil {
		t.Errorf("%v\n%s", err, outputOf(err))
	}
}

func TestCancelledBuildLeavesNothing(t *testing.T) {
	cfg := isolated(t, newModule(t))
	cfg.Patterns = []string{"./ok"}
	t.Setenv("GOCACHE", t.TempDir()) // everything is to be compiled
	ctx, cancel := context.WithCancel(t.Context())
	cfg.Progress = func(string) { cancel() }
	_, err := Build(ctx, cfg)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if _, err := os.Stat(cfg.Output); err == nil {
		t.Error("there is an output")
	}
	assertNothingLeft(t)
}

func TestFullDiskIsNamed(t *testing.T) {
	const output = "# fmt\ncompile: writing output: write $WORK/b041/_pkg_.a: no space left on device\n"
	err := commandError("build x", output, errors.New("exit status 1"))
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Reason, "cannot build x: no space left on device; free some space") || e.Output != output {
		t.Errorf("got %#v", err)
	}
}

// contents is every file below dir with its content.
func contents(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.WriteString(path + "\n" + string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// outputOf is what the go command said, for a failing test.
func outputOf(err error) string {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e.Output
	}
	return ""
}
