package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tp3File writes a program and returns its directory and name.
func tp3File(t *testing.T, src string) (dir, name string) {
	dir, name = t.TempDir(), "p.tp3"
	if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, name
}

func TestTP3(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags []string
		src   string
		code  int
		want  []string // lines, in this order
	}{
		{"determinate run", nil, "x = alloc; store 3 to x", exitOK,
			[]string{"steps: 2", "memory: main.r1=3", "races: 0", "verdict: determinate: no schedule races, and all end with this memory"}},
		{"racy run", nil, "x = alloc\nasync { store 1 to x }\nstore 2 to x", exitRace,
			[]string{"races: 1", "race: 2:9 write || 3:1 write at main.r1", "  p.tp3:2:9: store 1 to x, by main.t1 (async at 2:1)",
				"  p.tp3:3:1: store 2 to x, by main", "  main.r1 was allocated at p.tp3:1:1", "verdict: race: the result can depend on the schedule"}},
		{"racy exploration", []string{"-explore"}, "x = alloc\nasync { store 1 to x }\nstore 2 to x", exitRace,
			[]string{"schedules: 2", "explored: 2 up to the order of independent steps", "final states: 2", "  main.r1=1", "  main.r1=2", "graphs: 1",
				"deadlocks: 0", "races: 1", "race: 2:9 write || 3:1 write at main.r1", "verdict: race: the result can depend on the schedule"}},
		{"deadlocked run", nil, "p = new_promise; async { p.get; p.set }; p.get", exitProgram,
			[]string{"memory: none", "deadlock: main waits at p.tp3:1:42 (p.get) for the promise main.p1 of 1:1",
				"  main.t1 would set it at p.tp3:1:33, but waits itself", "races: 0",
				"verdict: determinate: no schedule races, and all end in this deadlock"}},
		{"deadlocked exploration", []string{"-explore"}, "p = new_promise; p.get", exitProgram,
			[]string{"schedules: 1", "final states: 1", "  none", "graphs: 1", "deadlocks: 1", "deadlock: main waits at p.tp3:1:18 (p.get) for the promise main.p1 of 1:1",
				"  no waiting task has a set of it ahead", "races: 0", "verdict: determinate: no schedule races, and all end in one deadlock"}},
		{"a race wins over a deadlock", nil, "x = alloc; p = new_promise; async { store 1 to x }; store 1 to x; p.get", exitRace, []string{"races: 1"}},
		{"failed run", []string{"-strict"}, "x = 1; a = load x", exitProgram,
			[]string{"error: p.tp3:1:8: a = load x, by main: x is the integer 1 here; use a location, which alloc gives",
				"verdict: not-certified: a program error stopped the run"}},
		{"failed exploration", []string{"-explore"}, "p = new_promise; p.set; p.set", exitProgram,
			[]string{"final states: 0", "verdict: not-certified: there is a program error"}},
		{"endless run", []string{"-budget", "10"}, "x = alloc; store 1 to x; while (0 != load x) { }", exitOK,
			[]string{"steps: 10", "verdict: not-certified: the run did not end within its budget of steps, and nothing is known of the rest"}},
		{"endless exploration", []string{"-explore", "-strict", "-budget", "10"}, "x = alloc; store 1 to x; while (0 != load x) { }", exitStrict,
			[]string{"schedules: at least 0", "incomplete: the budget of 10 steps is used up; every count is of what was seen",
				"verdict: not-certified: not all schedules were explored: the budget of 10 steps is used up"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, name := tp3File(t, tt.src)
			got := tool(t, dir, "", append(append([]string{"tp3"}, tt.flags...), name)...)
			if got.code != tt.code || got.stderr != "" {
				t.Errorf("got code %d, stderr %q, want %d", got.code, got.stderr, tt.code)
			}
			rest := "\n" + got.stdout
			for _, line := range tt.want {
				_, after, found := strings.Cut(rest, "\n"+line+"\n")
				if !found {
					t.Fatalf("no line %q in its place in\n%s", line, got.stdout)
				}
				rest = "\n" + after
			}
		})
	}
}

func TestTP3WritesGraphs(t *testing.T) {
	for _, explore := range []bool{false, true} {
		dir, name := tp3File(t, "x = alloc")
		args := []string{"tp3", "-dot", "g.dot", "-svg", "g.svg", name}
		if explore {
			args = append([]string{"tp3", "-explore"}, args[1:]...)
		}
		if got := tool(t, dir, "", args...); got.code != exitOK || got.stderr != "" {
			t.Fatalf("got %+v", got)
		}
		for file, want := range map[string]string{"g.dot": "digraph", "g.svg": "<svg"} {
			if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.HasPrefix(string(text), want) {
				t.Errorf("%s: %v, %.20q", file, err, text)
			}
		}
	}
}

func TestTP3Errors(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		args      []string
	}{
		{"", "the program is missing", nil},
		{"", `"b.tp3" is a second program`, []string{"a.tp3", "b.tp3"}},
		{"", "no such file", []string{"other.tp3"}},
		{"", "-budget -1 is no number of steps", []string{"-budget", "-1", "p.tp3"}},
		{"", "not defined: -frobnicate; see 'detrace help tp3'", []string{"-frobnicate", "p.tp3"}},
		{"x = y", "detrace tp3: p.tp3:1:5: the name y has no value here; assign it before", []string{"p.tp3"}},
		{"", "no such file or directory", []string{"-dot", "no/such/dir.dot", "p.tp3"}},
		{"x = alloc; store 1 to x; while (0 != load x) { }", "too many to draw", []string{"-svg", "g.svg", "p.tp3"}},
	} {
		dir, _ := tp3File(t, tt.src)
		got := tool(t, dir, "", append([]string{"tp3"}, tt.args...)...)
		if got.code != exitError || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("detrace tp3 %v: got %+v, want code 1 and one line with %q", tt.args, got, tt.want)
		}
	}
}

func TestTP3HelpNamesEveryFlag(t *testing.T) {
	for _, f := range []string{"-explore", "-budget", "-dot", "-svg", "-strict"} {
		if !strings.Contains(tp3Command.about, "  "+f+" ") {
			t.Errorf("detrace help tp3 says nothing of %s", f)
		}
	}
}
