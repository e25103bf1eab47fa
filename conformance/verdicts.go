// Package conformance holds the native detector to the behaviour of Go's own
// race detector: to the verdicts of the race tests in the GOROOT in use, to
// silence on the tests of the standard library, and to getting those verdicts
// wrong as soon as one hook is simplified.
//
// Everything is compiled from the sources of the Go installation, unmodified;
// nothing of them is kept here. The tests take flags (go test ./conformance -args):
//
//	-goversion go1.25.4   another toolchain, from the module system
//	-packages all         every package of the list, not the quick ones only
//	-mutations all        every mutation, each of which rebuilds the standard
//	                      library; or a list of names, or "none"
//
// A mutation is a textual change to the sources linked into judged programs. It
// must break the race tests where the hook it changes matters, so a mutation
// that nobody notices means that the race tests are not a safeguard there. No
// switch for it exists in the sources themselves.
package conformance

import (
	"bufio"
	"io"
	"slices"
	"strings"
)

// Verdicts is what one verbose run of Go's race tests says about a detector. The
// tests are those called TestRace… and TestNoRace…, whose names are the truth.
type Verdicts struct {
	Right          []string // judged as named
	FalsePositives []string // a race was reported in TestNoRace…
	FalseNegatives []string // none was reported in TestRace…
	Skipped        []string // by the tests themselves
}

// Perfect reports whether no verdict is wrong. It says nothing about tests that
// did not run; see [Verdicts.Judged].
func (v *Verdicts) Perfect() bool { return len(v.FalsePositives)+len(v.FalseNegatives) == 0 }

// Judged is the number of tests that were run or skipped.
func (v *Verdicts) Judged() int {
	return len(v.names())
}

// names are the tests that were run or skipped.
func (v *Verdicts) names() []string {
	return slices.Concat(v.Right, v.FalsePositives, v.FalseNegatives, v.Skipped)
}

// merge adds what another run found of other tests.
func (v *Verdicts) merge(w *Verdicts) {
	v.Right = append(v.Right, w.Right...)
	v.FalsePositives = append(v.FalsePositives, w.FalsePositives...)
	v.FalseNegatives = append(v.FalseNegatives, w.FalseNegatives...)
	v.Skipped = append(v.Skipped, w.Skipped...)
}

// markers are the words that say, in the output of a test, that it is racy.
var markers = []string{"detrace: race at", "fatal error: concurrent map"}

// Judge reads the output of a test binary under -test.v, its standard error
// included: a test is racy if a report stands between its "=== RUN" line and
// the next. Reports in a subtest count for its parent. The error is that of
// output.
func Judge(output io.Reader) (*Verdicts, error) {
	v := &Verdicts{}
	test, racy, skipped := "", false, false
	next := func(name string) {
		if name == test {
			return
		}
		v.add(test, racy, skipped)
		test, racy, skipped = name, false, false
	}
	r := bufio.NewReader(output)
	for {
		// Reports and the program's own output may come together on one line.
		line, err := r.ReadString('\n')
		if _, name, ok := strings.Cut(line, "=== RUN "); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), "/")
			next(name)
		}
		for _, m := range markers {
			racy = racy || strings.Contains(line, m)
		}
		skipped = skipped || strings.Contains(line, "--- SKIP: "+test+" ")
		if err == io.EOF {
			next("")
			return v, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (v *Verdicts) add(test string, racy, skipped bool) {
	wantRace, wantNone := strings.HasPrefix(test, "TestRace"), strings.HasPrefix(test, "TestNoRace")
	switch {
	case !wantRace && !wantNone:
	case skipped:
		v.Skipped = append(v.Skipped, test)
	case racy == wantRace:
		v.Right = append(v.Right, test)
	case racy:
		v.FalsePositives = append(v.FalsePositives, test)
	default:
		v.FalseNegatives = append(v.FalseNegatives, test)
	}
}
