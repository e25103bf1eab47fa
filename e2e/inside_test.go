package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// insideStep is of how many programs of testdata one is judged inside a run of tasks, unless
// -runs is above 1: then all are.
const insideStep = 8

// TestInsideFinish runs the programs of testdata, which know no tasks, inside a Finish. An
// engine of structured programs begins to answer there, and nothing that the program does
// is any of its: what is told stays the same.
func TestInsideFinish(t *testing.T) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	mod := readFile(t, filepath.Join(root, "go.mod"))
	mod = strings.Replace(mod, "module github.com/detrace/detrace", "module inside", 1)
	mod += "\nrequire github.com/detrace/detrace v0.0.0\n\nreplace github.com/detrace/detrace => " + absolute + "\n"
	writeFile(t, filepath.Join(module, "go.mod"), mod)
	writeFile(t, filepath.Join(module, "go.sum"), readFile(t, filepath.Join(root, "go.sum")))
	for i, p := range corpus(t) {
		if *runs == 1 && i%insideStep != 0 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.judgeInside(t, module)
		})
	}
}

// judgeInside judges p, as a package of module, in a Finish that the serial build and the
// parallel one begin.
func (p program) judgeInside(t *testing.T, module string) {
	source := readFile(t, filepath.Join(root, p.path))
	// On the lines that there are, so that wanted lines stay where they are.
	source = strings.Replace(source, "\npackage main\n", "\npackage main; import \"github.com/detrace/detrace/task\"\n", 1)
	source = strings.Replace(source, "\nfunc main() {", "\nfunc main() { task.Finish(func(*task.Scope) { inside() }) }; func inside() {", 1)
	dir := filepath.Join(module, p.name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, p.name+".go"), source)
	for _, flags := range [][]string{nil, {"-parallel"}} {
		binary := filepath.Join(t.TempDir(), p.name)
		args := append(append([]string{"build", "-C", dir}, flags...), "-o", binary, ".")
		if out, code := command(t, root, nil, detrace, args...); code != 0 {
			t.Fatalf("detrace build: exit code %d\n%s", code, out)
		}
		for run := range *runs {
			if d := p.wants.compare(p.run(t, dir, binary, 2)); !d.empty() {
				t.Errorf("%v, run %d:%v", flags, run, d)
			}
		}
	}
}

func readFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
