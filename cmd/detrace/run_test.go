package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/detrace/detrace/instrument"
	"github.com/detrace/detrace/race"
)

// script is a program that stands in for a judged one.
func script(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestJudge(t *testing.T) {
	clean, racy := recorded(t, 0, nil), recorded(t, -1, withRace)
	unfinished := recorded(t, -1, nil)
	for _, tt := range []struct {
		name, text string
		want       race.Verdict
		program    race.Program
		err        string
	}{
		{"clean", "cp " + clean + " $DETRACE_RECORDS", race.Determinate, race.Program{}, ""},
		{"exit code", "cp " + clean + " $DETRACE_RECORDS; exit 3", race.Determinate, race.Program{ExitCode: 3}, ""},
		{"killed", "cp " + unfinished + " $DETRACE_RECORDS; kill -KILL $$", race.NotCertified, race.Program{ExitCode: -1, Signal: "SIGKILL"}, ""},
		{"killed after its records were complete", "cp " + clean + " $DETRACE_RECORDS; kill -SEGV $$", race.NotCertified, race.Program{ExitCode: -1, Signal: "SIGSEGV"}, ""},
		{"killed after a race", "cp " + racy + " $DETRACE_RECORDS; kill -KILL $$", race.Racy, race.Program{ExitCode: -1, Signal: "SIGKILL"}, ""},
		{"no records", "exit 5", "", race.Program{}, "ended (exit code 5) before its detector"},
		{"records never initialised", "head -c 8192 /dev/zero > $DETRACE_RECORDS; kill -KILL $$", "", race.Program{}, "killed by SIGKILL before its detector"},
		{"arguments and quiet", `cp ` + clean + ` $DETRACE_RECORDS; test "$DETRACE_QUIET$1$2$#" = "1a b2"`, race.Determinate, race.Program{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			flags := runFlags{}
			r, err := flags.judge(script(t, tt.text), []string{"a ", "b"}, filepath.Join(t.TempDir(), "records"), &instrument.Result{})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %v, want error with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != tt.want || *r.Program != tt.program {
				t.Errorf("got %s, %+v, want %s, %+v", r.Verdict, *r.Program, tt.want, tt.program)
			}
		})
	}
}

func TestObservedEdgesCertifyNothing(t *testing.T) {
	clean := recorded(t, 0, nil)
	flags := runFlags{edges: "observed"}
	text := "cp " + clean + " $DETRACE_RECORDS; test $DETRACE_EDGES = observed"
	r, err := flags.judge(script(t, text), nil, filepath.Join(t.TempDir(), "records"), &instrument.Result{})
	if err != nil || r.Verdict != race.NotCertified || r.Program.ExitCode != 0 {
		t.Errorf("got %+v, %v, want not-certified", r, err)
	}
}

// What the caller's environment says to judged programs does not reach this one.
func TestEnvironmentDoesNotChangeTheJudgement(t *testing.T) {
	t.Setenv("DETRACE_EDGES", "observed")
	flags := runFlags{}
	text := "cp " + recorded(t, 0, nil) + ` $DETRACE_RECORDS; test -z "$DETRACE_EDGES"`
	r, err := flags.judge(script(t, text), nil, filepath.Join(t.TempDir(), "records"), &instrument.Result{})
	if err != nil || r.Program.ExitCode != 0 {
		t.Errorf("got %+v, %v, want the variable gone", r, err)
	}
}

// A signal that would end detrace ends the program instead, and is reported.
func TestSignalsAreForwarded(t *testing.T) {
	for _, s := range []string{"TERM", "HUP"} {
		p, interrupted, stop, err := runProgram(exec.Command(script(t, "trap 'exit 9' "+s+"; kill -"+s+" $PPID; sleep 5 & wait")))
		stop()
		if err != nil || p.ExitCode != 9 || !interrupted {
			t.Errorf("%s: got %+v, %v, want exit code 9", s, p, err)
		}
	}
}

// An interrupt that the program would not see by itself is passed on too: this
// test is in no terminal's foreground.
func TestInterruptOutsideTerminal(t *testing.T) {
	if inForeground() {
		t.Skip("this test was started from a terminal, whose interrupts reach the program by themselves")
	}
	p, _, stop, err := runProgram(exec.Command(script(t, "kill -INT $PPID; exec sleep 5")))
	stop()
	if err != nil || p.Signal != "SIGINT" {
		t.Errorf("got %+v, %v, want SIGINT", p, err)
	}
}

func TestProgramName(t *testing.T) {
	for pattern, want := range map[string]string{
		"./cmd/app": "app", "main.go": "main", "example.com/x/tool": "tool", "/": "program", "./records": "program",
	} {
		if got := programName([]string{pattern}); got != want {
			t.Errorf("%s: got %s, want %s", pattern, got, want)
		}
	}
	if got := programName(nil); got != "detrace" {
		t.Errorf("current directory: got %s, want detrace", got)
	}
}

// A package that does not build: the compiler's words, one line, exit code 1.
func TestBuildFailure(t *testing.T) {
	dir := module(t, map[string]string{"main.go": "package main\n\nfunc main() { undefined() }\n"})
	for _, args := range [][]string{{"run", "."}, {"build", "-o", "x", "."}, {"run", "-C", dir, "."}, {"run", "./nowhere"}} {
		got := tool(t, dir, "", args...)
		if got.code != exitError || got.stdout != "" || !strings.Contains(got.stderr, "detrace "+args[0]+": ") || got.temp != nil {
			t.Errorf("%v: got %+v", args, got)
		}
	}
	if got := tool(t, dir, "", "run", "."); !strings.Contains(got.stderr, "undefined: undefined") {
		t.Errorf("got %q, want the compiler's message in it", got.stderr)
	}
}

func module(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	files["go.mod"] = "module example.com/app\n\ngo 1.25\n"
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const racyProgram = `package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

type stats struct{ name string; count int }

var total int

func main() {
	in, _ := io.ReadAll(os.Stdin)
	fmt.Println(strings.ToUpper(string(in)), os.Args[1:], os.Getenv("DETRACE_RECORDS"))
	s := &stats{}
	var wg sync.WaitGroup
	wg.Go(func() { s.count++ })
	s.count = 2
	wg.Wait()
	done := make(chan bool)
	go func() {
		total += 2
		close(done)
	}()
	fmt.Fprintln(os.Stderr, total)
	<-done
	if len(os.Args) > 1 {
		os.Exit(7)
	}
}
`

// The whole way, with a program whose races every schedule has.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library with instrumentation")
	}
	dir := module(t, map[string]string{"main.go": racyProgram})
	got := tool(t, dir, "hello", "run", "-format", "json=out.json", ".", "--", "a", "-b")
	if got.code != exitRace || got.temp != nil {
		t.Errorf("got code %d, left %v, want code %d\n%s", got.code, got.temp, exitRace, got.stderr)
	}
	if want := "HELLO [a -b] \n"; got.stdout != want {
		t.Errorf("stdout: got %q, want %q", got.stdout, want)
	}
	data, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r race.Report
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Races) != 2 || r.Races[0].Location.Name != "s.count" || r.Races[1].Location.Name != "total" || r.Program.ExitCode != 7 {
		t.Errorf("got %s, want races on s.count and total, and exit code 7", data)
	}
	for _, a := range r.Races {
		if a.Parted == nil || a.MissingJoin == nil || len(a.First.Stack) == 0 || len(a.Second.Stack) == 0 {
			t.Errorf("incomplete: %+v", a)
		}
	}
	for _, text := range []string{"of s.count at main.go:20", "main.main  main.go:21", "fingerprint: "} {
		if !strings.Contains(got.stderr, text) {
			t.Errorf("no %q in %s", text, got.stderr)
		}
	}
}

// Killing detrace's whole business with SIGTERM still reports what was found
// and leaves nothing behind.
func TestRunTerminated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library with instrumentation")
	}
	text := strings.Replace(racyProgram, "if len(os.Args) > 1 {", "fmt.Println(\"waiting\")\n\ttime.Sleep(time.Hour)\n\tif true {", 1)
	text = strings.Replace(text, "\"sync\"", "\"sync\"\n\t\"time\"", 1)
	dir, temp := module(t, map[string]string{"main.go": text}), t.TempDir()
	cmd := exec.Command(detraceBinary, "run", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for seen := ""; !strings.Contains(seen, "waiting"); {
		n, err := out.Read(buf)
		if err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		seen += string(buf[:n])
	}
	cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	defer timer.Stop()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitRace || !strings.Contains(stderr.String(), "killed by SIGTERM") {
		t.Errorf("got code %d, want %d and the signal's name\n%s", code, exitRace, stderr.String())
	}
	if left, _ := filepath.Glob(filepath.Join(temp, "*")); left != nil {
		t.Errorf("left %v", left)
	}
}
