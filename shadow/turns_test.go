package shadow

import (
	"fmt"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// Tasks that take turns under locks are told of races, luck and operations that are not ordered where
// they would be with lists alone.
func TestTurnsInJournals(t *testing.T) {
	for seed := range uint64(200) {
		compareLoose(t, fmt.Sprint("seed ", seed), crowds(seed))
	}
}

// alternate has tasks access low by turns, under a lock, and returns the journal there.
func alternate(t *testing.T, r *tasksRun, op Op, locks uint32) *journal {
	r.loose, r.states.journals.news = true, 0
	splitLines(t, r)
	for n := range 24 {
		d := visit{task: n % 3, from: n % 3, locks: locks}
		r.begin(d)
		r.take(d)
		r.access(d, event{addr: low, op: op, site: 1})
		r.give(d)
	}
	_, _, state := r.look(r.Window(low), low)
	if !state.isJournal() {
		t.Fatalf("state %#x is no journal", state)
	}
	return r.states.journal(state)
}

// Who comes back under a lock asks nobody, as long as the lock protects.
func TestTurnsUnderLock(t *testing.T) {
	r := newTasksRun(12)
	defer r.Close()
	if j := alternate(t, r, Write, 2); j.length != 3 || r.asked != 0 || len(r.told) != 0 {
		t.Errorf("%d entries after %d questions, told %v", j.length, r.asked, r.told)
	}
	d := visit{task: 2, from: 2, locks: 2}
	for _, want := range []int{0, 2} { // others are behind its former self
		r.begin(d)
		if r.access(d, event{addr: low, op: Write, site: 1}); len(r.told) != want {
			t.Errorf("there is luck with %v, want %d others", r.told, want)
		}
		r.useless = true
	}
}

// An atomic operation that comes back is told of those that others made meanwhile; if all is to be
// told anew, of those before too.
func TestTurnsOfAtomics(t *testing.T) {
	r := newTasksRun(12)
	defer r.Close()
	alternate(t, r, AtomicWrite, 0)
	for _, c := range []struct {
		task  int
		anew  bool
		mixed int
	}{{2, false, 0}, {1, false, 1}, {0, false, 1}, {0, false, 0}, {0, true, 1}} {
		d := visit{task: c.task, from: c.task}
		r.begin(d)
		if c.anew {
			r.taught[c.task] = r.past[c.task][0][c.task]
			r.learned[c.task] = r.taught[c.task]
		}
		if r.access(d, event{addr: low, op: AtomicWrite, site: 1}); len(r.mixed) != c.mixed {
			t.Errorf("task %d, anew %v: told of %v, want %d", c.task, c.anew, r.mixed, c.mixed)
		}
	}
}

// An operation in front that is of a strand of which the task had learned is none to be told.
func TestTurnsAfterLearning(t *testing.T) {
	r := newTasksRun(12)
	defer r.Close()
	alternate(t, r, AtomicWrite, 0)
	r.begin(visit{task: 1, from: 1})
	d := visit{task: 2, from: 1, certain: true}
	r.begin(d)
	r.access(d, event{addr: low, op: AtomicWrite, site: 1})
	r.access(visit{task: 1}, event{addr: low, op: AtomicWrite, site: 1})
	d.from = 2
	r.begin(d)
	if r.access(d, event{addr: low, op: AtomicWrite, site: 1}); len(r.mixed) != 0 {
		t.Errorf("told of %v", r.mixed)
	}
}

// TestTurnsMutants shows that the tests notice what is easily got wrong.
func TestTurnsMutants(t *testing.T) {
	mutants.Run(t, "^Test(TurnsInJournals|TurnsUnderLock|TurnsOfAtomics|TurnsAfterLearning|LooseAccesses)$", []mutants.Mutant{
		{Name: "nobody comes back", File: "turns.go", Old: "		if i == uint32(j.added) {", New: "		if i <= uint32(j.added) {"},
		{Name: "what was taken over from a list is taken for told", File: "turns.go", Old: "if i == uint32(j.added) {", New: "if i == j.length {"},
		{Name: "what was told once is told for ever", File: "turns.go", Old: "if e.strand.Index()+1 < a.Taught {", New: "if false {"},
		{Name: "others in front do not matter", File: "turns.go", Old: "			if !guarded(e.locks, a, o) {", New: "			if false {"},
		{Name: "operations in front are not told", File: "turns.go", Old: "			mixed |= 1 << i\n", New: "			_ = mixed\n"},
		{Name: "operations in front are not asked about", File: "turns.go", Old: "&& !(o.Precedes(e.strand) && o.Certain(e.strand)):", New: "&& true:"},
		{Name: "whatever was held counts", File: "turns.go", Old: " && e.locks == a.Locks {", New: " {"},
		{Name: "whatever was done counts", File: "turns.go", Old: " && e.siteOp == siteOp", New: " && siteOp >= 0"},
		{Name: "a lock protects for ever", File: "turns.go", Old: "last = e.locks; !guarded(last, a, o)", New: "last = e.locks; false"},
		{Name: "only what others held counts", File: "turns.go", Old: "e.locks == last ||", New: "e.locks == last || e.locks == a.Locks ||"},
	})
}
