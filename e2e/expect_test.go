package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// An expectation is what a program's source says about itself. The grammar of
// its comments is that of testdata/README.md.
type expectation struct {
	file    string // the only file that may be reported
	verdict race.Verdict
	races   map[pair]bool
	ops     map[access]race.Op // of lines that say what they do
	reasons map[access]bool    // lines that may give a reason with this code
	exits   []string           // how the program itself may end
	limit   string             // why the wanted races are not seen, "" if they are
}

// A pair is the two lines of a race, the lower one first.
type pair [2]int

// access is a line of a pair and the name of the pair; for a reason, the line
// and its code.
type access struct {
	line int
	name string
}

var (
	wantComment  = regexp.MustCompile(`// want (.+)$`)
	wantItem     = regexp.MustCompile(`^(race|reason)\(([^():]+)(?:: (read|write))?\) ?`)
	exitComment  = regexp.MustCompile(`^// exit ([0-9a-z ]+)`)
	limitComment = regexp.MustCompile(`^// limit: (.+)`)
)

// parseExpectation reads the comments of one source file.
func parseExpectation(file string, verdict race.Verdict) (*expectation, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	e := &expectation{
		file: file, verdict: verdict, races: map[pair]bool{}, ops: map[access]race.Op{},
		reasons: map[access]bool{}, exits: []string{"0"},
	}
	lines := map[string][]int{} // of each named race
	for i, text := range strings.Split(string(source), "\n") {
		if m := exitComment.FindStringSubmatch(text); m != nil {
			e.exits = strings.Split(m[1], " or ")
		}
		if m := limitComment.FindStringSubmatch(text); m != nil {
			e.limit = m[1]
		}
		m := wantComment.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if err := e.parseWants(m[1], i+1, strings.HasPrefix(text, "//"), lines); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	for name, at := range lines {
		if len(at) > 2 {
			return nil, fmt.Errorf("%s: race(%s) is on %d lines, want one or two", file, name, len(at))
		}
		e.races[pair{at[0], at[len(at)-1]}] = true
	}
	if (verdict == race.Racy) != (len(e.races) > 0) {
		return nil, fmt.Errorf("%s: verdict %s with %d wanted races", file, verdict, len(e.races))
	}
	if e.limit != "" {
		e.verdict = race.Determinate
		clear(e.races)
	}
	return e, nil
}

// parseWants adds the items of one want comment.
func (e *expectation) parseWants(items string, line int, wholeLine bool, lines map[string][]int) error {
	for items != "" {
		m := wantItem.FindStringSubmatch(items)
		if m == nil {
			return fmt.Errorf("want race(NAME), race(NAME: read|write) or reason(CODE), got %q", items)
		}
		items = items[len(m[0]):]
		at := access{line, m[2]}
		if m[1] == "reason" {
			if wholeLine {
				at.line = 0 // the reason is about the run, not a place
			}
			e.reasons[at] = true
			continue
		}
		lines[m[2]] = append(lines[m[2]], line)
		if m[3] != "" {
			e.ops[at] = race.Op(m[3])
		}
	}
	return nil
}

// A difference is what one run of one program got wrong.
type difference struct {
	falsePositives []pair
	falseNegatives []pair
	other          []string
}

func (d difference) empty() bool {
	return len(d.falsePositives)+len(d.falseNegatives)+len(d.other) == 0
}

// union is what was wrong in d or in other.
func (d difference) union(other difference) difference {
	return difference{
		falsePositives: unite(d.falsePositives, other.falsePositives),
		falseNegatives: unite(d.falseNegatives, other.falseNegatives),
		other:          append(d.other, other.other...),
	}
}

func unite(a, b []pair) []pair {
	all := append(slices.Clone(a), b...)
	slices.SortFunc(all, func(x, y pair) int { return slices.Compare(x[:], y[:]) })
	return slices.Compact(all)
}

func (d difference) String() string {
	var b strings.Builder
	for _, p := range d.falsePositives {
		fmt.Fprintf(&b, "\n\tfalse positive: lines %d and %d", p[0], p[1])
	}
	for _, p := range d.falseNegatives {
		fmt.Fprintf(&b, "\n\tfalse negative: lines %d and %d", p[0], p[1])
	}
	for _, s := range d.other {
		fmt.Fprintf(&b, "\n\t%s", s)
	}
	return b.String()
}

// compare holds a report against the expectation.
func (e *expectation) compare(r *race.Report) difference {
	var d difference
	if r.Verdict != e.verdict {
		d.other = append(d.other, fmt.Sprintf("verdict %s, want %s", r.Verdict, e.verdict))
	}
	seen := map[pair]bool{}
	for _, found := range r.Races {
		p := e.pairOf(found)
		if seen[p] {
			d.other = append(d.other, fmt.Sprintf("lines %d and %d are reported twice", p[0], p[1]))
		}
		seen[p] = true
		if e.limit != "" {
			d.other = append(d.other, "is found now, remove the comment: limit: "+e.limit)
		} else if !e.races[p] {
			d.falsePositives = append(d.falsePositives, p)
			d.other = append(d.other, "it is "+describe(found))
		}
		d.other = append(d.other, e.compareRace(found)...)
	}
	for p := range e.races {
		if !seen[p] {
			d.falseNegatives = append(d.falseNegatives, p)
		}
	}
	if e.verdict == race.NotCertified || r.Verdict == race.NotCertified {
		d.other = append(d.other, e.compareReasons(r.Reasons)...)
	}
	return d
}

// pairOf is the pair of lines, 0 for a line of another file.
func (e *expectation) pairOf(r race.Race) pair {
	p := pair{e.lineOf(r.First.Pos), e.lineOf(r.Second.Pos)}
	slices.Sort(p[:])
	return p
}

func (e *expectation) lineOf(p race.Pos) int {
	if filepath.Base(p.File) != filepath.Base(e.file) {
		return 0
	}
	return p.Line
}

// compareRace checks what must hold for every race, wanted or not: what the
// access does, and that both accesses say how the program got there.
func (e *expectation) compareRace(r race.Race) (wrong []string) {
	for _, a := range []race.Access{r.First, r.Second} {
		for at, op := range e.ops {
			if at.line == e.lineOf(a.Pos) && op == race.Write != a.Op.Writes() {
				wrong = append(wrong, fmt.Sprintf("line %d is a %s, want %s", at.line, a.Op, op))
			}
		}
		if len(a.Stack) == 0 {
			wrong = append(wrong, fmt.Sprintf("line %d has no stack", a.Pos.Line))
		}
		if (a.Task.ID == 1) != (len(a.Task.Spawn) == 0) {
			wrong = append(wrong, fmt.Sprintf("line %d: task %d has %d spawns", a.Pos.Line, a.Task.ID, len(a.Task.Spawn)))
		}
		for _, s := range a.Task.Spawn {
			if s.Func == "" || s.Line == 0 {
				wrong = append(wrong, fmt.Sprintf("line %d: task %d was started at an unknown place", a.Pos.Line, a.Task.ID))
			}
		}
	}
	if r.Fingerprint == "" || r.Location.Name == "" || r.Count == 0 {
		wrong = append(wrong, "incomplete: "+describe(r))
	}
	return wrong
}

// compareReasons wants every reason at a marked line, and every marked code.
func (e *expectation) compareReasons(reasons []race.Reason) (wrong []string) {
	missing := map[string]bool{}
	for at := range e.reasons {
		missing[at.name] = true
	}
	for _, r := range reasons {
		at := access{e.lineOf(r.Pos), r.Code}
		if !e.reasons[at] {
			wrong = append(wrong, fmt.Sprintf("reason %s at line %d is not wanted", at.name, at.line))
		}
		delete(missing, r.Code)
	}
	for _, code := range slices.Sorted(maps.Keys(missing)) {
		wrong = append(wrong, fmt.Sprintf("reason %s is missing", code))
	}
	return wrong
}

func describe(r race.Race) string {
	return fmt.Sprintf("%s of %s at %s:%d and %s:%d (%s)", r.Kind, r.Location.Name, r.First.Pos.File,
		r.First.Pos.Line, r.Second.Pos.File, r.Second.Pos.Line, r.Fingerprint)
}

func TestParseExpectation(t *testing.T) {
	const program = `// Title.
//
// exit 0 or 2: why
package main

x = 1 // want race(x: write) race(both)
y = x // want race(x: read)
z++ // want reason(atomic)
// want reason(unfinished)
`
	file := filepath.Join(t.TempDir(), "race_p.go")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := parseExpectation(file, race.Racy)
	if err != nil {
		t.Fatal(err)
	}
	if want := map[pair]bool{{6, 7}: true, {6, 6}: true}; !maps.Equal(e.races, want) {
		t.Errorf("races %v, want %v", e.races, want)
	}
	if want := map[access]race.Op{{6, "x"}: race.Write, {7, "x"}: race.Read}; !maps.Equal(e.ops, want) {
		t.Errorf("ops %v, want %v", e.ops, want)
	}
	if want := map[access]bool{{8, "atomic"}: true, {0, "unfinished"}: true}; !maps.Equal(e.reasons, want) {
		t.Errorf("reasons %v, want %v", e.reasons, want)
	}
	if want := []string{"0", "2"}; !slices.Equal(e.exits, want) {
		t.Errorf("exits %q, want %q", e.exits, want)
	}
	if _, err := parseExpectation(file, race.Determinate); err == nil {
		t.Error("a determinate program with wanted races is accepted")
	}
}

// A comparison that could not fail would make every other test here worthless.
func TestCompare(t *testing.T) {
	at := func(line int, op race.Op) race.Access {
		pos := race.Pos{File: "/tmp/race_p.go", Line: line}
		return race.Access{Op: op, Pos: pos, Stack: []race.Frame{{}}, Task: race.Task{ID: 1}}
	}
	found := func(a, b race.Access) race.Race {
		return race.Race{Fingerprint: "f", Count: 1, Location: race.Location{Name: "x"}, First: a, Second: b}
	}
	e := &expectation{
		file: "race_p.go", verdict: race.Racy, races: map[pair]bool{{6, 7}: true},
		ops: map[access]race.Op{{6, "x"}: race.Write, {7, "x"}: race.Read},
	}
	good := found(at(7, race.Read), at(6, race.Write))
	tests := []struct {
		name                 string
		races                []race.Race
		positives, negatives int
		other                bool
	}{
		{"as wanted", []race.Race{good}, 0, 0, false},
		{"nothing", nil, 0, 1, false},
		{"one more", []race.Race{good, found(at(1, race.Read), at(2, race.Write))}, 1, 0, true},
		{"twice", []race.Race{good, good}, 0, 0, true},
		{"wrong operation", []race.Race{found(at(6, race.Write), at(7, race.Write))}, 0, 0, true},
	}
	for _, tt := range tests {
		d := e.compare(&race.Report{Verdict: race.Racy, Races: tt.races})
		if len(d.falsePositives) != tt.positives || len(d.falseNegatives) != tt.negatives || (len(d.other) > 0) != tt.other {
			t.Errorf("%s: got %+v", tt.name, d)
		}
	}
	if d := e.compare(&race.Report{Verdict: race.Determinate, Races: []race.Race{good}}); d.empty() {
		t.Error("a wrong verdict makes no difference")
	}
}
