package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// newLoops writes a module with loops in a program, a package and its tests.
func newLoops(t *testing.T) string {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":        "module example.com/loops\n\ngo 1.25.0\n",
		"main.go":       "package main\n\nimport \"example.com/loops/lib\"\n\nfunc main() {\n\ta := make([]int, 100)\n\tlib.Fill(a)\n\tprintln(lib.Sum(a))\n}\n",
		"lib/lib.go":    "package lib\n\nfunc Fill(a []int) {\n\tfor i := range a {\n\t\ta[i] = i\n\t}\n}\n\nfunc Sum(a []int) (s int) {\n\tfor _, v := range a {\n\t\ts += v\n\t}\n\treturn s\n}\n",
		"lib/x_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestLib(t *testing.T) {\n\ta := make([]int, 50)\n\tfor i := range a {\n\t\ta[i] = 2 * i\n\t}\n\tif Sum(a) != 49*50 {\n\t\tt.Error(Sum(a))\n\t}\n}\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// coalescedIn is the files with loops whose accesses are checked together.
func coalescedIn(r *Result) string {
	var files []string
	for _, l := range r.Loops {
		if l.Coalesced {
			files = append(files, filepath.Base(l.File))
		}
	}
	return strings.Join(files, " ")
}

func TestLoopsOfAProgram(t *testing.T) {
	dir := newLoops(t)
	before := contents(t, dir)
	cfg := isolated(t, dir)
	cfg.Patterns = []string{"."}
	first, err := Build(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%v\n%s", err, outputOf(err))
	}
	if got := coalescedIn(first); got != "lib.go lib.go" {
		t.Errorf("loops in %q", got)
	}
	if out, err := exec.Command(cfg.Output).CombinedOutput(); err != nil || !strings.Contains(string(out), "4950") {
		t.Errorf("the program: %v\n%s", err, out)
	}
	again, err := Build(t.Context(), cfg)
	if err != nil || !reflect.DeepEqual(first.Loops, again.Loops) {
		t.Errorf("the second build: %v, %v", err, again)
	}
	cfg.NoCoalesce = true
	if r, err := Build(t.Context(), cfg); err != nil || len(r.Loops) > 0 {
		t.Errorf("without coalescing: %v, %v", err, r)
	}
	if contents(t, dir) != before {
		t.Error("the module was changed")
	}
	assertNothingLeft(t)
}

func TestLoopsOfTests(t *testing.T) {
	cfg := isolated(t, newLoops(t))
	cfg.Patterns, cfg.Test = []string{"./lib"}, true
	r, err := Build(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%v\n%s", err, outputOf(err))
	}
	if got := coalescedIn(r); !strings.Contains(got, "x_test.go") || !strings.Contains(got, "lib.go") {
		t.Errorf("loops in %q", got)
	}
	if out, err := exec.Command(cfg.Output, "-test.v").CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestLib") {
		t.Errorf("%v\n%s", err, out)
	}
}
