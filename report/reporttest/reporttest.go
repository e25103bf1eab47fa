// Package reporttest gives the tests of output formats their reports: those that
// package report's own tests render, and some that are made to break a format.
package reporttest

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/internal/golden"
	"github.com/detrace/detrace/race"
)

// Case is a report and its name.
type Case struct {
	Name   string
	Report *race.Report
	// Golden says that each format has a golden file of it. The others are there to
	// hold formats to their own rules.
	Golden bool
}

var goldens = []string{"determinate", "nested", "reasons", "killed", "known", "tests"}

// Root is the directory of the sources that the reports name, from a test in a
// directory beside this one.
func Root(t testing.TB) string {
	dir, err := filepath.Abs("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Cases are the reports, each fresh.
func Cases(t testing.TB) []Case {
	files, err := filepath.Glob(filepath.Join(Root(t), "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no reports: %v", err)
	}
	cases := []Case{{Name: "known", Report: known(t)}, {Name: "all_known", Report: allKnown(t)}, {Name: "hostile", Report: Hostile(t)}}
	for _, file := range files {
		cases = append(cases, Case{Name: strings.TrimSuffix(filepath.Base(file), ".json"), Report: read(t, file)})
	}
	for i := range cases {
		cases[i].Golden = slices.Contains(goldens, cases[i].Name)
	}
	return cases
}

// Find is the report with that name.
func Find(t testing.TB, name string) *race.Report {
	t.Helper()
	cases := Cases(t)
	i := slices.IndexFunc(cases, func(c Case) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no report %s", name)
	}
	return cases[i].Report
}

// read reads a report with the names of its source files made absolute, as those
// of real reports are.
func read(t testing.TB, file string) *race.Report {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(`"testdata/`), []byte(`"`+Root(t)+`/`))
	r, err := race.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

// known is a report with a new race and two that are on the baseline.
func known(t testing.TB) *race.Report {
	r := read(t, filepath.Join(Root(t), "everything_and_failed.json"))
	r.Races[0].Known, r.Races[2].Known = true, true
	r.Baseline = &race.Baseline{File: "races.txt", Known: 2, Stale: []race.Stale{{Fingerprint: "00000000000000aa", Comment: "write-read on gone: main.f (main.go) and main.g (main.go)"}}}
	r.Uninstrumented = []string{"example.com/asm", "internal/abi", "runtime"}
	r.Warnings = []race.Warning{{Pos: race.Pos{File: Root(t) + "/app/main.go", Line: 3}, Detail: "//detrace:ignore gives no reason: write it behind, on the same line"}}
	return r
}

func allKnown(t testing.TB) *race.Report {
	r := read(t, filepath.Join(Root(t), "siblings.json"))
	r.Races[0].Known = true
	r.Baseline = &race.Baseline{File: "races.txt", Known: 1}
	return r
}

// Marker is in every name of [Hostile], behind the characters that mean something
// to some format.
const Marker = "owned"

// Hostile is a report with names and paths that try to leave their place, with
// frames and chains that are missing, and deeper than a page is high.
func Hostile(t testing.TB) *race.Report {
	r := read(t, filepath.Join(Root(t), "everything_and_failed.json"))
	const evil = "\"'><script>" + Marker + "</script>]]>&amp;{{.}}{0}](http://example.com/) %0A\n::error::" + Marker + "\r\x00\x1b[31m\xff\u202e`${x}` --><!--"
	first := &r.Races[0]
	first.Location.Name, first.Location.Alloc = evil, &race.Alloc{Kind: "global", Name: evil}
	first.First.Expr, first.First.Action = evil, evil
	first.First.Pos = race.Pos{File: Root(t) + "/a b/ü#?%41<" + Marker + ">,:\".go", Line: 7}
	first.First.Stack = []race.Frame{{Func: evil, File: first.First.Pos.File, Line: 7}, {Func: "javascript:" + Marker, File: "javascript:" + Marker}}
	first.First.Column = 1000
	first.Second.Pos = race.Pos{File: "/elsewhere/x:y,z%.go", Line: 0}
	first.Second.Stack = nil
	first.Fingerprint = evil
	first.MissingJoin.Text = evil
	first.Parted.First.Func = evil
	first.First.Task.Test, first.Tests = evil, []race.TestName{{Package: evil, Name: evil}}
	r.Tests = []race.Test{{Package: evil, Name: evil, Outcome: race.Pass, Verdict: race.Racy, Races: []string{evil}, Left: []race.Frame{{Func: evil, File: evil}}}}

	deep := &r.Races[1]
	for i := range 200 {
		step := race.Frame{Func: "main.deep", File: Root(t) + "/app/main.go", Line: 30 + i%3}
		deep.First.Task.Spawn = append(deep.First.Task.Spawn, step)
		deep.First.Stack = append(deep.First.Stack, step)
	}
	lost := &r.Races[2]
	lost.First.Pos, lost.First.Stack, lost.First.Task = race.Pos{}, nil, race.Task{ID: 99}
	lost.Second.Pos, lost.Second.Stack, lost.Second.Task = race.Pos{}, nil, race.Task{ID: 98}
	lost.Parted, lost.MissingJoin = nil, nil

	r.Reasons[0].Code, r.Reasons[0].Detail = "unknown-77", evil
	r.Reasons[1].Pos = race.Pos{}
	r.Uninstrumented = []string{evil}
	r.Warnings = []race.Warning{{Pos: race.Pos{File: evil, Line: 1}, Detail: evil}}
	r.Stats.Engine = evil
	r.Program = &race.Program{ExitCode: -1, Signal: evil}
	r.Baseline = &race.Baseline{File: evil, Stale: []race.Stale{{Fingerprint: evil, Comment: evil}}}
	return r
}

// Golden compares what was rendered with testdata/name of the test's package, in
// which /src stands for [Root].
func Golden(t testing.TB, name string, got []byte) {
	t.Helper()
	got = bytes.ReplaceAll(got, []byte(Root(t)), []byte("/src"))
	golden.Check(t, filepath.Join("testdata", name), got)
}
