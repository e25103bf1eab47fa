package shadow

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
)

// visit is what a task does: it synchronises, after which another strand of it begins, and
// accesses some bytes.
type visit struct {
	task    int
	from    int  // the task that it learns from, or itself
	certain bool // by an edge that exists in every schedule
	locks   uint32
	collect bool
	list    []event
}

// visits are such that tasks mostly go on for a while where they are, learn seldom, and do the
// same again. Their accesses are to few bytes, from few places.
func visits(seed uint64) []visit {
	r := rand.New(rand.NewPCG(seed, 11))
	tasks, sites, bytes := 2+r.IntN(9), uint32(1+r.IntN(3)), 1+r.IntN(2)
	learns := []float64{0.02, 0.2, 0.6}[seed%3]
	atomics, locking := seed%4 < 2, seed%5 < 2
	var all []visit
	for t := 0; len(all) < 250; {
		if r.IntN(3) == 0 {
			t = r.IntN(tasks)
		}
		d := visit{task: t, from: t, collect: r.IntN(100) == 0}
		if r.Float64() < learns {
			d.from, d.certain = r.IntN(tasks), r.IntN(2) == 0
		}
		if locking && r.IntN(4) != 0 {
			d.locks = 2
		}
		for range 1 + r.IntN(2) {
			e := event{addr: low + uintptr(8*r.IntN(bytes)), op: Op(1 + r.IntN(2)), site: uint32(r.IntN(int(sites))), context: 1 + uint32(r.IntN(4))/3}
			if atomics && r.IntN(8) != 0 {
				e.op = Op(3 + r.IntN(2))
			}
			e.site = e.site*4 + uint32(e.op) // mostly an instruction does one thing
			if r.IntN(3) == 0 {
				e.site = 0
			}
			d.list = append(d.list, e)
		}
		all = append(all, d)
	}
	return all
}

// past is what a task knows of others, by the last strand of each that precedes it.
type past [2][]uint32 // in this schedule, in every schedule

// tasksRun is visits being made on a history.
type tasksRun struct {
	History
	ranges  RangeMemo
	past    []past
	learned []uint32 // the strands with which tasks learned something last
	taught  []uint32 // in every schedule
	now     Access
	told    []Access         // by Race and Luck during an access
	asked   int              // questions during it
	mixed   []Access         // by Unordered
	loose   bool             // accesses are
	alone   bool             // nobody takes turns: see returns
	pairs   map[sitesOf]bool // by Unordered so far

	useless   bool       // no lock protects anything
	unguarded bool       // no access has a guard
	given     [3][2]past // what those knew who gave a lock back, held with others and exclusively
}

// sitesOf is where two accesses were made, and what they did.
type sitesOf struct{ one, two siteOp }

func newTasksRun(tasks int) *tasksRun {
	r := &tasksRun{past: make([]past, tasks), learned: make([]uint32, tasks), taught: make([]uint32, tasks), pairs: make(map[sitesOf]bool)}
	r.Init(low, lowSize, high, highSize, 0)
	for t := range r.past {
		r.past[t] = past{make([]uint32, tasks), make([]uint32, tasks)}
	}
	return r
}

func (r *tasksRun) knows(order int, u Strand) bool {
	return u.Index() <= r.past[r.now.Strand.Task()-1][order][u.Task()-1]
}

func (r *tasksRun) Precedes(u Strand) bool {
	r.asked++
	return r.knows(0, u)
}
func (r *tasksRun) Certain(u Strand) bool { return r.knows(1, u) }
func (r *tasksRun) Race(a Access)         { r.told = append(r.told, a) }
func (r *tasksRun) Luck(a Access) {
	if !r.Excludes(a.Locks) {
		r.told = append(r.told, a)
	}
}
func (r *tasksRun) Unordered(a Access) {
	r.mixed = append(r.mixed, a)
	r.pairs[sitesOf{a.siteOp(), r.now.siteOp()}] = true
}
func (r *tasksRun) Excludes(locks uint32) bool {
	for lock := range uint32(3) {
		if one, two := modeOf(locks, lock), modeOf(r.now.Locks, lock); one+two > 2 && one*two != 0 && !r.useless {
			return true
		}
	}
	return false
}
func (r *tasksRun) Shared(locks, others uint32) (uint32, bool) {
	if r.unguarded {
		return 0, false
	}
	first := uint32(0)
	for lock := uint32(2); lock < 3; lock-- {
		if mode := modeOf(locks, lock); mode != 0 {
			first = guardMark | lock<<1 | (mode - 1)
			if modeOf(others, lock) != 0 {
				return first, true
			}
		}
	}
	return first, false
}
func (r *tasksRun) Crowded()              {}
func (r *tasksRun) Outlasted(Strand) bool { return false }
func (r *tasksRun) At(uintptr)            {}
func (r *tasksRun) Move(State) State      { return 0 }
func (r *tasksRun) Moved(_, _ State)      {}
func (r *tasksRun) Ranges() *RangeMemo    { return &r.ranges }
func (r *tasksRun) Mark(Strand)           {}

// A set of locks has two bits for each of three of them: 1 if it is held with others, 2 if exclusively. A guard
// is marked, and is a lock and how it is held.
const guardMark = 1 << 16

func modeOf(set, lock uint32) uint32 {
	switch {
	case set&guardMark == 0:
		return set >> (2 * lock) & 3
	case set>>1&3 == lock:
		return 1 + set&exclusive
	}
	return 0
}

// begin makes what is ordered before the accesses of d, and the strand that makes them.
func (r *tasksRun) begin(d visit) {
	if d.collect {
		r.ranges.Forget()
		r.Collect(r).Finish()
	}
	own := &r.past[d.task]
	news := [2]bool{}
	for order := range own {
		if d.from != d.task && (order == 0 || d.certain) {
			for t, i := range r.past[d.from][order] {
				if t != d.task && i > own[order][t] {
					own[order][t], news[order] = i, true
				}
			}
		}
		own[order][d.task] = own[0][d.task] + uint32(1-order) // both count alike
	}
	if news[0] || news[1] {
		r.learned[d.task] = own[0][d.task]
	}
	if news[1] {
		r.taught[d.task] = own[0][d.task]
	}
}

func (r *tasksRun) access(d visit, e event) {
	r.told, r.mixed, r.asked = nil, nil, 0
	r.now = r.made(d, e)
	r.Access(e.addr, 1, &r.now, r)
}

// splitLines has the lines that the runs use split.
func splitLines(t *testing.T, runs ...*tasksRun) {
	for _, r := range runs {
		first, second := by(999, Write, 99, 1), by(998, Read, 98, 1)
		r.Access(low+4, 1, &first, newScene(t, 0))
		r.Access(low+12, 1, &second, newScene(t, 0))
	}
}

// compareVisits makes visits on a history in which every byte may have a journal and on one
// with lists alone. It returns how many accesses were to bytes with journals, and how many of
// them asked nobody.
func compareVisits(t *testing.T, name string, all []visit) (found, back int) {
	eager, lists := newTasksRun(12), newTasksRun(12)
	defer eager.Close()
	defer lists.Close()
	eager.states.journals.news, lists.states.journals.news = 0, never
	splitLines(t, eager, lists)
	for n, d := range all {
		for _, r := range []*tasksRun{eager, lists} {
			r.begin(d)
			r.take(d)
		}
		for _, e := range d.list {
			_, _, before := eager.look(eager.Window(e.addr), e.addr)
			eager.access(d, e)
			lists.access(d, e)
			if before.isJournal() {
				found++
				if j := eager.states.journal(before); j.length > 1 && j.entries[0].strand == eager.now.Strand && eager.asked == 0 {
					back++
				}
			}
			if one, two := exact(eager.told), exact(lists.told); !reflect.DeepEqual(one, two) {
				t.Fatalf("%s, visit %d: %v told %v, by lists %v", name, n, e, one, two)
			}
			if one, two := exact(eager.mixed), exact(lists.mixed); !reflect.DeepEqual(one, two) {
				t.Fatalf("%s, visit %d: %v is unordered with %v, by lists %v", name, n, e, one, two)
			}
			if one, two := exact(eager.remembered(e.addr)), exact(lists.remembered(e.addr)); !reflect.DeepEqual(one, two) {
				t.Fatalf("%s, visit %d: %v, remembered are %v, by lists %v", name, n, e, one, two)
			}
		}
		eager.give(d)
		lists.give(d)
	}
	return found, back
}

// Tasks that come back to bytes with journals leave there, and tell, what they would with
// lists alone: whatever orders them, under locks or without, with atomic operations or plain ones.
func TestTasksThatComeBack(t *testing.T) {
	found, back := 0, 0
	for seed := range uint64(200) {
		f, b := compareVisits(t, fmt.Sprint("seed ", seed), visits(seed))
		found, back = found+f, back+b
	}
	if found < 5_000 || back < 1_000 {
		t.Errorf("%d accesses were to bytes with journals, %d asked nobody", found, back)
	}
}

// Loose accesses are told of races where they would be with lists alone, and of luck where there
// is no race.
func TestLooseAccesses(t *testing.T) {
	more := 0
	for seed := range uint64(300) {
		all, r, writes := visits(seed), rand.New(rand.NewPCG(seed, 12)), []float64{0.1, 0.3, 1}[seed%7%3]
		for _, d := range all {
			for i := range d.list { // most programs read more
				if e := &d.list[i]; e.op == Write && r.Float64() > writes {
					e.op = Read
				}
			}
		}
		more += compareLoose(t, fmt.Sprint("seed ", seed), all)
	}
	if more < 300 {
		t.Errorf("%d times more was remembered", more)
	}
}

// compareLoose returns how often more was remembered after a loose access.
func compareLoose(t *testing.T, name string, all []visit) (more int) {
	loose, lists := newTasksRun(12), newTasksRun(12)
	defer loose.Close()
	defer lists.Close()
	loose.loose, loose.states.journals.news, lists.states.journals.news = true, 0, never
	splitLines(t, loose, lists)
	for n, d := range all {
		for _, r := range []*tasksRun{loose, lists} {
			r.begin(d)
			r.take(d)
		}
		for _, e := range d.list {
			loose.access(d, e)
			lists.access(d, e)
			if one, two := loose.verdict(), lists.verdict(); one != two {
				t.Fatalf("%s, visit %d: %v told %v, by lists %v", name, n, e, loose.told, lists.told)
			}
			for pair := range lists.pairs {
				if !loose.pairs[pair] {
					t.Fatalf("%s, visit %d: %v told nothing of %v, which is in lists: %v", name, n, e, pair, lists.mixed)
				}
			}
			if len(loose.remembered(e.addr)) > len(lists.remembered(e.addr)) {
				more++
			}
		}
		loose.give(d)
		lists.give(d)
	}
	return more
}

// verdict is 2 if the access was told of a race, 1 if of luck alone.
func (r *tasksRun) verdict() (v int) {
	for _, a := range r.told {
		v = max(v, 1)
		if !r.knows(0, a.Strand) {
			v = 2
		}
	}
	return v
}

// A loose read leaves in front of it what others read, a write does not.
func TestLooseWrite(t *testing.T) {
	does := func(task, from int, op Op, site uint32) visit {
		return visit{task: task, from: from, certain: true, list: []event{{addr: low, op: op, site: site}}}
	}
	compareLoose(t, "reads and a write", []visit{
		does(0, 0, Write, 1), does(0, 0, Write, 2), does(0, 0, Write, 1), // now there is a journal
		does(0, 0, Write, 1), does(1, 0, Read, 3), does(0, 0, Write, 1),
	})
}

// After a loose read that comes back, not all of a journal precedes its first entry: who comes
// after that is told of what others read.
func TestLooseReadComesBack(t *testing.T) {
	does := func(task, from int, op Op, site uint32) visit {
		return visit{task: task, from: from, certain: true, list: []event{{addr: low, op: op, site: site}}}
	}
	compareLoose(t, "a read and a write", []visit{
		does(0, 0, Write, 1), does(0, 0, Write, 2), does(0, 0, Write, 1), // now there is a journal
		does(0, 0, Read, 3), does(1, 0, Read, 4), does(0, 0, Read, 3), does(2, 0, Write, 5),
	})
}

// Who is alone at a journal does not keep more there than in a list.
func TestAloneWithMany(t *testing.T) {
	var all []visit
	does := func(op Op, site uint32) {
		all = append(all, visit{list: []event{{addr: low, op: op, site: site}}})
	}
	for _, site := range []uint32{11, 11, 12, 13, 14} {
		does(AtomicWrite, site)
	}
	for site := range uint32(6) {
		does(AtomicRead, site)
	}
	does(AtomicWrite, 14)
	if found, _ := compareVisits(t, "atomic operations", all); found < 10 {
		t.Errorf("%d accesses were to a journal", found)
	}
}

// A read that takes the place of its task's former one leaves the others of that task, behind
// what is ordered by luck too, as it does in a list.
func TestReadTakesItsPlaceInJournal(t *testing.T) {
	read := func(task, from int, site uint32) visit {
		return visit{task: task, from: from, list: []event{{addr: low, op: Read, site: site}}}
	}
	found, _ := compareVisits(t, "reads", []visit{
		read(1, 1, 4), read(0, 1, 1), read(0, 0, 2), read(0, 0, 3), read(0, 0, 1), read(2, 2, 5), read(0, 0, 2),
	})
	if found != 2 {
		t.Errorf("%d accesses were to a journal", found)
	}
}
