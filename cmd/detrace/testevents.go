package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// testEvents turns what a test binary prints into the events of go test -json, by the
// installation's own test2json, and holds them until the races are known.
type testEvents struct {
	io.WriteCloser // the output
	cmd            *exec.Cmd
	events, errors bytes.Buffer
}

// startEvents begins the events of a package. goroot is that of its build, empty for
// the go command on PATH.
func startEvents(pkg, goroot string) (*testEvents, error) {
	command := "go"
	if goroot != "" {
		command = filepath.Join(goroot, "bin", "go")
	}
	e := &testEvents{cmd: exec.Command(command, "tool", "test2json", "-t", "-p", pkg)}
	if goroot != "" {
		e.cmd.Env = append(os.Environ(), "GOROOT="+goroot, "GOTOOLCHAIN=local")
	}
	e.cmd.Stdout, e.cmd.Stderr = &e.events, &e.errors
	var err error
	if e.WriteCloser, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return e, e.cmd.Start()
}

// finish writes the events to w. Tests that have new races in r, which may be nil, fail.
func (e *testEvents) finish(w io.Writer, r *race.Report, dir string) error {
	e.Close()
	if err := e.cmd.Wait(); err != nil {
		return fmt.Errorf("go tool test2json: %w %s", err, strings.TrimSpace(e.errors.String()))
	}
	for line := range bytes.Lines(e.events.Bytes()) {
		if _, err := w.Write(judgeEvent(line, r, dir)); err != nil {
			return err
		}
	}
	return nil
}

// testEvent is an event as test2json writes it.
type testEvent struct {
	Time    string `json:",omitempty"`
	Action  string
	Package string `json:",omitempty"`
	Test    string `json:",omitempty"`
	Output  string `json:",omitempty"`
}

// judgeEvent is the line of an event. The end of a test with new races becomes a
// failure, with their text before it, and that of the package.
func judgeEvent(line []byte, r *race.Report, dir string) []byte {
	var e testEvent
	if err := json.Unmarshal(line, &e); err != nil || r == nil || !slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
		return line
	}
	fail := func() []byte {
		return bytes.Replace(line, []byte(`"Action":"`+e.Action+`"`), []byte(`"Action":"fail"`), 1)
	}
	if e.Test == "" && r.New() > 0 {
		return fail()
	}
	i := slices.IndexFunc(r.Tests, func(t race.Test) bool { return t.Name == e.Test })
	if i < 0 {
		return line
	}
	var out bytes.Buffer
	raced, n := false, 0
	for k := range r.Races {
		found := &r.Races[k]
		if found.Known {
			continue
		}
		n++
		if !slices.Contains(r.Tests[i].Races, found.Fingerprint) {
			continue
		}
		raced = true
		if !slices.Contains(found.Tests, r.Tests[i].ID()) {
			continue
		}
		for text := range strings.Lines(report.RaceText(found, n, r.New(), dir)) {
			event, err := json.Marshal(testEvent{e.Time, "output", e.Package, e.Test, text})
			if err != nil {
				return line
			}
			out.Write(append(event, '\n'))
		}
	}
	if raced {
		line = fail()
	}
	out.Write(line)
	return out.Bytes()
}
