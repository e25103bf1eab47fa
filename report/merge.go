package report

import (
	"cmp"
	"slices"

	"github.com/detrace/detrace/race"
)

// Merge makes one report of those of several programs, such as the tests of several
// packages: a race or reason that more than one of them met is there once. Their
// verdict is the worst, their end that of the first that failed. Reports that were
// compared with a baseline are to be compared anew. The reports given stay as they
// are; of one, it returns that one.
func Merge(reports []*race.Report) *race.Report {
	if len(reports) == 1 {
		return reports[0]
	}
	m := &race.Report{Version: race.Version, Verdict: race.Determinate, Races: []race.Race{}, Reasons: []race.Reason{}, Program: &race.Program{}}
	for _, r := range reports {
		m.Races = append(m.Races, r.Races...)
		m.Reasons = append(m.Reasons, r.Reasons...)
		m.Tests = append(m.Tests, r.Tests...)
		m.Uninstrumented = append(m.Uninstrumented, r.Uninstrumented...)
		m.Warnings = append(m.Warnings, r.Warnings...)
		m.Stats.Engine = r.Stats.Engine
		m.Stats.Tasks += r.Stats.Tasks
		m.Stats.Strands += r.Stats.Strands
		m.Stats.Reads += r.Stats.Reads
		m.Stats.Writes += r.Stats.Writes
		m.Stats.Checked += r.Stats.Checked
		m.Stats.Seconds += r.Stats.Seconds
		if r.Program.Failed() && !m.Program.Failed() {
			m.Program = r.Program
		}
		switch {
		case r.Verdict == race.Racy:
			m.Verdict = race.Racy
		case r.Verdict == race.NotCertified && m.Verdict == race.Determinate:
			m.Verdict = race.NotCertified
		}
	}
	slices.Sort(m.Uninstrumented)
	m.Uninstrumented = slices.Compact(m.Uninstrumented)
	m.Races = mergeRaces(m.Races)
	m.Reasons = mergeReasons(m.Reasons)
	m.Warnings = mergeWarnings(m.Warnings, m.Reasons)
	return m
}

// mergeWarnings keeps one warning per place that is not among the reasons.
func mergeWarnings(warnings []race.Warning, reasons []race.Reason) []race.Warning {
	sortWarnings(warnings)
	return slices.DeleteFunc(slices.Compact(warnings), func(w race.Warning) bool {
		return slices.ContainsFunc(reasons, func(r race.Reason) bool { return r.Code == faulty.code && r.Pos == w.Pos })
	})
}

// mergeRaces keeps one race per pair of sites, the first as it stands.
func mergeRaces(races []race.Race) []race.Race {
	slices.SortStableFunc(races, func(x, y race.Race) int {
		return cmp.Or(comparePos(x.First.Pos, y.First.Pos), comparePos(x.Second.Pos, y.Second.Pos))
	})
	merged := races[:0]
	for _, r := range races {
		if n := len(merged); n > 0 && merged[n-1].First.Pos == r.First.Pos && merged[n-1].Second.Pos == r.Second.Pos {
			merged[n-1].Count += r.Count
			merged[n-1].Tests = mergeTests(merged[n-1].Tests, r.Tests)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// mergeReasons keeps one reason per code and places.
func mergeReasons(reasons []race.Reason) []race.Reason {
	order := func(x, y race.Reason) int {
		return cmp.Or(comparePos(x.Pos, y.Pos), cmp.Compare(x.Code, y.Code), comparePos(other(x), other(y)), cmp.Compare(x.Detail, y.Detail))
	}
	slices.SortStableFunc(reasons, order)
	merged := reasons[:0]
	for _, r := range reasons {
		if n := len(merged); n > 0 && order(merged[n-1], r) == 0 {
			merged[n-1].Count += r.Count
			merged[n-1].Tests = mergeTests(merged[n-1].Tests, r.Tests)
			continue
		}
		merged = append(merged, r)
	}
	return merged
}
