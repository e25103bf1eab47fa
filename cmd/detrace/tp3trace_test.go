package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/detrace/detrace/detect/structured"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/tp3"
)

// The run of a TP3 program under DRDP, as a trace, is judged by the drdp engine and by
// the oracle as the language's own clocks judge it.
func TestTP3Traces(t *testing.T) {
	programs, err := filepath.Glob("../../examples/tp3/*.tp3")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../testdata/tp3/*.tp3")
	if err != nil || len(programs) == 0 || len(more) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	judged, racy := 0, 0
	for _, path := range append(programs, more...) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := tp3.Parse(path, string(src))
		if err != nil {
			t.Fatal(err)
		}
		var out *tp3.Outcome
		var trace bytes.Buffer
		if err := writeTP3Trace(&trace, func(s tp3.Sink) (err error) {
			out, err = prog.Run(context.Background(), tp3.Limits{RunSteps: 300}, s)
			return err
		}); err != nil {
			t.Logf("%s: %v", path, err) // it runs for ever
			continue
		}
		judged++
		if len(out.Races) > 0 {
			racy++
		}
		serial := "drdp"
		if len(out.Blocked) > 0 || out.Failure != nil {
			serial = "jointree"
		}
		for _, engine := range []string{serial, structured.Auto, structured.Oracle} {
			if got := replayTrace(t, engine, trace.Bytes()); got != (len(out.Races) > 0) {
				t.Errorf("%s under %s: racy %v, the language says %d races\n%s", path, engine, got, len(out.Races), trace.Bytes())
			}
		}
	}
	if racy == 0 || racy == judged {
		t.Errorf("%d of %d programs race", racy, judged)
	}
}

// replayTrace reports whether a trace races under an engine.
func replayTrace(t *testing.T, engine string, trace []byte) (racy bool) {
	t.Helper()
	r, err := event.NewReader("trace", bytes.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	j, err := structured.New(structured.Config{Engine: engine, Tasks: 1 << 12, Race: func(structured.Race) { racy = true }})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = j.Do(e)
		}
		if err != nil {
			t.Fatalf("%s: %v\n%s", engine, err, trace)
		}
	}
	if err := j.End(); err != nil {
		t.Fatal(err)
	}
	return racy
}
