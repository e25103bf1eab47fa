package tp3

import (
	"context"
	"flag"
	"fmt"
	"testing"
)

var soak = flag.Int("soak", 0, "how many random programs to try in addition")

// checkLimits suit small programs: one that never ends is given up soon.
var checkLimits = Limits{RunSteps: 300, Steps: 4000, Ideals: 20_000}

func mustExplore(t testing.TB, p *Program, limits Limits) *Exploration {
	t.Helper()
	x, err := p.Explore(context.Background(), limits)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func mustRun(t testing.TB, p *Program, limits Limits) *Outcome {
	t.Helper()
	out, err := p.Run(context.Background(), limits, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func keys(races []Race) map[string]bool {
	set := map[string]bool{}
	for _, r := range races {
		set[r.First.Pos.String()+" "+r.Second.Pos.String()] = true
	}
	return set
}

// brokenTheorem says how a completely explored program contradicts the theorem
// and what follows from it for a single run, "" if it does not.
func brokenTheorem(x *Exploration, out *Outcome) string {
	switch {
	case !x.Complete || x.Failures != nil:
		return ""
	case (len(x.Races) > 0) != (len(out.Races) > 0):
		return fmt.Sprintf("%d races in all schedules, %d in the run under DRDP", len(x.Races), len(out.Races))
	}
	all := keys(x.Races)
	for r := range keys(out.Races) {
		if !all[r] {
			return "the race " + r + " of the run under DRDP was not found by exploration"
		}
	}
	if len(x.Races) > 0 {
		return ""
	}
	switch {
	case len(x.States) != 1 || x.Graphs != 1 || len(x.Deadlocks) > 1 || x.Classes != 1:
		return fmt.Sprintf("no race, but %d final states, %d graphs, %d deadlocks, %d classes", len(x.States), x.Graphs, len(x.Deadlocks), x.Classes)
	case x.States[0].String() != out.Memory.String():
		return fmt.Sprintf("no race, but the run under DRDP ends with %s, the others with %s", out.Memory, x.States[0])
	case (len(x.Deadlocks) > 0) != (len(out.Blocked) > 0):
		return "no race, but the run under DRDP and the others differ in being deadlocked"
	}
	return ""
}

// Race-free programs have one final state and one graph, and one run tells
// which programs they are.
func TestRaceFreeIsDeterminate(t *testing.T) {
	n := 5000
	if testing.Short() {
		n = 1000
	}
	var raceFree, racy, deadlocked, failed, cut, multi int
	for seed := range uint64(n + *soak) {
		src := generate(seed)
		p, err := Parse("random.tp3", src)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		x := mustExplore(t, p, checkLimits)
		out := mustRun(t, p, checkLimits)
		if msg := brokenTheorem(x, out); msg != "" {
			t.Fatalf("seed %d: %s\n%s", seed, msg, shrink(src, func(p *Program) bool {
				return brokenTheorem(mustExplore(t, p, checkLimits), mustRun(t, p, checkLimits)) != ""
			}))
		}
		switch {
		case !x.Complete:
			cut++
		case x.Failures != nil:
			failed++
		case len(x.Races) > 0:
			racy++
		default:
			raceFree++
			if len(x.Deadlocks) > 0 {
				deadlocked++
			}
			if x.Schedules.Int64() > 1 {
				multi++
			}
		}
	}
	t.Logf("%d race-free (%d with more than one schedule, %d deadlocked), %d racy, %d with program errors, %d not explored completely",
		raceFree, multi, deadlocked, racy, failed, cut)
	for what, share := range map[string]int{"race-free with a choice": multi * 6, "racy": racy * 12, "deadlocked": deadlocked * 20} {
		if share < n {
			t.Errorf("too few programs are %s for the test to mean much", what)
		}
	}
}

// twinDiffers says in what Explore and the slow twin differ, "" if in nothing
// or if there are too many schedules for the twin.
func twinDiffers(x *Exploration, a *all) string {
	if a.tooMany {
		return ""
	}
	if !x.Complete {
		return "exploration is incomplete: " + x.Missing
	}
	count := func(what string, got, want int) string {
		if got != want {
			return fmt.Sprintf("got %d %s, want %d; ", got, what, want)
		}
		return ""
	}
	msg := count("final states", len(x.States), len(a.states)) + count("graphs", x.Graphs, len(a.graphs)) +
		count("deadlocks", len(x.Deadlocks), len(a.deadlocks)) + count("failures", len(x.Failures), len(a.failures)) +
		count("races", len(x.Races), len(a.races))
	if x.Exact {
		msg += count("schedules", int(x.Schedules.Int64()), a.schedules)
	}
	for _, m := range x.States {
		if !a.states["["+m.String()+"]"] {
			msg += "state " + m.String() + " is not one; "
		}
	}
	for r := range keys(x.Races) {
		if !a.races[r] {
			msg += "race " + r + " is not one; "
		}
	}
	for _, f := range x.Failures {
		if !a.failures[fmt.Sprintf("%v", *f)] {
			msg += "failure at " + f.Pos.String() + " is not one; "
		}
	}
	return msg
}

// The reduction loses nothing: counts and races are those of all interleavings.
func TestExploreAgreesWithAllInterleavings(t *testing.T) {
	const interleavings, steps = 800, 40
	n := 1000
	if testing.Short() {
		n = 200
	}
	compared, reduced := 0, 0
	for seed := range uint64(n + *soak) {
		src := generate(seed + 1e6)
		p, err := Parse("random.tp3", src)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		a := exploreAll(p, interleavings, steps)
		if a.tooMany {
			continue
		}
		compared++
		x := mustExplore(t, p, checkLimits)
		if x.Classes < a.schedules {
			reduced++
		}
		if msg := twinDiffers(x, a); msg != "" {
			t.Fatalf("seed %d: %s\n%s", seed, msg, shrink(src, func(p *Program) bool {
				return twinDiffers(mustExplore(t, p, checkLimits), exploreAll(p, interleavings, steps)) != ""
			}))
		}
	}
	t.Logf("compared %d programs, of which the reduction saved schedules in %d", compared, reduced)
	if compared < n/4 || reduced < n/8 {
		t.Errorf("too few programs compared for the test to mean much")
	}
}

// One statement accesses one location twice, and only the later time in
// parallel with the load. One run must find it, though the load comes last.
func TestRepeatedAccessRacesOnlyLater(t *testing.T) {
	for name, src := range map[string]string{
		"a fork between": `
n = alloc; x = alloc; p = new_promise
async {
  store 2 to n
  while (0 != load n) {
    store 1 to x
    async { p.get; a = load x }
    k = load n
    store k + -1 to n
  }
}
p.set`,
		"a set between": `
n = alloc; x = alloc; p = new_promise; q1 = new_promise; q2 = new_promise; box = alloc
async { q1.get; p.get; a = load x }
async {
  store q1 to box
  store 2 to n
  while (0 != load n) {
    store 1 to x
    q = load box
    q.set
    store q2 to box
    k = load n
    store k + -1 to n
  }
}
p.set`,
	} {
		p := mustParse(t, src)
		if out := mustRun(t, p, Limits{}); len(out.Races) != 1 {
			t.Errorf("%s: got races %v, want one", name, out.Races)
		}
		if x := mustExplore(t, p, Limits{}); len(x.Races) != 1 {
			t.Errorf("%s, explored: got races %v, want one", name, x.Races)
		}
	}
}

// Exploration takes back steps that assign a slot again, at the next turn of a
// loop, with what the earlier turn had there.
func TestUndoBringsLocalsBack(t *testing.T) {
	for seed := range uint64(500) {
		p := mustParse(t, generate(seed))
		c := newConfig(p)
		var want []string
		var steps []step
		var undos []undo
		for len(steps) < 60 {
			next := int32(-1)
			for i := range int32(len(c.tasks)) {
				// Neither always the same task nor any order of the twin.
				if turn := (i + int32(len(steps))) % int32(len(c.tasks)); c.enabled(turn) {
					next = turn
				}
			}
			if next < 0 {
				break
			}
			want = append(want, snapshot(c))
			st, un := c.step(next)
			steps, undos = append(steps, st), append(undos, un)
		}
		for i := len(steps) - 1; i >= 0; i-- {
			c.undo(steps[i], undos[i])
			if got := snapshot(c); got != want[i] {
				t.Fatalf("seed %d: step %d taken back\ngot  %s\nwant %s\n%s", seed, i, got, want[i], generate(seed))
			}
		}
	}
}

func snapshot(c *config) string { return fmt.Sprint(c.tasks, c.cells, c.promises) }
