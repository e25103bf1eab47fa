package detect

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// Where the objects and locks of these programs are, apart from their data.
const (
	objectsAt = low + 0x10000
	locksAt   = low + 0x20000
)

var luckWhats = []string{"read", "read", "write", "write", "readrange", "writerange", "load", "store", "add", "add",
	"acquire", "release", "merge", "exchange", "swap", "print", "print", "print", "print", "print", "print", "lock", "lock", "lock", "rlock", "unlock", "unlock",
	"fork", "fork", "end", "forget", "collect"}

func luckySteps(r *rand.Rand, n int) []step {
	tasks := 1
	var steps []step
	spread := []int{1, 4, 12, 40}[r.IntN(4)]
	locks := 1 + r.IntN(3)
	for len(steps) < n {
		s := step{what: luckWhats[r.IntN(len(luckWhats))], task: 1 + r.IntN(tasks), addr: low + uintptr(r.IntN(spread)), size: 1, pc: uintptr(1 + r.IntN(5))}
		switch s.what {
		case "fork":
			if tasks < 8 {
				tasks++
			}
		case "readrange", "writerange", "forget":
			s.size = uintptr(1 + r.IntN(30))
		case "acquire", "release", "merge", "exchange", "swap":
			s.addr = objectsAt + 16*uintptr(r.IntN(4))
		case "print":
			s.addr = objectsAt + 16*uintptr(4+r.IntN(2))
		case "lock", "rlock", "unlock":
			s.addr = locksAt + 16*uintptr(r.IntN(locks))
			if s.what == "unlock" {
				break
			}
			for range r.IntN(3) { // what the lock is for
				steps = append(steps, s)
				s = step{what: []string{"read", "write"}[r.IntN(2)], task: s.task, addr: low + uintptr(r.IntN(spread)), size: 1, pc: uintptr(1 + r.IntN(2))}
			}
		case "collect":
			if r.IntN(3) != 0 {
				s.what = "write"
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// turns is a program of tasks that take turns at one variable, under one of few locks or two,
// and seldom under none.
func turns(r *rand.Rand, n int) []step {
	tasks, locks := 1, uintptr(1+r.IntN(3))
	bare := []int{20, 100, n}[r.IntN(3)]
	var steps []step
	do := func(what string, task int, addr uintptr) {
		steps = append(steps, step{what: what, task: task, addr: addr, size: 1, pc: uintptr(1 + r.IntN(3))})
	}
	for len(steps) < n {
		task := 1 + r.IntN(tasks)
		if tasks < 8 && r.IntN(10) == 0 {
			do("fork", task, low)
			tasks++
			continue
		}
		lock := locksAt + 16*uintptr(r.IntN(int(locks)))
		second, held := locksAt+16*locks, r.IntN(bare) != 0
		if held {
			do([]string{"lock", "lock", "lock", "rlock"}[r.IntN(4)], task, lock)
			if r.IntN(6) == 0 {
				do("lock", task, second)
			}
		}
		for range 1 + r.IntN(2) {
			do([]string{"read", "write"}[r.IntN(2)], task, low)
		}
		if held {
			do("unlock", task, second)
			do("unlock", task, lock)
		}
	}
	return steps
}

// Every pair of accesses of random programs falls into race, ordered by luck, or
// ordered: which one is what vector clocks of all edges, those of the certain ones, and
// the locks that both accesses were made under say; with audiences of readers too.
func TestLuckAgainstVectorClocks(t *testing.T) {
	o := newOrders(t)
	for seed := range uint64(3000) {
		renew := func() *orders {
			o := newOrders(t)
			if seed/50%2 == 1 {
				o.eager()
			}
			return o
		}
		if seed%50 == 0 {
			o = renew() // whose orders are not split yet
		}
		steps := luckySteps(rand.New(rand.NewPCG(seed, 8)), 150)
		if err := o.run(steps); err != nil {
			steps, err = shrinkSteps(steps, err, func(steps []step) error { return renew().run(steps) })
			t.Fatalf("seed %d: %v\n%v", seed, err, text(steps))
		}
		if seed%64 == 63 {
			o.Collect(true)
		}
		if o.crowded > 0 {
			t.Fatalf("seed %d: crowded", seed)
		}
	}
	if s := o.seen; s.luck < 100 || s.locked < 50 || s.races < 100 || s.mixed < 100 {
		t.Errorf("%+v: the test is blind", s)
	}
}

// So it is when an engine of structured programs answers for some of the tasks, and for
// as long as it does: what orders the others is still of both kinds.
func TestLuckBesideARun(t *testing.T) {
	var answered int
	run := func(t *testing.T, o *orders, steps []step) error {
		// The first step makes task 1 the root of a run, of which one task has come and gone.
		o.spawn = func(task reach.Task) reach.Task {
			if !o.Structured(task) {
				return 0
			}
			return tell(t, o.judged, reach.Spawn, task, 0, 0)
		}
		return o.run(append([]step{{what: "run", task: 1, addr: low, size: 1}}, steps...))
	}
	for seed := range uint64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { // gives the memory back
			o := newOrders(t)
			t.Cleanup(o.closeSerial)
			steps := luckySteps(rand.New(rand.NewPCG(seed, 10)), 60)
			if err := run(t, o, steps); err != nil {
				t.Fatalf("%v\n%v", err, text(steps))
			}
			if first, now, _, _ := o.Answering(); first == engines.Order && now == first {
				answered++
			}
		})
	}
	if answered < 20 {
		t.Errorf("in %d programs the first engine answered to the end: the test is blind", answered)
	}
}

// So it is of many accesses to one variable, of which each would have to be compared with
// all before: long lists, whose parts under one lock are skipped.
func TestLuckOfManyTurns(t *testing.T) {
	o, longest := newOrders(t), 0
	for seed := range uint64(200) {
		steps := turns(rand.New(rand.NewPCG(seed, 9)), 500)
		if err := o.run(steps); err != nil {
			steps, err = shrinkSteps(steps, err, func(steps []step) error { return newOrders(t).run(steps) })
			t.Fatalf("seed %d: %v\n%v", seed, err, text(steps))
		}
		longest = max(longest, len(o.bytes[low]))
	}
	if s := o.seen; s.luck < 100 || s.locked < 1000 || s.races < 100 || longest < 100 {
		t.Errorf("%+v, %d accesses to a variable at most: the test is blind", s, longest)
	}
}

// Two critical sections of one lock do not race and are no luck; with different locks,
// or for reading on both sides, they are.
func TestLocksExclude(t *testing.T) {
	for _, c := range []struct {
		first, second string
		luck          bool
	}{
		{"lock 0", "lock 0", false},
		{"lock 0", "lock 1", true},
		{"lock 0", "rlock 0", false},
		{"rlock 0", "lock 0", false},
		{"rlock 0", "rlock 0", true},
		{"", "lock 0", true},
		{"lock 0 lock 1", "rlock 1", false},
		{"lock 0 unlock 0", "lock 0", true},
	} {
		t.Run(strings.ReplaceAll(c.first+" and "+c.second, " ", "_"), func(t *testing.T) {
			o := newOrders(t)
			var steps []step
			add := func(task int, words string) {
				f := strings.Fields(words)
				for i := 0; i+1 < len(f); i += 2 {
					steps = append(steps, step{what: f[i], task: task, addr: locksAt + 16*uintptr(f[i+1][0]-'0')})
				}
			}
			steps = append(steps, step{what: "fork", task: 1})
			add(1, c.first)
			steps = append(steps, step{what: "write", task: 1, addr: low, size: 1, pc: 1})
			for range 2 {
				add(1, "unlock 0 unlock 1")
			}
			steps = append(steps, step{what: "print", task: 1, addr: objectsAt}, step{what: "print", task: 2, addr: objectsAt})
			add(2, c.second)
			steps = append(steps, step{what: "write", task: 2, addr: low, size: 1, pc: 2})
			if err := o.run(steps); err != nil {
				t.Fatal(err)
			}
			if luck := *o.lucky > 0; luck != c.luck || len(o.races) > 0 {
				t.Errorf("luck %v, want %v; races %v", luck, c.luck, o.races)
			}
		})
	}
}

// A lock that one task takes and another gives back protects nothing; nor does a new lock
// where an old one was.
func TestLocksThatDoNotProtect(t *testing.T) {
	o := newOrders(t)
	a, b := o.Fork(o.Engine.Root(), 0), o.Fork(o.Engine.Root(), 0)
	o.Hold(a, locksAt, true)
	held := o.Local(a).Locks
	o.Drop(b, locksAt, true)
	if o.locks.exclude(held, held) {
		t.Error("a lock that another task gave back protects")
	}
	o.Hold(a, locksAt+16, true)
	held = o.Local(a).Locks
	o.Drop(a, locksAt+16, true)
	o.Forget(locksAt, 64)
	o.Hold(b, locksAt+16, true)
	if o.locks.exclude(held, o.Local(b).Locks) {
		t.Error("a new lock is taken for the one that was there before")
	}
}

// An object that changes hands as a whole is ordered where this schedule orders it; the
// same transition elsewhere is luck, though the thread has just seen it.
func TestHandedOn(t *testing.T) {
	o := newOrders(t)
	const handed, other = low + 64, low + 128
	o.host.HandedOn = func(addr uintptr) bool { return addr == handed }
	root := o.Engine.Root()
	a, b := o.Fork(root, 0), o.Fork(root, 0)
	for _, addr := range []uintptr{handed, other} {
		o.judged.access(a, shadow.Write, addr, 1)
	}
	o.Release(a, objectsAt)
	o.observed(b, objectsAt, o.AcquireObserved)
	*o.lucky = 0
	o.judged.access(b, shadow.Write, handed, 2)
	if *o.lucky != 0 {
		t.Error("luck in an object that was handed on")
	}
	o.judged.access(b, shadow.Write, other, 2)
	if *o.lucky != 1 {
		t.Errorf("%d pairs of luck elsewhere, want 1", *o.lucky)
	}
}

// Who comes back to memory after it was given back is told of luck that was none before.
func TestGivenBack(t *testing.T) {
	j := newJudged(t).eager()
	lent := true
	j.host.HandedOn = func(uintptr) bool { return lent }
	root := j.Engine.Root()
	a, b := j.Fork(root, 0), j.Fork(root, 0)
	j.write(a, low+4, 9) // which splits the line
	writes := func() {
		j.Release(b, low+128)
		j.write(b, low, 1)
	}
	j.write(a, low, 2)
	j.Release(a, low+64)
	j.observed(b, low+64, j.AcquireObserved)
	for range 5 {
		writes()
	}
	if len(j.lucks) != 0 {
		t.Fatalf("%d times luck on loan", len(j.lucks))
	}
	lent = false
	if writes(); len(j.lucks) != 1 || len(j.races) != 0 {
		t.Errorf("%d times luck, want 1; %d races", len(j.lucks), len(j.races))
	}
}
