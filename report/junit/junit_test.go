package junit

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report/reporttest"
)

func render(t *testing.T, o Options, suites ...Suite) []byte {
	t.Helper()
	o.Root = reporttest.Root(t)
	var out bytes.Buffer
	if err := Write(&out, suites, o); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	for _, c := range reporttest.Cases(t) {
		got := render(t, Options{}, Suite{"example.com/app", c.Report})
		if err := wellFormed(got); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if c.Golden {
			reporttest.Golden(t, c.Name+".xml", got)
		}
	}
}

// wellFormed reads the file to its end.
func wellFormed(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = true
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func decode(t *testing.T, text []byte) testSuites {
	t.Helper()
	var s testSuites
	if err := xml.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCounts(t *testing.T) {
	for _, tt := range []struct {
		name                             string
		strict                           bool
		tests, failures, errors, skipped int
	}{
		{"determinate", false, 1, 0, 0, 0},
		{"determinate", true, 1, 0, 0, 0},
		{"nested", false, 1, 1, 0, 0},
		{"reasons", false, 4, 0, 0, 4},
		{"reasons", true, 4, 4, 0, 0},
		{"everything_and_failed", false, 8, 3, 1, 4},
		{"known", false, 8, 1, 1, 6},
		{"all_known", false, 1, 0, 0, 1},
		{"killed", false, 2, 0, 1, 1},
		// The racing tests and their parent fail; the lock is on its own.
		{"tests", false, 8, 3, 1, 1},
	} {
		got := decode(t, render(t, Options{Strict: tt.strict}, Suite{tt.name, reporttest.Find(t, tt.name)}))
		s := got.Suites[0]
		if s.Tests != tt.tests || s.Failures != tt.failures || s.Errors != tt.errors || s.Skipped != tt.skipped || len(s.Cases) != tt.tests {
			t.Errorf("%s, strict %t: got %d tests, %d failures, %d errors, %d skipped, want %+v", tt.name, tt.strict, s.Tests, s.Failures, s.Errors, s.Skipped, tt)
		}
	}
}

func TestSuitesAddUp(t *testing.T) {
	got := decode(t, render(t, Options{}, Suite{"one", reporttest.Find(t, "nested")}, Suite{"two", reporttest.Find(t, "reasons")}))
	if got.Tests != 5 || got.Failures != 1 || got.Skipped != 4 || got.Time != "3.000" || len(got.Suites) != 2 || got.Suites[1].Cases[0].Class != "two" {
		t.Errorf("got %+v", got)
	}
}

// Hostile names stay text: each race is one test case with its whole text.
func TestHostileNames(t *testing.T) {
	r := reporttest.Hostile(t)
	text := render(t, Options{}, Suite{"]]><x y='\"", r})
	got := decode(t, text)
	failures := 0
	for _, c := range got.Suites[0].Cases {
		if c.Failure != nil {
			failures++
			if !strings.HasPrefix(c.Failure.Text, "race ") || !strings.Contains(c.Failure.Text, "fingerprint: ") {
				t.Errorf("got %q, want the race's text", c.Failure.Text)
			}
		}
	}
	if failures != len(r.Races) || bytes.Contains(text, []byte("<script")) || bytes.ContainsAny(text, "\x00\x1b") {
		t.Errorf("%d failures, want %d; text:\n%s", failures, len(r.Races), text)
	}
	if got.Suites[0].Name != "]]><x y='\"" {
		t.Errorf("name: got %q", got.Suites[0].Name)
	}
}

func ExampleWrite() {
	r := &race.Report{Version: race.Version, Verdict: race.Determinate, Stats: race.Stats{Engine: "jointree", Seconds: 0.25}}
	if err := Write(os.Stdout, []Suite{{"example.com/app", r}}, Options{Root: "/"}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <testsuites tests="1" failures="0" errors="0" skipped="0" time="0.250">
	//   <testsuite name="example.com/app" tests="1" failures="0" errors="0" skipped="0" time="0.250">
	//     <properties>
	//       <property name="verdict" value="determinate"></property>
	//       <property name="engine" value="jointree"></property>
	//       <property name="not observed" value=""></property>
	//     </properties>
	//     <testcase name="determinate" classname="example.com/app"></testcase>
	//   </testsuite>
	// </testsuites>
}
