package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/detrace/detrace/race"
)

// parallelStep is of how many programs of testdata/task one is run in parallel, unless
// -runs is above 1: then all are.
const parallelStep = 6

// TestParallel runs programs of package task in parallel, with one, two and eight
// workers: the verdict, the races and their fingerprints are those of the serial run.
func TestParallel(t *testing.T) {
	var mu sync.Mutex
	engines := map[string]int{}
	t.Run("judge", func(t *testing.T) {
		for i, p := range taskCorpus(t) {
			if *runs == 1 && i%parallelStep != 0 {
				continue
			}
			t.Run(p.name, func(t *testing.T) {
				t.Parallel()
				engine := p.judgeParallel(t)
				mu.Lock()
				engines[engine]++
				mu.Unlock()
			})
		}
	})
	t.Log("programs by the engine that judged them in the end: ", engines)
}

// judgeParallel compares parallel runs with a serial one and returns the engine that
// answered at the end of the last of them.
func (p program) judgeParallel(t *testing.T) (engine string) {
	dir := t.TempDir()
	build := func(name string, flags ...string) string {
		binary := filepath.Join(dir, name)
		args := slices.Concat([]string{"build"}, flags, []string{"-o", binary, p.path})
		if out, code := command(t, root, nil, detrace, args...); code != 0 {
			t.Fatalf("detrace build: exit code %d\n%s", code, out)
		}
		return binary
	}
	serial := p.run(t, dir, build("serial"), 1)
	want := fingerprints(serial)
	parallel := build("parallel", "-parallel")
	for run := range *runs {
		for _, workers := range []int{1, 2, 8} {
			r := p.run(t, dir, parallel, workers)
			if d := p.wants.compare(r); !d.empty() {
				t.Errorf("run %d, %d workers:%v", run, workers, d)
			}
			if now := fingerprints(r); !slices.Equal(now, want) {
				t.Errorf("run %d, %d workers: fingerprints %v, serially %v", run, workers, now, want)
			}
			engine = r.Stats.Engine
			if r.Stats.Exchange != nil {
				engine += ", then jointree"
			}
		}
	}
	return engine
}

// Every engine that can judge a parallel run does, and auto chooses one by what the
// program uses; when it does not suffice, jointree goes on.
func TestParallelEngines(t *testing.T) {
	for _, tt := range []struct {
		asked, program   string
		began, exchanged string // the engine, and why it was exchanged
	}{
		{"order", "determinate_finish", "order", ""},
		{"order", "race_drb001", "order", ""},
		{"sforder", "determinate_group", "sforder", ""},
		{"sforder", "race_future", "sforder", ""},
		{"forder", "determinate_promise", "forder", ""},
		{"forder", "race_pipeline", "forder", ""},
		{"forder", "determinate_future", "forder", ""},
		{"jointree", "determinate_promise", "jointree", ""},
		{"jointree", "race_pipeline", "jointree", ""},
		{"auto", "determinate_group", "order", ""},
		{"auto", "determinate_finish", "order", ""},
		{"auto", "race_future", "sforder", ""},
		{"auto", "determinate_promise", "jointree", ""},
		{"auto", "determinate_line", "jointree", ""},
		{"auto", "determinate_future", "sforder", "one get for each create"},
	} {
		t.Run(tt.asked+"/"+tt.program, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "report.json")
			want, code := race.Determinate, 0
			if strings.HasPrefix(tt.program, "race_") {
				want, code = race.Racy, 3
			}
			out, got := command(t, root, nil, detrace, "run", "-parallel", "-workers", "2", "-engine", tt.asked,
				"-format", "json="+file, "./testdata/task/"+tt.program)
			if got != code {
				t.Fatalf("exit code %d, want %d\n%s", got, code, out)
			}
			r := decode(t, file)
			why, began := "", r.Stats.Engine
			if x := r.Stats.Exchange; x != nil {
				why, began = x.Why, x.From
			}
			if r.Verdict != want || began != tt.began || (why != "") != (tt.exchanged != "") || !strings.Contains(why, tt.exchanged) {
				t.Errorf("verdict %s; began with %s, and gave up because %q", r.Verdict, began, why)
			}
		})
	}
}

// What cannot be judged in parallel is one line.
func TestParallelRefusals(t *testing.T) {
	for flags, want := range map[string]string{
		"-parallel -engine multibags":          "engine multibags judges serial runs only",
		"-parallel -engine native":             "exclude each other",
		"-workers 2":                           "-workers goes with -parallel",
		"-parallel -workers -1":                "flag -workers: it must be a positive number",
		"-parallel -engine order":              "engine order cannot judge this program",
		"-parallel -workers 2 -engine sforder": "engine sforder cannot judge this program",
	} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run"}, strings.Fields(flags)...)
			out, code := command(t, root, nil, detrace, append(args, "./testdata/task/determinate_promise")...)
			if line := strings.TrimSpace(out); code != 1 || !strings.Contains(line, want) || strings.Contains(line, "\n") {
				t.Errorf("exit code %d, want 1 and %q in one line\n%s", code, want, out)
			}
		})
	}
}

// A program of tasks alone runs them in the order in which they were started, but for the
// last one and those that lost their turn. Go mixes the order in programs built as ours
// are, and that of others stays mixed.
func TestParallelOrder(t *testing.T) {
	for name, waits := range map[string]string{"alone": "", "in company": `import _ "sync"`} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			text := "package main\n\n" + waits + "\n" + orderProgram
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			out, code := command(t, root, nil, detrace, "run", "-parallel", "-workers", "1", file)
			last, tasks, backwards := -1, 0, 0
			for line := range strings.Lines(out) {
				var n int
				if _, err := fmt.Sscanf(line, "task %d\n", &n); err != nil {
					continue
				}
				if n < last {
					backwards++
				}
				last, tasks = n, tasks+1
			}
			if mixed := backwards > 20; code != 0 || tasks != 200 || mixed != (waits != "") {
				t.Errorf("exit code %d; of %d tasks %d began after a later one\n%s", code, tasks, backwards, out)
			}
		})
	}
}

const orderProgram = `
import "github.com/detrace/detrace/task"

func main() {
	task.Finish(func(s *task.Scope) {
		for i := range 200 {
			s.Async(func() { println("task", i) })
		}
	})
}
`
