package detect

import (
	"fmt"
	"slices"
	"testing"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/vclock"
	"github.com/detrace/detrace/shadow"
)

// deed is an access that the oracle of both orders remembers.
type deed struct {
	serial, index uint32
	all, certain  reach.Strand
	op            shadow.Op
	pc            uintptr
	locks         map[uintptr]bool // held; true: exclusively
	repeats       bool             // what its strand did there before
}

// under reports whether all locks of x are y's too: then x was told of no less.
func (x deed) under(y deed) bool {
	for lock, exclusive := range x.locks {
		if other, held := y.locks[lock]; !held || exclusive && !other {
			return false
		}
	}
	return true
}

// exclude reports whether a lock keeps two accesses apart.
func exclude(x, y deed) bool {
	for lock, exclusive := range x.locks {
		if other, held := y.locks[lock]; held && (exclusive || other) {
			return true
		}
	}
	return false
}

// orders runs a program on a detector and beside it on vector clocks of all edges and
// of the certain ones, with all accesses and the locks they were made under.
type orders struct {
	*judged
	all, certain vclock.Engine
	tasks        []reach.Task // of the detector, by number; 0 ended
	twins        []reach.Task // of the oracles
	objects      [2]map[uintptr]uint32
	bytes        map[uintptr][]deed
	held         []map[uintptr]bool // locks, by task
	racy         map[uintptr]bool
	luckEntry    *record.Entry
	lucky        *uint64 // occurrences of luck in the access
	seen         struct{ luck, locked, races, mixed int }
	spawn        func(reach.Task) reach.Task // as a construct of a run, 0 if it is none of its; may be nil
}

func newOrders(t testing.TB) *orders {
	o := &orders{judged: newJudged(t), lucky: (*uint64)(offheap.Reserve(4096))}
	var index record.Index
	index.Init()
	o.luckEntry, _ = index.Find(record.KindRace, 1, 1)
	o.luckEntry.Place(o.lucky)
	o.host.Luck = func(addr uintptr, first, second shadow.Access) *record.Entry {
		o.lucks = append(o.lucks, race{addr, first, second})
		o.luckEntry.Count()
		return o.luckEntry
	}
	return o
}

func (o *orders) run(steps []step) error {
	o.all, o.certain = vclock.Engine{}, vclock.Engine{}
	o.objects = [2]map[uintptr]uint32{{}, {}}
	o.bytes, o.racy = map[uintptr][]deed{}, map[uintptr]bool{}
	o.tasks, o.twins = []reach.Task{0, o.Fork(o.Engine.Root(), 0)}, []reach.Task{0, o.all.Root()}
	o.held, o.live = []map[uintptr]bool{nil, {}}, living(&o.tasks)
	defer func() {
		if o.spawn != nil {
			return // its tasks may not end before they joined their children
		}
		for _, t := range o.tasks[1:] {
			if t != 0 {
				o.End(t)
			}
		}
		o.Forget(low, lowSize)
	}()
	for i, s := range steps {
		if s.task >= len(o.tasks) || o.tasks[s.task] == 0 {
			continue
		}
		if err := o.step(s); err != nil {
			return fmt.Errorf("step %d: %v: %w", i, s, err)
		}
	}
	return nil
}

// object is that of an oracle: 0 of all edges, 1 of the certain ones.
func (o *orders) object(order int, addr uintptr) uint32 {
	if o.objects[order][addr] == 0 {
		o.objects[order][addr] = []*vclock.Engine{&o.all, &o.certain}[order].NewObject()
	}
	return o.objects[order][addr]
}

// learn acquires by an observed edge.
func (o *orders) learn(s step, addr uintptr) {
	t := o.tasks[s.task]
	o.observed(t, addr, o.AcquireObserved)
	o.all.Acquire(o.twins[s.task], o.object(0, addr))
}

// acquire acquires by a certain edge.
func (o *orders) acquire(s step) {
	o.Acquire(o.tasks[s.task], s.addr)
	o.all.Acquire(o.twins[s.task], o.object(0, s.addr))
	o.certain.Acquire(o.twins[s.task], o.object(1, s.addr))
}

func (o *orders) release(s step) {
	o.Release(o.tasks[s.task], s.addr)
	o.all.Release(o.twins[s.task], o.object(0, s.addr))
	o.certain.Release(o.twins[s.task], o.object(1, s.addr))
}

func (o *orders) step(s step) error {
	t, u := o.tasks[s.task], o.twins[s.task]
	switch s.what {
	case "read", "readrange":
		return o.access(s, shadow.Read)
	case "write", "writerange":
		return o.access(s, shadow.Write)
	case "load", "store", "add":
		return o.atomic(s)
	case "acquire":
		o.acquire(s)
	case "release":
		o.release(s)
	case "merge":
		o.ReleaseMerge(t, s.addr)
		o.all.ReleaseMerge(u, o.object(0, s.addr))
		o.certain.ReleaseMerge(u, o.object(1, s.addr))
	case "exchange", "swap":
		o.exchange(s)
	case "print": // takes a lock of the library, that nobody else sees, and gives it back
		o.learn(s, s.addr)
		o.Release(t, s.addr)
		o.all.Release(u, o.object(0, s.addr))
	case "lock", "rlock":
		o.take(s)
	case "unlock":
		o.give(s)
	case "fork":
		if len(o.tasks) <= 8 {
			o.certain.Fork(u)
			o.tasks, o.twins = append(o.tasks, o.fork(s, t)), append(o.twins, o.all.Fork(u))
			o.held = append(o.held, map[uintptr]bool{})
		}
	case "end":
		if s.task != 1 && len(o.held[s.task]) == 0 && o.spawn == nil {
			o.End(t)
			o.tasks[s.task] = 0
		}
	case "run":
		o.Parallel(t, engines.Order, false)
		o.serial.forced = false
	case "forget":
		o.Forget(s.addr, s.size)
		for b := s.addr; b < s.addr+s.size; b++ {
			delete(o.bytes, b)
			delete(o.objects[0], b)
			delete(o.objects[1], b)
			delete(o.racy, b)
		}
	case "collect":
		o.Collect(true)
	}
	return nil
}

// fork is a construct of the run, if there is one, or a go statement.
func (o *orders) fork(s step, t reach.Task) reach.Task {
	if o.spawn != nil && s.pc%2 == 0 {
		if started := o.spawn(t); started != 0 {
			return started
		}
	}
	return o.Fork(t, 7)
}

// exchange releases and acquires, as who passes a value through a channel does; a swap
// acquires by an observed edge.
func (o *orders) exchange(s step) {
	t, u := o.tasks[s.task], o.twins[s.task]
	if s.what == "exchange" {
		o.ReleaseAcquire(t, s.addr)
		o.certain.ReleaseAcquire(u, o.object(1, s.addr))
	} else {
		o.observed(t, s.addr, o.ReleaseAcquireObserved)
		o.certain.Release(u, o.object(1, s.addr))
	}
	o.all.ReleaseAcquire(u, o.object(0, s.addr))
}

// take locks, if nobody is in the way. A lock synchronises at two addresses as Go's
// RWMutex does: what writers release, and what readers do.
func (o *orders) take(s step) {
	for t, held := range o.held {
		if exclusive, has := held[s.addr]; has && (exclusive || s.what == "lock" || t == s.task) {
			return
		}
	}
	exclusive := s.what == "lock"
	o.learn(s, s.addr)
	if exclusive {
		o.learn(s, s.addr+8)
	}
	o.Hold(o.tasks[s.task], s.addr, exclusive)
	o.held[s.task][s.addr] = exclusive
}

func (o *orders) give(s step) {
	t, u := o.tasks[s.task], o.twins[s.task]
	exclusive, held := o.held[s.task][s.addr]
	switch {
	case !held:
		return
	case exclusive:
		o.Release(t, s.addr)
		o.all.Release(u, o.object(0, s.addr))
	default:
		o.ReleaseMerge(t, s.addr+8)
		o.all.ReleaseMerge(u, o.object(0, s.addr+8))
	}
	o.Drop(t, s.addr, exclusive)
	delete(o.held[s.task], s.addr)
}

func (o *orders) access(s step, op shadow.Op) error {
	t := o.tasks[s.task]
	o.races, o.lucks, *o.count, *o.lucky, o.mixed = nil, nil, 0, 0, 0
	if s.size == 1 && !op.Atomic() {
		o.judged.access(t, op, s.addr, s.pc)
	} else {
		p := o.proc(t)
		o.Enter(p)
		o.Access(p, t, s.addr, s.size, s.pc, placed(op, s.pc))
		o.Leave(p)
	}
	return o.judge(s, op)
}

// atomic is the access, then the edges.
func (o *orders) atomic(s step) error {
	op := shadow.AtomicWrite
	if s.what == "load" {
		op = shadow.AtomicRead
	}
	t, u := o.tasks[s.task], o.twins[s.task]
	if err := o.access(s, op); err != nil {
		return err
	}
	switch s.what {
	case "load":
		o.acquire(s)
	case "store":
		o.release(s)
	case "add":
		o.observed(t, s.addr, o.AcquireObserved)
		o.ReleaseMore(t, s.addr)
		o.all.Acquire(u, o.object(0, s.addr))
		o.all.Release(u, o.object(0, s.addr))
		o.certain.ReleaseMerge(u, o.object(1, s.addr))
	}
	return nil
}

// judge compares what was told with what there is.
func (o *orders) judge(s step, op shadow.Op) error {
	t, u := o.tasks[s.task], o.twins[s.task]
	now := deed{o.Engine.Serial(t), o.Engine.Strand(t).Index(), o.all.Strand(u), o.certain.Strand(u), op, s.pc, map[uintptr]bool{}, false}
	for lock, exclusive := range o.held[s.task] {
		now.locks[lock] = exclusive
	}
	var races, luck []deed
	mustRace, mustLuck, mustMix := false, false, false
	for b := s.addr; b < s.addr+s.size; b++ {
		repeats := slices.ContainsFunc(o.bytes[b], func(x deed) bool {
			return x.serial == now.serial && x.index == now.index && (x.op == op || x.op == shadow.Write || op == shadow.AtomicRead) && x.under(now)
		})
		plain, mixed := false, false
		for _, x := range o.bytes[b] {
			ordered := o.all.Precedes(x.all, u)
			certain := ordered && o.certain.Precedes(x.certain, u)
			plain = plain || !certain && conflict(x.op, op)
			switch {
			case certain || !x.op.Writes() && !op.Writes():
			case conflict(x.op, op) && !ordered:
				races = append(races, x)
				mustRace = mustRace || !repeats
				o.racy[b] = true
			case conflict(x.op, op) && !exclude(x, now):
				luck = append(luck, x)
				mustLuck = mustLuck || !repeats && !o.racy[b]
			case conflict(x.op, op):
				o.seen.locked++
			default:
				mixed = mixed || !repeats && !x.repeats
			}
		}
		// A plain access that stands for an atomic one says more.
		mustMix = mustMix || mixed && !plain
		now.repeats = repeats
		o.bytes[b] = append(o.bytes[b], now)
	}
	o.seen.races, o.seen.luck, o.seen.mixed = o.seen.races+len(races), o.seen.luck+len(luck), o.seen.mixed+o.mixed
	switch {
	case mustRace && *o.count == 0 && *o.lucky == 0 || *o.count != 0 && len(races) == 0:
		return fmt.Errorf("races with %+v, told %d times", races, *o.count)
	case mustLuck && *o.lucky == 0 && len(races) == 0 || *o.lucky != 0 && len(luck) == 0:
		return fmt.Errorf("luck with %+v, told %d times", luck, *o.lucky)
	case mustMix && o.mixed == 0:
		return fmt.Errorf("operations that only luck orders were not told")
	}
	for _, r := range o.lucks {
		if !slices.ContainsFunc(luck, func(x deed) bool {
			return x.op == r.first.Op && x.pc == uintptr(r.first.Place) && x.serial == o.Engine.Serial(r.first.Strand.Task()) && x.index == r.first.Strand.Index()
		}) {
			return fmt.Errorf("told that luck orders it after %+v; true of %+v", r.first, luck)
		}
	}
	return nil
}
