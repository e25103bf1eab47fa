package structured

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach/structtest"
)

var update = flag.Bool("update", false, "write testdata/traces/want.txt anew")

const traces = "../../testdata/traces/"

// TestTraces judges the hand-written traces. want.txt has, for each, the oracle's report, the
// engines that take it and those that an automatic choice needs; or why it is refused. What the file's name says must be so.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob(traces + "*.trace")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d traces, %v", len(files), err)
	}
	var got bytes.Buffer
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".trace")
		verdict, _, _ := strings.Cut(name, "_")
		fmt.Fprintf(&got, "== %s\n", name)
		p, err := read(file)
		var impossible *event.Error
		if err == nil {
			err = finished(p)
		}
		switch {
		case errors.As(err, &impossible):
			fmt.Fprintf(&got, "refused: %v\n", err)
		case err != nil:
			fmt.Fprintf(&got, "refused: %s\n", strings.TrimPrefix(err.Error(), file+":"))
		}
		if (verdict == "refused") != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			judged(t, &got, name, verdict, p)
		}
	}
	if *update {
		if err := os.WriteFile(traces+"want.txt", got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(traces + "want.txt")
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	name := ""
	for i, line := range wantLines {
		if strings.HasPrefix(line, "== ") {
			name = line
		}
		if i >= len(gotLines) || gotLines[i] != line {
			t.Fatalf("%s\nwant %s\ngot  %s\nSee -update.", name, line, strings.Join(gotLines[min(i, len(gotLines)):min(i+1, len(gotLines))], ""))
		}
	}
	if len(gotLines) != len(wantLines) {
		t.Errorf("%d lines more than wanted", len(gotLines)-len(wantLines))
	}
}

// judged writes what the engines say of a possible trace.
func judged(t *testing.T, out *bytes.Buffer, name, verdict string, p structtest.Program) {
	want, err := run(Oracle, p)
	if name == "determinate_huge" { // too many bytes for the oracle, and no race: no pairs to be known
		want, err = run("vclock", p)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range want.races {
		fmt.Fprintf(out, "race: %d %s || %d %s at %#x, %d bytes\n", r.First.Line, r.First.Op, r.Second.Line, r.Second.Op, r.Addr, r.Size)
	}
	if (len(want.races) > 0) != (verdict == "race") {
		t.Errorf("%s: %d races", name, len(want.races))
	}
	var taken []string
	for _, engine := range Engines() {
		_, err := compare(p, engine, want)
		var refused *Refused
		if errors.As(err, &refused) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		taken = append(taken, engine)
	}
	auto, err := compare(p, Auto, want)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	fmt.Fprintf(out, "engines: %s\nauto: multibags", strings.Join(taken, " "))
	for _, s := range auto.steps {
		fmt.Fprintf(out, ", from line %d %s", s.Line, s.To)
	}
	out.WriteByte('\n')
}

func read(file string) (structtest.Program, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return structtest.Parse(file, string(text))
}

// finished says why a program is impossible.
func finished(p structtest.Program) error {
	j, err := New(Config{Engine: "vclock", Tasks: 100, Strands: 100})
	if err != nil {
		return err
	}
	defer j.Close()
	for _, e := range p {
		if err := j.Do(e); err != nil {
			return err
		}
	}
	return j.End()
}

// FuzzEngines gives traces to all engines: whoever takes one finds the same bytes.
func FuzzEngines(f *testing.F) {
	files, err := filepath.Glob(traces + "*.trace")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := structtest.Parse("t", text)
		if err != nil || len(p) > 200 {
			return
		}
		want, err := run(Oracle, p)
		if err != nil {
			want, err = run("vclock", p)
		}
		var refused *Refused
		for _, engine := range append(Engines(), Auto) {
			got, wrong := run(engine, p)
			switch {
			case wrong == nil && err != nil:
				t.Errorf("%s takes it, but %v", engine, err)
			case wrong == nil && !slices.Equal(got.racy, want.racy):
				t.Errorf("%s: racy bytes %x, want %x", engine, got.racy, want.racy)
			case err == nil && wrong != nil && !errors.As(wrong, &refused):
				t.Errorf("%s: %v", engine, wrong)
			}
		}
	})
}
