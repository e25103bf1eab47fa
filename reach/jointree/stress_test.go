package jointree_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
)

// TestStress lets goroutines that fork each other act as tasks on all
// processors. They release into and acquire from shared objects, join through
// groups that whole subtrees share, and ask all the time about strands that
// others have published. What they did and what they were told is logged and
// checked against the oracle afterwards. With -race it also shows that all
// shared words of the engine are accessed in an order that memory has.
//
// Besides what the engine does itself, tasks are synchronised only where the
// judged program would be: by the lock of an object that replaces, by the end
// of a join, by a fork, and by learning of a strand.
func TestStress(t *testing.T) {
	for _, c := range []struct {
		name string
		mode mode
	}{
		{"plain", mode{}},
		{"cramped", mode{cramp: true}},
		{"collecting", mode{cramp: true, collect: true}},
		{"finalizers", mode{finalizers: true}},
		{"finalizers and collecting", mode{finalizers: true, cramp: true, collect: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, chains := 0, 0
			rounds := 30
			if reachtest.Race {
				rounds = 12
			}
			for range rounds {
				seed := rand.Uint64() // the schedule cannot be repeated anyway
				s := newStress(seed, c.mode)
				s.run()
				answers += s.verify(t)
				if s.engine.Chained() {
					chains++
				}
				s.engine.Close()
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
			t.Logf("%d answers", answers)
			if chains == 0 && !c.mode.finalizers { // who learns of all keeps tasks from taking a place
				t.Error("there were no chains")
			}
			if answers < 1000*rounds {
				t.Errorf("only %d answers", answers)
			}
		})
	}
}

// mode is what happens besides the ordinary.
type mode struct {
	cramp      bool // the engine's limits are low
	collect    bool // tasks are reclaimed
	finalizers bool // tasks acquire all others
}

const (
	stressTask = 60  // tasks in a round
	steps      = 40  // of each task
	slots      = 16  // where strands are published
	maxAnswers = 400 // logged by each task
	nothing    = -1  // an object that nobody releases into
)

type stress struct {
	engine  jointree.Engine
	seed    uint64
	mode    mode
	lost    atomic.Int32 // strands that an AcquireAll should have taught
	world   sync.RWMutex // a collection holds it alone
	age     uint32       // of the handles, counts collections; under world
	tasks   atomic.Int32
	objects [4]sharedObject
	slots   [slots]atomic.Pointer[published]
	running sync.WaitGroup

	mu   sync.Mutex
	logs []*taskLog
}

// sharedObject is a lock or a message slot. Its version orders the log.
type sharedObject struct {
	sync.Mutex
	object  jointree.Object
	version int
}

// joinGroup is a WaitGroup that a task shares with its descendants.
type joinGroup struct {
	sync.WaitGroup
	object jointree.Object
	number int
	added  atomic.Int32
}

type published struct {
	strand identity
	handle jointree.Handle
	age    uint32
}

// identity names a strand for good: ids of tasks are reused.
type identity struct{ serial, index uint32 }

type answer struct {
	u, v     identity
	precedes bool
}

type entry struct {
	op      string
	object  int // of the stress, or number of the group
	version int // of the object; for a join, how many merges it waited for
	child   uint32
	after   uint32 // index of the task's strand
}

type taskLog struct {
	serial  uint32
	entries []entry
	answers []answer
}

func newStress(seed uint64, m mode) *stress {
	s := &stress{seed: seed, mode: m}
	s.engine.Init(256)
	if m.cramp {
		s.engine.Cramp()
	}
	for i := range s.objects {
		s.objects[i].object = s.engine.NewObject()
	}
	return s
}

func (s *stress) run() {
	s.tasks.Store(1)
	s.running.Add(1)
	go s.task(s.engine.Root(), nil)
	s.running.Wait()
}

// actor is a task at work.
type actor struct {
	*stress
	*taskLog
	rand  *rand.Rand
	task  reach.Task
	outer *joinGroup // the group it is in, nil for none
	own   *joinGroup // the group of its children
}

func (s *stress) task(t reach.Task, group *joinGroup) {
	defer s.running.Done()
	a := actor{stress: s, task: t, outer: group}
	a.locked(func() {
		serial := s.engine.Serial(t)
		a.taskLog = &taskLog{serial: serial}
		a.rand = rand.New(rand.NewPCG(s.seed, uint64(serial)))
		a.own = &joinGroup{object: s.engine.NewObject(), number: int(serial) + len(s.objects)}
	})
	if a.rand.IntN(2) == 0 {
		a.synchronize() // to succeed an ended sibling, perhaps
	}
	for range steps {
		a.act()
	}
	// The merge needs no lock of ours: the engine has one.
	a.locked(func() {
		if group != nil {
			s.engine.ReleaseMerge(t, group.object)
			a.log(entry{op: "merge", object: group.number})
		}
		s.engine.End(t)
	})
	s.mu.Lock()
	s.logs = append(s.logs, a.taskLog)
	s.mu.Unlock()
	if group != nil {
		group.Done()
	}
}

func (a *actor) locked(f func()) {
	a.world.RLock()
	defer a.world.RUnlock()
	f()
}

func (a *actor) log(e entry) {
	e.after = a.engine.Strand(a.task).Index()
	a.entries = append(a.entries, e)
}

func (a *actor) act() {
	switch k := a.rand.IntN(20); {
	case k < 3:
		a.fork()
	case k < 5:
		a.join()
	case k < 9:
		a.synchronize()
	case k < 10 && a.mode.collect:
		a.reclaim()
	case k < 11 && a.mode.finalizers:
		a.locked(a.acquireAll)
	default:
		for range 8 {
			a.locked(a.ask)
		}
		a.locked(a.publish)
	}
}

func (a *actor) fork() {
	if a.tasks.Add(1) > stressTask {
		return
	}
	group := a.own
	if a.outer != nil && a.rand.IntN(3) == 0 {
		group = a.outer // one group for a whole tree
	} else if a.rand.IntN(4) == 0 {
		group = nil // nobody joins it
	}
	if group != nil {
		group.Add(1)
		group.added.Add(1)
	}
	a.locked(func() {
		child := a.engine.Fork(a.task)
		a.log(entry{op: "fork", child: a.engine.Serial(child)})
		a.running.Add(1)
		go a.stress.task(child, group)
	})
}

func (a *actor) join() {
	a.own.Wait()
	a.locked(func() {
		a.engine.Acquire(a.task, a.own.object)
		a.log(entry{op: "join", object: a.own.number, version: int(a.own.added.Load())})
	})
}

func (a *actor) synchronize() {
	i := a.rand.IntN(len(a.objects))
	o := &a.objects[i]
	a.locked(func() {
		o.Lock()
		defer o.Unlock()
		op := "acquire"
		switch a.rand.IntN(6) {
		case 0:
			op = "release"
			a.engine.Release(a.task, o.object)
		case 1:
			op = "merge version"
			a.engine.ReleaseMerge(a.task, o.object)
		case 2:
			op = "swap"
			a.engine.ReleaseAcquire(a.task, o.object)
		default:
			a.engine.Acquire(a.task, o.object)
		}
		o.version++
		a.log(entry{op: op, object: i, version: o.version})
	})
}

// acquireAll learns at least the strands published before. What else it learns
// depends on the moment, so the oracle is not told.
func (a *actor) acquireAll() {
	var before [slots]*published
	for i := range before {
		before[i] = a.slots[i].Load()
	}
	a.engine.AcquireAll(a.task)
	for _, p := range before {
		if p != nil && !a.engine.Precedes(reach.StrandOf(p.handle.Task, p.handle.Index), a.task) {
			a.lost.Add(1)
		}
	}
	a.log(entry{op: "all"})
}

func (a *actor) publish() {
	a.slots[a.rand.IntN(slots)].Store(&published{
		strand: identity{a.serial, a.engine.Strand(a.task).Index()},
		handle: a.engine.Current(a.task),
		age:    a.age,
	})
}

// ask asks about a published strand and the current one, or two published
// strands.
func (a *actor) ask() {
	u := a.slots[a.rand.IntN(slots)].Load()
	v := a.slots[a.rand.IntN(slots)].Load()
	if u == nil {
		return
	}
	strand := reach.StrandOf(u.handle.Task, u.handle.Index)
	var got answer
	if v != nil && v.age == a.age && a.rand.IntN(2) == 0 {
		got = answer{u.strand, v.strand, a.engine.PrecedesStrand(strand, v.handle)}
	} else {
		got = answer{u.strand, identity{a.serial, a.engine.Strand(a.task).Index()}, a.engine.Precedes(strand, a.task)}
	}
	if len(a.answers) < maxAnswers {
		a.answers = append(a.answers, got)
	}
}

func (a *actor) reclaim() {
	a.world.Lock()
	defer a.world.Unlock()
	a.age++
	a.engine.BeginMark()
	for i := range a.slots {
		if p := a.slots[i].Load(); p != nil {
			a.engine.Mark(reach.StrandOf(p.handle.Task, p.handle.Index))
		}
	}
	a.engine.Sweep()
}

// replay puts the logs into the oracle, in an order in which they happened.
type replay struct {
	oracle   *dag.Tasks
	tasks    map[uint32]int // by serial
	versions map[int]int    // of objects, or merges into a group
	strands  map[identity]dag.Strand
}

// verify checks every answer and returns how many there were. With finalizers
// there is more order than the oracle knows.
func (s *stress) verify(t *testing.T) (answers int) {
	if n := s.lost.Load(); n > 0 {
		t.Errorf("AcquireAll did not teach %d strands", n)
	}
	r := replay{
		oracle:   dag.NewTasks(),
		tasks:    map[uint32]int{1: 1},
		versions: map[int]int{},
		strands:  map[identity]dag.Strand{},
	}
	r.strands[identity{1, 0}] = r.oracle.Current(1)
	next := make([]int, len(s.logs))
	for moved := true; moved; {
		moved = false
		for i, log := range s.logs {
			for next[i] < len(log.entries) && r.happened(log.serial, log.entries[next[i]]) {
				next[i]++
				moved = true
			}
		}
	}
	for i, log := range s.logs {
		if next[i] < len(log.entries) {
			t.Fatalf("task %d: the log cannot have happened from entry %d: %+v", log.serial, next[i], log.entries[next[i]])
		}
		for _, a := range log.answers {
			u, v := r.strands[a.u], r.strands[a.v]
			want := u == v || r.oracle.Precedes(u, v)
			if a.precedes != want && !(a.precedes && s.mode.finalizers) {
				t.Errorf("strand %d of task %d precedes strand %d of task %d = %v, want %v",
					a.u.index, a.u.serial, a.v.index, a.v.serial, a.precedes, want)
			}
		}
		answers += len(log.answers)
	}
	return answers
}

// happened replays e if all that it depends on has been replayed.
func (r *replay) happened(serial uint32, e entry) bool {
	task, ok := r.tasks[serial]
	if !ok {
		return false
	}
	switch e.op {
	case "all":
		r.oracle.Acquire(task, nothing)
	case "fork":
		r.tasks[e.child] = r.oracle.Fork(task)
		r.strands[identity{e.child, 0}] = r.oracle.Current(r.tasks[e.child])
	case "merge":
		r.versions[e.object]++
		r.oracle.ReleaseMerge(task, e.object)
	case "join":
		if r.versions[e.object] < e.version {
			return false
		}
		r.oracle.Acquire(task, e.object)
	default:
		if r.versions[e.object]+1 < e.version {
			return false
		}
		r.versions[e.object]++
		r.versioned(task, e)
	}
	id := identity{serial, e.after}
	if _, ok := r.strands[id]; !ok {
		r.strands[id] = r.oracle.Current(task)
	}
	return true
}

func (r *replay) versioned(task int, e entry) {
	switch e.op {
	case "release":
		r.oracle.Release(task, e.object)
	case "merge version":
		r.oracle.ReleaseMerge(task, e.object)
	case "swap":
		r.oracle.ReleaseAcquire(task, e.object)
	case "acquire":
		r.oracle.Acquire(task, e.object)
	}
}
