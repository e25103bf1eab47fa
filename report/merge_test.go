package report

import (
	"slices"
	"testing"

	"github.com/detrace/detrace/internal/record/recordtest"
	"github.com/detrace/detrace/race"
)

// Two packages whose tests race on the same lines have one race, with the tests of
// both; what only one of them met stays.
func TestMerge(t *testing.T) {
	report := func(pkg string, records ...func(*recordtest.Builder)) *race.Report {
		b := program()
		for _, f := range records {
			f(b)
		}
		b.Finish(0)
		return build(t, b, Options{Package: pkg, Uninstrumented: []string{"runtime", pkg}})
	}
	one := report("example.com/one", tests)
	two := report("example.com/two", tests, parentAndChild)
	three := report("example.com/three", reasons)
	m := Merge([]*race.Report{one, two, three})
	if m.Verdict != race.Racy || len(m.Races) != 2 || m.Races[0].Count != 8 || m.Stats.Tasks != 27 || m.Program.Failed() {
		t.Errorf("got %+v", m)
	}
	names := TestNames(m.Races[0].Tests)
	if want := []string{"example.com/one.TestTable/one", "example.com/one.TestTable/two", "example.com/two.TestTable/one", "example.com/two.TestTable/two"}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
	if len(m.Tests) != len(one.Tests)+len(two.Tests) || len(m.Uninstrumented) != 4 {
		t.Errorf("got %d tests, %q", len(m.Tests), m.Uninstrumented)
	}
	for _, r := range three.Reasons {
		if !slices.ContainsFunc(m.Reasons, func(got race.Reason) bool { return got.Code == r.Code && got.Pos == r.Pos }) {
			t.Errorf("reason %s at %v is missing", r.Code, r.Pos)
		}
	}
	if one.Races[0].Count != 4 {
		t.Errorf("merging changed a report: %+v", one.Races[0])
	}
	if Merge([]*race.Report{two}) != two {
		t.Error("one report is not itself")
	}
	for _, c := range []struct {
		of   []*race.Report
		want race.Verdict
	}{
		{[]*race.Report{report("a"), report("b")}, race.Determinate},
		{[]*race.Report{report("a"), three}, race.NotCertified},
		{[]*race.Report{one, three, report("a")}, race.Racy},
	} {
		if got := Merge(c.of).Verdict; got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
