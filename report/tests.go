package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
)

var outcomes = map[record.Outcome]race.Outcome{
	record.Unfinished: race.Unfinished, record.Pass: race.Pass, record.Fail: race.Fail, record.Skip: race.Skip,
}

// badness orders outcomes for a test that was run more than once.
var badness = map[race.Outcome]int{race.Skip: 0, race.Pass: 1, race.Unfinished: 2, race.Fail: 3}

// testNames names tests by their numbers, sorted, each once.
func (b *builder) testNames(numbers ...uint32) []race.TestName {
	var names []race.TestName
	for _, n := range numbers {
		if n != 0 {
			names = append(names, race.TestName{Package: b.pkg, Name: b.file.Tests[n].Name})
		}
	}
	return mergeTests(names, nil)
}

// mergeTests is both lists as one, sorted, each name once.
func mergeTests(a, b []race.TestName) []race.TestName {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y race.TestName) int {
		return cmp.Or(cmp.Compare(x.Package, y.Package), cmp.Compare(x.Name, y.Name))
	})
	return slices.Compact(all)
}

// tests is the verdict on each test of r, whose races and reasons are complete. One
// that ran more than once, as -count and benchmarks have it, is there once.
func (b *builder) tests(r *race.Report) []race.Test {
	var all []race.Test
	index := map[string]int{}
	for _, number := range slices.Sorted(maps.Keys(b.file.Tests)) {
		rec := b.file.Tests[number]
		if rec.Part {
			continue
		}
		i, seen := index[rec.Name]
		if !seen {
			i = len(all)
			index[rec.Name] = i
			all = append(all, race.Test{Package: b.pkg, Name: rec.Name, Outcome: race.Skip, Verdict: race.Determinate})
		}
		t := &all[i]
		if o := outcomes[rec.Outcome]; badness[o] > badness[t.Outcome] {
			t.Outcome = o
		}
		t.Seconds += rec.Elapsed.Seconds()
	}
	charge := func(names []race.TestName, f func(*race.Test)) {
		charged := map[int]bool{}
		for _, name := range names {
			for _, family := range families(name.Name) {
				if i, ok := index[family]; ok && !charged[i] {
					charged[i] = true
					f(&all[i])
				}
			}
		}
	}
	for i := range r.Reasons {
		charge(r.Reasons[i].Tests, func(t *race.Test) { t.Verdict = race.NotCertified })
	}
	for i := range r.Races {
		found := &r.Races[i]
		charge(found.Tests, func(t *race.Test) {
			t.Verdict = race.Racy
			t.Races = append(t.Races, found.Fingerprint)
		})
	}
	for _, left := range b.file.Left {
		if i, ok := index[b.file.Tests[left.Test].Name]; ok {
			if at := b.spawner(left.ForkStack); at.Func != "" {
				all[i].Left = append(all[i].Left, at)
			}
		}
	}
	for i := range all {
		if all[i].Outcome == race.Unfinished && all[i].Verdict == race.Determinate {
			all[i].Verdict = race.NotCertified
		}
	}
	return all
}

// families are the names of a test and of those it is a subtest of.
func families(name string) []string {
	all := []string{name}
	for i := len(name) - 1; i > 0; i-- {
		if name[i] == '/' {
			all = append(all, name[:i])
		}
	}
	return all
}

// TestNames are names for people: with the package where there is more than one.
func TestNames(tests []race.TestName) []string {
	several := slices.ContainsFunc(tests, func(t race.TestName) bool { return t.Package != tests[0].Package })
	var names []string
	for _, t := range tests {
		if several && t.Package != "" {
			t.Name = t.Package + "." + t.Name
		}
		names = append(names, t.Name)
	}
	return names
}

// maxTests is how many tests with one verdict are named.
const maxTests = 20

// tests counts tests by verdict, and names those that are not determinate and have
// no subtest that says so.
func (t *text) tests(tests []race.Test) {
	if len(tests) == 0 {
		return
	}
	var counts []string
	for _, v := range []race.Verdict{race.Racy, race.NotCertified, race.Determinate} {
		n := uint64(0)
		for i := range tests {
			if tests[i].Verdict == v {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, Plural(n, string(v), string(v)))
		}
	}
	t.printf("  tests: %s\n", strings.Join(counts, ", "))
	for _, v := range []race.Verdict{race.Racy, race.NotCertified} {
		var named []race.TestName
		for i := range tests {
			if tests[i].Verdict == v && !blames(tests, i) {
				named = append(named, tests[i].ID())
			}
		}
		t.named(string(v), named)
	}
	t.left(tests)
}

// blames reports whether a test has its verdict from a subtest.
func blames(tests []race.Test, i int) bool {
	return slices.ContainsFunc(tests, func(sub race.Test) bool {
		return sub.Package == tests[i].Package && strings.HasPrefix(sub.Name, tests[i].Name+"/") && sub.Verdict == tests[i].Verdict
	})
}

func (t *text) named(verdict string, tests []race.TestName) {
	names := TestNames(tests)
	if more := len(names) - maxTests; more > 0 {
		names = append(names[:maxTests], Plural(uint64(more), "more", "more"))
	}
	if len(names) > 0 {
		t.wrapped("      ", verdict+": ", strings.Join(names, ", "))
	}
}

// left names goroutines that outlived their tests, and tests that did not end.
func (t *text) left(tests []race.Test) {
	var unfinished []race.TestName
	for i := range tests {
		if tests[i].Outcome == race.Unfinished && !blamesEnd(tests, i) {
			unfinished = append(unfinished, tests[i].ID())
		}
		seen := map[race.Pos]int{}
		var places []race.Frame
		for _, f := range tests[i].Left {
			if seen[f.Pos()]++; seen[f.Pos()] == 1 {
				places = append(places, f)
			}
		}
		for _, f := range places {
			t.printf("      %s left %s running, started at %s%s\n", tests[i].Name, Plural(uint64(seen[f.Pos()]), "goroutine"), t.pos(f.Pos()), Via(f))
		}
	}
	t.named("did not end", unfinished)
}

func blamesEnd(tests []race.Test, i int) bool {
	return slices.ContainsFunc(tests, func(sub race.Test) bool {
		return sub.Package == tests[i].Package && strings.HasPrefix(sub.Name, tests[i].Name+"/") && sub.Outcome == race.Unfinished
	})
}
