package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/record/recordtest"
	"github.com/detrace/detrace/race"
)

// Each form has its shape, the exit code of the verdict, and nothing beside it.
func TestForms(t *testing.T) {
	records := recorded(t, 0, withRace)
	for form, want := range map[string]string{
		"text":   `(?s)^race 1 of 1: .*\nverdict: race: 1 racing pair of source lines\n$`,
		"json":   `(?s)^\{.*"verdict": "race".*\}\n$`,
		"sarif":  `(?s)^\{.*"version": "2.1.0".*"exitCode": 3,.*"ruleId": "race-.*\}\n$`,
		"github": `(?s)^::error file=/gone/main.go,line=9,title=race.*\nverdict: race: 1 racing pair of source lines\n$`,
		"junit":  `(?s)^<\?xml .*<testsuites tests="1" failures="1".*</testsuites>\n$`,
		"html":   `(?s)^<!DOCTYPE html>.*<strong>race</strong>.*</html>\n$`,
	} {
		got := tool(t, t.TempDir(), "", "report", "-format", form, records)
		if got.code != exitRace || got.stderr != "" || !regexp.MustCompile(want).MatchString(got.stdout) {
			t.Errorf("%s: got code %d, stderr %q, stdout %s", form, got.code, got.stderr, got.stdout)
		}
		dir := t.TempDir()
		got = tool(t, dir, "", "report", "-format", form+"=out", records)
		data, err := os.ReadFile(filepath.Join(dir, "out"))
		if got.code != exitRace || err != nil || !regexp.MustCompile(want).Match(data) || !strings.HasPrefix(got.stdout, "race 1 of 1: ") {
			t.Errorf("%s=out: got %+v, file %s, %v", form, got, data, err)
		}
	}
	if len(formats) != 6 {
		t.Errorf("there are %d forms, and 6 are tested", len(formats))
	}
}

// twoRaces is withRace and a second one.
func twoRaces(b *recordtest.Builder) {
	withRace(b)
	b.Stack(2, record.Frame{Func: "main.other", File: "/gone/other.go", Line: 5})
	b.Race(record.Race{Count: 1, Addr: 128, First: record.Access{Task: 1, Op: record.OpWrite, Stack: 2, Index: 2},
		Second: record.Access{Task: 2, Op: record.OpRead, Stack: 2}})
}

func TestBaseline(t *testing.T) {
	dir := t.TempDir()
	one, two, none, failed := recorded(t, 0, withRace), recorded(t, 0, twoRaces), recorded(t, 0, nil), recorded(t, 7, withRace)
	reasons := recorded(t, 0, func(b *recordtest.Builder) {
		withRace(b)
		b.Reason(record.Reason{Count: 1, Code: record.ReasonSelect, Stack: 1})
	})
	if got := tool(t, dir, "", "report", "-baseline", "races.txt", "-update-baseline", one); got.code != exitOK ||
		!strings.Contains(got.stdout, "verdict: race: 1 racing pair of source lines, known\n") {
		t.Fatalf("update: got %+v, want code 0 and the race as known", got)
	}
	list, err := os.ReadFile(filepath.Join(dir, "races.txt"))
	if err != nil || strings.Count(string(list), "main.main (main.go)") != 2 {
		t.Fatalf("list: got %s, %v", list, err)
	}
	for _, tt := range []struct {
		name, records string
		flags         []string
		code          int
		want          string
	}{
		{"known", one, nil, exitOK, "verdict: race: 1 racing pair of source lines, known\n"},
		{"known and strict", one, []string{"-strict"}, exitOK, "known: "},
		{"one is new", two, nil, exitRace, "verdict: race: 2 racing pairs of source lines, 1 known and 1 new\n"},
		{"stale", none, nil, exitOK, "in races.txt, but not seen in this run:\n"},
		{"known, and the program failed", failed, nil, exitProgram, "program: failed with exit code 7\n"},
		{"known, with a reason", reasons, nil, exitOK, "  select: "},
		{"known, with a reason, strict", reasons, []string{"-strict"}, exitStrict, "  select: "},
	} {
		got := tool(t, dir, "", append(append([]string{"report", "-baseline", "races.txt"}, tt.flags...), tt.records)...)
		if got.code != tt.code || !strings.Contains(got.stdout, tt.want) || got.stderr != "" {
			t.Errorf("%s: got %+v, want code %d and %q", tt.name, got, tt.code, tt.want)
		}
	}
	if again, err := os.ReadFile(filepath.Join(dir, "races.txt")); err != nil || !bytes.Equal(again, list) {
		t.Error("comparing changed the list")
	}

	got := tool(t, dir, "", "report", "-baseline", "races.txt", "-format", "json", two)
	var r race.Report
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || r.Baseline.Known != 1 || r.Races[0].Known == r.Races[1].Known {
		t.Errorf("json: got %+v, %v", r, err)
	}
	if got := tool(t, dir, "", "report", "-baseline", "/nowhere/x", "-update-baseline", one); got.code != exitRace || !strings.Contains(got.stderr, "baseline /nowhere/x cannot be written") ||
		!strings.Contains(got.stdout, "race 1 of 1") {
		t.Errorf("list that cannot be written: got %+v, want the race as new all the same", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); left != nil {
		t.Errorf("left: %v", left)
	}
}

func TestRepository(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "")
	dir := t.TempDir()
	inner := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := repository(inner); got != inner {
		t.Errorf("no repository: got %s, want %s", got, inner)
	}
	// A worktree has a file of that name.
	if err := os.WriteFile(filepath.Join(dir, ".git"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := repository(inner); got != dir {
		t.Errorf("got %s, want %s", got, dir)
	}
	t.Setenv("GITHUB_WORKSPACE", filepath.Join(dir, "a")+"/")
	if got := repository(inner); got != filepath.Join(dir, "a") {
		t.Errorf("with a workspace: got %s, want it", got)
	}
	t.Setenv("GITHUB_WORKSPACE", "/elsewhere")
	if got := repository(inner); got != dir {
		t.Errorf("with a workspace elsewhere: got %s, want %s", got, dir)
	}
}

// On a terminal the same text has colours, unless the environment is against it.
func TestColour(t *testing.T) {
	records := recorded(t, 0, withRace)
	plain := tool(t, ".", "", "report", records).stdout
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	if escape.MatchString(plain) {
		t.Fatal("colour without a terminal")
	}
	for _, tt := range []struct {
		env    string
		colour bool
	}{{"TERM=xterm", true}, {"NO_COLOR=", true}, {"NO_COLOR=1", false}, {"TERM=dumb", false}} {
		got := onTerminal(t, append(os.Environ(), "NO_COLOR=", "TERM=xterm", tt.env), "report", records)
		if escape.MatchString(got) != tt.colour || escape.ReplaceAllString(got, "") != plain {
			t.Errorf("%s: got %q, want colour: %t", tt.env, got, tt.colour)
		}
	}
}

// onTerminal is what the tool shows on a terminal, which adds carriage returns.
func onTerminal(t *testing.T, env []string, args ...string) string {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	shown := make(chan string)
	go func() {
		all, _ := io.ReadAll(master) // ends with an error when the last user of the other end has closed it
		shown <- string(all)
	}()
	cmd := exec.Command(detraceBinary, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, slave, slave
	cmd.Run() // the exit code is that of the verdict
	slave.Close()
	select {
	case all := <-shown:
		return strings.ReplaceAll(all, "\r\n", "\n")
	case <-time.After(10 * time.Second):
		t.Fatal("the terminal does not close")
		return ""
	}
}
