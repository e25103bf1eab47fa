package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/record/recordtest"
	"github.com/detrace/detrace/race"
)

// detraceBinary is the real program, built once.
var detraceBinary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "detrace-test-*")
	if err != nil {
		panic(err)
	}
	detraceBinary = filepath.Join(dir, "detrace")
	out, err := exec.Command("go", "build", "-o", detraceBinary, ".").CombinedOutput()
	if err != nil {
		os.Stderr.Write(out)
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// result is what one run of detrace did.
type result struct {
	code           int
	stdout, stderr string
	temp           []string // files left in the directory for temporary files
}

// tool runs the real program in dir.
func tool(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	temp := t.TempDir()
	cmd := exec.Command(detraceBinary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+temp)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String(), left}
}

func TestUsageErrors(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("not records"), 0o600); err != nil {
		t.Fatal(err)
	}
	zero := filepath.Join(t.TempDir(), "zero")
	if err := os.WriteFile(zero, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"frobnicate"}, `unknown command "frobnicate"; see 'detrace help'`},
		{[]string{"-x"}, `unknown command "-x"`},
		{[]string{"help", "frobnicate"}, `no command "frobnicate"`},
		{[]string{"version", "now"}, "takes no arguments"},
		{[]string{"run", "-frobnicate", "."}, "not defined: -frobnicate; see 'detrace help run'"},
		{[]string{"run", "./app", "arg", "2"}, "arguments of the program go behind --: detrace run ./app -- arg 2"},
		{[]string{"run", "./app", "-strict"}, "-strict stands behind the package; flags go before it"},
		{[]string{"run", "-format", "xml", "."}, "there are text, json, sarif, github, junit and html"},
		{[]string{"run", "-format", "json=", "."}, "a file name is missing"},
		{[]string{"run", "-update-baseline", "."}, "-baseline is missing"},
		{[]string{"run", "-baseline", "/nowhere/races.txt", "."}, "baseline: open /nowhere/races.txt: no such file or directory; -update-baseline writes it"},
		{[]string{"report", "-baseline", garbage, garbage}, garbage + ":1: \"not records\" is no fingerprint: 16 hexadecimal digits"},
		{[]string{"run", "-edges", "some", "."}, "-edges can only be observed"},
		{[]string{"run", "-C", "/nowhere", "."}, "/nowhere"},
		{[]string{"build", "."}, "-o is missing"},
		{[]string{"build", "-o", "x", "./a", "./b"}, `"./b" is a second package`},
		{[]string{"report"}, "the records file is missing"},
		{[]string{"report", "a", "b"}, "one records file at a time"},
		{[]string{"report", "/nowhere/records"}, "no such file"},
		{[]string{"report", garbage}, "not a records file"},
		{[]string{"report", zero}, "never started"},
	} {
		got := tool(t, t.TempDir(), "", tt.args...)
		if got.code != exitError || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, tt.want) {
			t.Errorf("detrace %s: got code %d, stdout %q, stderr %q, want code 1 and one line with %q",
				strings.Join(tt.args, " "), got.code, got.stdout, got.stderr, tt.want)
		}
		if got.temp != nil {
			t.Errorf("detrace %s: left %v", strings.Join(tt.args, " "), got.temp)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, tt := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{nil, exitError, "", "Usage: detrace command"},
		{[]string{"help"}, exitOK, "Usage: detrace command", ""},
		{[]string{"-h"}, exitOK, "Usage: detrace command", ""},
		{[]string{"run", "-h"}, exitOK, "Usage: detrace run", ""},
		{[]string{"help", "build"}, exitOK, "Usage: detrace build", ""},
		{[]string{"version"}, exitOK, "detrace ", ""},
	} {
		got := tool(t, ".", "", tt.args...)
		if got.code != tt.code || !strings.Contains(got.stdout, tt.stdout) || !strings.Contains(got.stderr, tt.stderr) ||
			(tt.stdout == "") != (got.stdout == "") || (tt.stderr == "") != (got.stderr == "") {
			t.Errorf("detrace %v: got %+v, want %+v", tt.args, got, tt)
		}
	}
}

// Every flag of a command is in its help.
func TestHelpNamesEveryFlag(t *testing.T) {
	for name, flags := range map[string][]string{
		"run":    {"-C", "-tags", "-format", "-strict", "-baseline", "-update-baseline", "-edges"},
		"build":  {"-C", "-tags", "-o"},
		"report": {"-format", "-strict", "-baseline", "-update-baseline", "-binary"},
		"replay": {"-engine", "-format"},
	} {
		for _, f := range flags {
			if !strings.Contains(find(name).about, "  "+f+" ") {
				t.Errorf("detrace help %s says nothing of %s", name, f)
			}
			bare := tool(t, ".", "", name, f)
			if strings.Contains(bare.stderr, "not defined") {
				t.Errorf("detrace %s has no flag %s", name, f)
			}
		}
	}
}

// recorded writes a records file and returns its name. code < 0 leaves the
// program unfinished.
func recorded(t *testing.T, code int, fill func(b *recordtest.Builder)) string {
	b := recordtest.New()
	b.Task(1, 0, 0, 0)
	if fill != nil {
		fill(b)
	}
	if code >= 0 {
		b.Finish(code)
	}
	name := filepath.Join(t.TempDir(), "records")
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func withRace(b *recordtest.Builder) {
	b.Stack(1, record.Frame{Func: "main.main", File: "/gone/main.go", Line: 9})
	b.Task(2, 1, 0, 1)
	b.Race(record.Race{Count: 1, Addr: 64, First: record.Access{Task: 1, Op: record.OpWrite, Stack: 1, Index: 1},
		Second: record.Access{Task: 2, Op: record.OpRead, Stack: 1}})
}

func withReason(b *recordtest.Builder) {
	b.Stack(1, record.Frame{Func: "main.main", File: "/gone/main.go", Line: 9})
	b.Reason(record.Reason{Count: 1, Code: record.ReasonSelect, Stack: 1})
}

func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name    string
		flags   []string
		code    int // of the program, -1: unfinished
		fill    func(*recordtest.Builder)
		want    int
		verdict race.Verdict
	}{
		{"clean", nil, 0, nil, exitOK, race.Determinate},
		{"clean and strict", []string{"-strict"}, 0, nil, exitOK, race.Determinate},
		{"failed", nil, 7, nil, exitProgram, race.Determinate},
		{"race", nil, 0, withRace, exitRace, race.Racy},
		{"race wins over failure", nil, 7, withRace, exitRace, race.Racy},
		{"race of an unfinished program", nil, -1, withRace, exitRace, race.Racy},
		{"reason", nil, 0, withReason, exitOK, race.NotCertified},
		{"reason and strict", []string{"-strict"}, 0, withReason, exitStrict, race.NotCertified},
		{"failure wins over strict", []string{"-strict"}, 7, withReason, exitProgram, race.NotCertified},
		{"unfinished", nil, -1, nil, exitOK, race.NotCertified},
		{"unfinished and strict", []string{"-strict"}, -1, nil, exitStrict, race.NotCertified},
	} {
		name := recorded(t, tt.code, tt.fill)
		for _, format := range []string{"text", "json"} {
			got := tool(t, ".", "", append(append([]string{"report"}, tt.flags...), "-format", format, name)...)
			if got.code != tt.want || got.stderr != "" {
				t.Errorf("%s, %s: got code %d, stderr %q, want code %d", tt.name, format, got.code, got.stderr, tt.want)
			}
			want := "verdict: " + string(tt.verdict) + ":"
			if format == "json" {
				want = `"verdict": "` + string(tt.verdict) + `"`
			}
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s, %s: got %s, want %q in it", tt.name, format, got.stdout, want)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	records := recorded(t, 0, withRace)
	dir := t.TempDir()
	for _, tt := range []struct {
		flags []string
		text  bool // on standard output
		json  bool
		files map[string]string // name: what it starts with
	}{
		{nil, true, false, nil},
		{[]string{"-format=text"}, true, false, nil},
		{[]string{"-format=json"}, false, true, nil},
		{[]string{"-format=json", "-format=text"}, true, true, nil},
		{[]string{"-format=json=a.json"}, true, false, map[string]string{"a.json": "{"}},
		{[]string{"-format=json=b.json", "-format=text=b.txt", "-format=json"}, false, true, map[string]string{"b.json": "{", "b.txt": "race 1 of 1"}},
	} {
		got := tool(t, dir, "", append(append([]string{"report"}, tt.flags...), records)...)
		if got.code != exitRace || strings.Contains(got.stdout, "race 1 of 1") != tt.text || strings.Contains(got.stdout, `"version": 1`) != tt.json {
			t.Errorf("%v: got %+v", tt.flags, got)
		}
		for name, start := range tt.files {
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil || !strings.HasPrefix(string(data), start) {
				t.Errorf("%v: %s: got %q, %v, want %q first", tt.flags, name, data, err, start)
			}
		}
	}
	got := tool(t, dir, "", "report", "-format=json=/nowhere/a.json", records)
	if got.code != exitRace || !strings.Contains(got.stdout, "race 1 of 1") || !strings.Contains(got.stderr, "/nowhere/a.json") {
		t.Errorf("file that cannot be written: got %+v, want the race all the same", got)
	}
}
