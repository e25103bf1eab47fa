package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/race"
)

const someTrace = `detrace trace 1
spawn 0 1
write 1 0x1000 8 fib.go:9
end 1
read 0 0x1004 4
sync 0
write 0 0x1000 8
end 0
`

func TestReplay(t *testing.T) {
	dir := t.TempDir()
	racy := filepath.Join(dir, "racy.trace")
	clean := filepath.Join(dir, "clean.trace")
	escalating := filepath.Join(dir, "escalating.trace")
	for name, text := range map[string]string{
		racy: someTrace, clean: strings.Replace(someTrace, "read 0 0x1004", "read 0 0x1008", 1),
		escalating: "detrace trace 1\ncreate 0 1\nend 1\nget 0 1\nget 0 1\nend 0\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const report = "race: 3 write || 5 read at 0x1004\nverdict: race\n"
	for _, tt := range []struct {
		name   string
		args   []string
		stdin  string
		code   int
		stdout string
		stderr string
	}{
		{"race", []string{racy}, "", exitRace, report, ""},
		{"determinate", []string{clean}, "", exitOK, "verdict: determinate\n", ""},
		{"standard input", []string{"-"}, someTrace, exitRace, report, ""},
		{"an engine", []string{"-engine", "spbags", racy}, "", exitRace, report, ""},
		{"the oracle", []string{"-engine", "oracle", racy}, "", exitRace, report, ""},
		{"escalation", []string{escalating}, "", exitOK, "verdict: determinate\n",
			"detrace replay: engine multibagsplus from line 5 on, because multibags takes one get"},
		{"refused by an engine", []string{"-engine", "lattice", racy}, "", exitError, "", "racy.trace:2: spawn 0 1: lattice takes forks and joins"},
		{"impossible", []string{"-"}, "detrace trace 1\nget 0 1\n", exitError, "", "standard input:2: get 0 1: there is no such task to join"},
		{"malformed", []string{"-"}, "detrace trace 1\nget 0\n", exitError, "", "standard input:2: something is missing; the line must read: get TASK FUTURE"},
		{"not ended", []string{"-"}, "detrace trace 1\nspawn 0 1\nwrite 1 0x1 1\nread 0 0x1 1\nend 1\n", exitError, "", "task 0 has not ended at the end of the trace"},
		{"out of order", []string{"-engine", "multibags", "-"}, "detrace trace 1\nspawn 0 1\nread 0 0x1 1\n", exitError, "",
			"standard input:3: read 0 0x1 1: the order is not depth-first"},
		{"no trace", nil, "", exitError, "", "the trace is missing: detrace replay [flags] trace"},
		{"two traces", []string{racy, clean}, "", exitError, "", "is a second trace"},
		{"no such file", []string{"/nowhere/trace"}, "", exitError, "", "no such file"},
		{"no such engine", []string{"-engine", "magic", racy}, "", exitError, "", `there is no engine "magic"; there are spbags,`},
		{"no such format", []string{"-format", "xml", racy}, "", exitError, "", `there is no format "xml"`},
		{"a directory", []string{dir}, "", exitError, "", "is a directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tool(t, dir, tt.stdin, append([]string{"replay"}, tt.args...)...)
			lines := 0
			if tt.stderr != "" {
				lines = 1
			}
			if got.code != tt.code || got.stdout != tt.stdout || !strings.Contains(got.stderr, tt.stderr) || strings.Count(got.stderr, "\n") != lines || got.temp != nil {
				t.Errorf("got %+v, want code %d, stdout %q, %d line with %q", got, tt.code, tt.stdout, lines, tt.stderr)
			}
		})
	}
}

func TestReplayJSON(t *testing.T) {
	got := tool(t, ".", someTrace, "replay", "-format", "json", "-")
	var r replayReport
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || got.code != exitRace {
		t.Fatal(got, err)
	}
	want := replayRace{
		Kind:  race.WriteRead,
		First: replayAccess{Line: 3, Op: "write", Task: 1, Site: "fib.go:9"}, Second: replayAccess{Line: 5, Op: "read"},
		Addr: "0x1004", Size: 4,
	}
	if r.Stats.EngineBytes == 0 || r.Stats.HistoryBytes == 0 {
		t.Errorf("no memory used: %s", got.stdout)
	}
	r.Stats.EngineBytes, r.Stats.HistoryBytes = 0, 0
	if len(r.Races) != 1 || r.Races[0] != want || r.Verdict != race.Racy || r.Version != race.Version ||
		r.Stats != (replayStats{Engine: "multibags", Tasks: 2, Strands: 4, Reads: 1, Writes: 2, RacyBytes: 4}) {
		t.Errorf("got %s", got.stdout)
	}
	got = tool(t, ".", "detrace trace 1\nend 0\n", "replay", "-format", "json", "-")
	if got.code != exitOK || !strings.Contains(got.stdout, `"races": []`) {
		t.Errorf("no races: got %+v", got)
	}
}

// A table of all engines, also of a trace that can be read only once, and in binary form.
func TestReplayAll(t *testing.T) {
	var binary bytes.Buffer
	in, err := event.NewReader("", strings.NewReader(someTrace))
	if err != nil {
		t.Fatal(err)
	}
	w := event.NewBinaryWriter(&binary)
	for e, err := in.Next(); err == nil; e, err = in.Next() {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for form, trace := range map[string]string{"text": someTrace, "binary": binary.String()} {
		got := tool(t, ".", trace, "replay", "-engine", "all", "-")
		if got.code != exitRace || got.stderr != "" || !strings.HasSuffix(got.stdout, "\nverdict: race\n") || got.temp != nil {
			t.Errorf("%s: got %+v", form, got)
		}
		for _, row := range []string{"spbags ", "auto (multibags)", "oracle ", "line 2: lattice takes forks and joins"} {
			if !strings.Contains(got.stdout, row) {
				t.Errorf("%s: no %q in\n%s", form, row, got.stdout)
			}
		}
		got = tool(t, ".", trace, "replay", "-engine", "all", "-format", "json", "-")
		var r comparisonReport
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || got.code != exitRace || r.Verdict != race.Racy || len(r.Engines) < 13 {
			t.Errorf("%s: got %+v, %v", form, got, err)
		}
	}
	got := tool(t, ".", "detrace trace 1\nget 0 1\n", "replay", "-engine", "all", "-")
	if got.code != exitError || got.stdout != "" || !strings.Contains(got.stderr, "standard input:2: get 0 1:") || got.temp != nil {
		t.Errorf("an impossible trace: got %+v", got)
	}
}

// Engines that do not find the same bytes are named.
func TestDisagreement(t *testing.T) {
	judge := func(text string) *replayed {
		name := filepath.Join(t.TempDir(), "trace")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := openTrace(name)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		r, err := in.judge("vclock")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	racy, clean := judge(someTrace), judge("detrace trace 1\nend 0\n")
	text, _ := disagreement([]comparison{{engine: "a", replayed: clean}, {engine: "b", refused: "why"}, {engine: "c", replayed: racy}, {engine: "d", replayed: racy}})
	if !strings.HasPrefix(text, "engines disagree with d (4 racy bytes): a (0 racy bytes);") {
		t.Errorf("got %q", text)
	}
	text, verdict := disagreement([]comparison{{engine: "a", replayed: clean}, {engine: "b", refused: "why"}})
	if text != "" || verdict != race.Determinate {
		t.Errorf("got %q, %s", text, verdict)
	}
}
