package shadow

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/reach"
)

// retakes makes the access e of d as the judged program does on its own stack, and reports whether
// that was possible.
func (r *tasksRun) retakes(d visit, e event) bool {
	w := r.Window(e.addr)
	if d.locks != 0 || e.op.Atomic() {
		return false
	}
	s := r.LockJournal(w, e.addr)
	if s == 0 {
		return false
	}
	r.told, r.mixed, r.asked = nil, nil, 0
	r.now = r.made(d, e)
	what := r.Retakes(s, &r.now)
	if what == 0 {
		what = r.Succeeds(s, &r.now, &r.ranges)
	}
	r.Retake(s, &r.now, what)
	return what != 0
}

// made is the access e of d.
func (r *tasksRun) made(d visit, e event) Access {
	u := reach.StrandOf(reach.Task(d.task+1), r.past[d.task][0][d.task])
	a := Access{Strand: u, Place: e.site + 100, Context: e.context, Site: e.site, Op: e.op, Locks: d.locks, Learned: r.learned[d.task] + 1, Taught: r.taught[d.task] + 1, Loose: r.loose}
	if r.alone {
		a.Taught = 0
	}
	return a
}

// journalOf is what the journal of the byte at addr says, if it has one.
func (r *tasksRun) journalOf(addr uintptr) string {
	_, _, s := r.look(r.Window(addr), addr)
	if !s.isJournal() {
		return "none"
	}
	j := r.states.journal(s)
	text := fmt.Sprint(j.closed, j.ordered, j.added, j.mixed)
	for i := range j.length {
		text += fmt.Sprintf(" %+v", *r.states.entry(j, i))
	}
	return text
}

// handovers are visits in which tasks mostly come after one another, and make plain accesses to several bytes.
func handovers(seed uint64) []visit {
	r := rand.New(rand.NewPCG(seed, 13))
	tasks, sites, last := 1+r.IntN(4), uint32(1+r.IntN(4)), 0
	news, writes, locks := []float64{0.1, 0.5, 0.95}[seed%3], r.Float64(), r.IntN(3) == 0
	luck, atomics := []float64{0.05, 0.6}[seed/3%2], []float64{0.02, 0.4}[seed/3%2]
	var all []visit
	for len(all) < 150 {
		d := visit{task: r.IntN(tasks), collect: r.IntN(100) == 0}
		d.from = d.task
		if r.Float64() < news {
			d.from, d.certain = last, r.Float64() > luck
		}
		if locks && r.IntN(20) == 0 {
			d.locks = 2
		}
		last = d.task
		for range 1 + r.IntN(5) {
			e := event{addr: low + uintptr(8*r.IntN(3)), op: Read, site: r.Uint32N(sites), context: 1 + r.Uint32N(8)/7}
			if r.Float64() < writes {
				e.op = Write
			}
			if r.Float64() < atomics {
				e.op += AtomicRead - Read
			}
			e.site = e.site*4 + uint32(e.op)
			d.list = append(d.list, e)
		}
		all = append(all, d)
	}
	return all
}

// What an access does to a journal on the stack of the judged program is what it does in the history,
// which then asks nobody and tells of nothing. A history that knows of tasks which take turns would leave more
// of a task's own for another time.
func TestRetakesLikeTheHistory(t *testing.T) {
	took := [2]int{}
	for seed := range uint64(300) {
		all := visits(seed)
		if seed%4 != 0 {
			all = handovers(seed)
		}
		one, two := newTasksRun(12), newTasksRun(12)
		one.alone, two.alone, one.loose, two.loose, one.states.journals.news, two.states.journals.news = true, true, true, true, 0, 0
		splitLines(t, one, two)
		for n, d := range all {
			one.begin(d)
			two.begin(d)
			for _, e := range d.list {
				if one.retakes(d, e) {
					took[e.op-Read]++
				} else {
					one.access(d, e)
				}
				two.access(d, e)
				where := fmt.Sprintf("seed %d, visit %d: %v", seed, n, e)
				if !reflect.DeepEqual(one.told, two.told) || !reflect.DeepEqual(one.mixed, two.mixed) {
					t.Fatalf("%s told %v and %v, in the history %v and %v", where, one.told, one.mixed, two.told, two.mixed)
				}
				if j1, j2 := one.journalOf(e.addr), two.journalOf(e.addr); j1 != j2 {
					t.Fatalf("%s leaves the journal %s, in the history %s", where, j1, j2)
				}
			}
		}
		one.Close()
		two.Close()
	}
	if took[0] < 2_000 || took[1] < 1_000 {
		t.Errorf("%d reads and %d writes were made on the stack of the program", took[0], took[1])
	}
}

// A journal that somebody else has is left to the history.
func TestRetakesDoesNotWait(t *testing.T) {
	r := newTasksRun(1)
	defer r.Close()
	r.states.journals.news = 0
	splitLines(t, r)
	d := visit{list: []event{{addr: low, op: Write, site: 4}}}
	for n := range uint32(4) {
		d.list[0].site = 4 + n%2
		r.begin(d)
		r.access(d, d.list[0])
	}
	s := r.LockJournal(r.Window(low), low)
	if s == 0 {
		t.Fatal("there is no journal")
	}
	if again := r.LockJournal(r.Window(low), low); again != 0 {
		t.Error("two have the journal")
	}
	r.Retake(s, &r.now, 0)
	if r.LockJournal(r.Window(low), low) == 0 {
		t.Error("nobody has the journal, and it is locked")
	}
}

// TestRetakeMutants shows that the tests notice what is easily got wrong on the stack of the judged program.
func TestRetakeMutants(t *testing.T) {
	const file = "retake.go"
	mutants.Run(t, "^Test(RetakesLikeTheHistory|RetakesDoesNotWait)$", []mutants.Mutant{
		{Name: "who takes a place does not see what others wrote", File: file,
			Old: "if a.Op != Read || e.op().Writes() {", New: "if a.Op != Read {"},
		{Name: "a write does not see what others read", File: file,
			Old: "if a.Op != Read || e.op().Writes() {", New: "if e.op().Writes() {"},
		{Name: "what the strand did does not matter", File: file,
			Old: "if a.Op == Read || e.op() == Write {", New: "if false {"},
		{Name: "any call path will do", File: file,
			Old: " && e.context == a.Context", New: ""},
		{Name: "who gave a lock back comes back", File: file,
			Old: " && e.locks == 0:", New: ":"},
		{Name: "what was taken over from a list is taken for told", File: file,
			Old: "range min(uint32(j.added), renewable)", New: "range min(j.length, renewable)"},
		{Name: "a write leaves what its former self kept", File: file,
			Old: "if t.entry(j, k).strand == e.strand {", New: "if t.entry(j, k).strand == 0 {"},
		{Name: "a read passes one of its site", File: file,
			Old: "!e.op().Writes() && e.site() == a.Site:", New: "false:"},
		{Name: "a write passes others of its task", File: file,
			Old: "case a.Op != Read || !e", New: "case a.Op == Read && !e"},
		{Name: "all of a journal still precedes its first entry", File: file,
			Old: "j.ordered = j.ordered && j.entries[0].strand.Task() == a.Strand.Task()", New: "_ = j.ordered"},
		{Name: "the first entry need not precede", File: file,
			Old: " || !a.follows(j.entries[0].strand, m)", New: ""},
		{Name: "the others need not precede", File: file,
			Old: " || !j.ordered ||", New: " ||"},
		{Name: "what the strand did is done again", File: file,
			Old: "case r == repeats:\n		return adds", New: "case r == repeats:\n		return takes"},
		{Name: "there is always room", File: file,
			Old: "case !t.roomy(j, drops):", New: "case drops == 1<<31:"},
		{Name: "an atomic operation is still unordered", File: file,
			Old: "		j.mixed = 0\n", New: ""},
		{Name: "no lock is held", File: file,
			Old: "!h.states.journal(s).lock.TryLock()", New: "h.states.journal(s) == nil"},
		{Name: "the lock is kept", File: file,
			Old: "	j.lock.Unlock()\n", New: ""},
		{Name: "there is no room in the second part", File: "journal.go",
			Old: "	for ; left >= journalPart; left -= journalPart {\n		if j.more == 0 {\n			return false\n		}\n		j = t.journals.At(j.more)\n	}\n	return true", New: "return left < journalSize"},
	})
}
