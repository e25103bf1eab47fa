package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/race"
)

func TestTestArgs(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args, want, err string
		timeout         time.Duration
		verbose         bool
	}{
		{"", "-test.timeout=10m0s -test.paniconexit0", "", 10 * time.Minute, false},
		{"-v -run=X -count 3", "-test.timeout=10m0s -test.paniconexit0 -test.v=true -test.run=X -test.count=3", "", 10 * time.Minute, true},
		{"-v=false --short -timeout 0", "-test.paniconexit0 -test.v=false -test.short=true -test.timeout=0", "", 0, false},
		{"-test.run X -timeout=1m30s", "-test.paniconexit0 -test.run=X -test.timeout=1m30s", "", 90 * time.Second, false},
		{"-bench . -cpuprofile cpu.out", "-test.outputdir=" + dir + " -test.timeout=10m0s -test.paniconexit0 -test.bench=. -test.cpuprofile=cpu.out", "", 10 * time.Minute, true},
		// Flags of the package's own, and what is behind -args, stay as they are.
		{"-update -size 3 -short -args -v x", "-test.timeout=10m0s -test.paniconexit0 -update -size 3 -test.short=true -v x", "", 10 * time.Minute, false},
		{"-skip", "", "the value of -skip is missing", 0, false},
		{"-timeout never", "", "-timeout never is no duration", 0, false},
		{"-race", "", "-race cannot be combined with detrace test: detrace takes its place", 0, false},
		{"-fuzz=X", "", "the seeds are judged", 0, false},
		{"-json", "", "goes before --", 0, false},
	} {
		got, err := parseTestArgs(strings.Fields(tt.args))
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %v, want %q", tt.args, err, tt.err)
		}
		if err != nil {
			continue
		}
		// What detrace adds comes first, in any order.
		want := strings.Fields(tt.want)
		if slices.Sort(want); got.timeout != tt.timeout || got.verbose != tt.verbose || !slices.Equal(slices.Sorted(slices.Values(got.binary)), want) {
			t.Errorf("%s: got %+v", tt.args, got)
		}
		if rest := strings.Fields(tt.args); len(rest) > 0 && tt.err == "" && strings.Contains(tt.args, "-args") && !slices.Equal(got.binary[len(got.binary)-2:], []string{"-v", "x"}) {
			t.Errorf("%s: got %q", tt.args, got.binary)
		}
	}
}

// The events of a test with a new race fail, with its text; others stay as they are.
func TestJudgeEvent(t *testing.T) {
	r := testedReport()
	for _, tt := range []struct{ line, want string }{
		{`{"Action":"pass","Package":"p","Test":"TestRacy/sub","Elapsed":0}`, `{"Action":"fail","Package":"p","Test":"TestRacy/sub","Elapsed":0}`},
		{`{"Action":"pass","Package":"p","Test":"TestRacy","Elapsed":0}`, `{"Action":"fail","Package":"p","Test":"TestRacy","Elapsed":0}`},
		{`{"Action":"pass","Package":"p","Test":"TestKnown","Elapsed":0}`, `{"Action":"pass","Package":"p","Test":"TestKnown","Elapsed":0}`},
		{`{"Action":"output","Package":"p","Test":"TestRacy","Output":"\"Action\":\"pass\""}`, `{"Action":"output","Package":"p","Test":"TestRacy","Output":"\"Action\":\"pass\""}`},
		{`{"Action":"pass","Package":"p","Elapsed":0}`, `{"Action":"fail","Package":"p","Elapsed":0}`},
		{`no event`, `no event`},
	} {
		got := strings.Split(strings.TrimSpace(string(judgeEvent([]byte(tt.line+"\n"), r, "/"))), "\n")
		if got[len(got)-1] != tt.want {
			t.Errorf("%s: got %s, want %s", tt.line, got[len(got)-1], tt.want)
		}
		// The text stands with the test itself, not with those it is a subtest of.
		if hasText := len(got) > 1; hasText != strings.Contains(tt.line, "TestRacy/sub") {
			t.Errorf("%s: got %q", tt.line, got)
		}
	}
}

func testedReport() *race.Report {
	return &race.Report{
		Races: []race.Race{
			{Fingerprint: "1", Kind: race.WriteWrite, Tests: []race.TestName{{Package: "p", Name: "TestRacy/sub"}}},
			{Fingerprint: "2", Kind: race.WriteWrite, Known: true, Tests: []race.TestName{{Package: "p", Name: "TestKnown"}}},
		},
		Baseline: &race.Baseline{File: "known", Known: 1},
		Tests: []race.Test{
			{Package: "p", Name: "TestRacy", Verdict: race.Racy, Races: []string{"1"}},
			{Package: "p", Name: "TestRacy/sub", Verdict: race.Racy, Races: []string{"1"}},
			{Package: "p", Name: "TestKnown", Verdict: race.Racy, Races: []string{"2"}},
		},
	}
}
