package tp3

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wants is what the comments of a program say of it: lines "# want key: value"
// and, behind statements, the names of the races that they are in.
type wants struct {
	facts map[string]string
	races map[string]bool // pairs of lines
}

var (
	wantFact = regexp.MustCompile(`^# want ([a-z ]+): (.*)$`)
	wantRace = regexp.MustCompile(`race\(([^()]+)\)`)
)

func parseWants(t *testing.T, src string) wants {
	w := wants{facts: map[string]string{}, races: map[string]bool{}}
	lines := map[string][]int{}
	for i, line := range strings.Split(src, "\n") {
		if m := wantFact.FindStringSubmatch(line); m != nil {
			w.facts[m[1]] = m[2]
			continue
		}
		_, comment, _ := strings.Cut(line, "# want ")
		for _, m := range wantRace.FindAllStringSubmatch(comment, -1) {
			lines[m[1]] = append(lines[m[1]], i+1)
		}
	}
	for name, at := range lines {
		if len(at) > 2 {
			t.Fatalf("race(%s) is on %d lines, want one or two", name, len(at))
		}
		w.races[fmt.Sprint(at[0], at[len(at)-1])] = true
	}
	if w.facts["verdict"] == "" {
		t.Fatal("no line wants a verdict")
	}
	return w
}

// facts is what is known of a program after exploration.
func facts(x *Exploration) map[string]string {
	verdict, _ := x.Verdict()
	f := map[string]string{
		"verdict":      string(verdict),
		"schedules":    x.Schedules.String(),
		"explored":     strconv.Itoa(x.Classes),
		"complete":     strconv.FormatBool(x.Complete),
		"final states": strconv.Itoa(len(x.States)),
		"graphs":       strconv.Itoa(x.Graphs),
		"deadlocks":    strconv.Itoa(len(x.Deadlocks)),
		"errors":       strconv.Itoa(len(x.Failures)),
	}
	if len(x.States) == 1 {
		f["memory"] = x.States[0].String()
	}
	return f
}

// Programs with a known verdict: the examples and the corpus.
func TestPrograms(t *testing.T) {
	var files []string
	for _, dir := range []string{"../examples/tp3", "../testdata/tp3"} {
		found, err := filepath.Glob(filepath.Join(dir, "*.tp3"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no programs in %s: %v", dir, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".tp3"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			w := parseWants(t, string(src))
			p, err := Parse(file, string(src))
			if err != nil {
				t.Fatal(err)
			}
			limits := Limits{RunSteps: 1000, Steps: 50_000, Ideals: 20_000}
			x := mustExplore(t, p, limits)
			got := facts(x)
			for _, key := range slices.Sorted(maps.Keys(w.facts)) {
				if got[key] != w.facts[key] {
					t.Errorf("%s: got %q, want %q", key, got[key], w.facts[key])
				}
			}
			races := map[string]bool{}
			for _, r := range x.Races {
				races[fmt.Sprint(r.First.Pos.Line, r.Second.Pos.Line)] = true
			}
			if !maps.Equal(races, w.races) {
				t.Errorf("races on lines: got %v, want %v", races, w.races)
			}
			if msg := brokenTheorem(x, mustRun(t, p, limits)); msg != "" {
				t.Error(msg)
			}
		})
	}
}
