package detect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/vclock"
	"github.com/detrace/detrace/shadow"
)

// step is one event of a random program.
type step struct {
	what string
	task int // numbered in order of creation from 1, the program's main task
	addr uintptr
	size uintptr
	pc   uintptr
}

var whats = []string{"read", "read", "read", "write", "write", "readrange", "writerange", "load", "store", "add",
	"acquire", "acquire", "release", "merge", "exchange", "fork", "end", "forget", "collect"}

func randomSteps(r *rand.Rand, n int) []step {
	tasks := 1
	steps := make([]step, n)
	spread := []int{1, 12, 40, 600}[r.IntN(4)]
	for i := range steps {
		s := step{what: whats[r.IntN(len(whats))], task: 1 + r.IntN(tasks), addr: low + uintptr(r.IntN(spread)), size: 1, pc: uintptr(1 + r.IntN(5))}
		switch s.what {
		case "fork":
			if tasks < 12 {
				tasks++
			}
		case "readrange", "writerange", "forget":
			s.size = uintptr(1 + r.IntN(30))
		case "collect":
			if r.IntN(3) != 0 {
				s.what = "write"
			}
		}
		steps[i] = s
	}
	return steps
}

// made is an access that the oracle remembers.
type made struct {
	serial, index uint32       // its strand, to the detector
	clock         reach.Strand // and to the oracle
	op            shadow.Op
	pc            uintptr
}

// twin runs a program on a detector and on vector clocks with all accesses.
type twin struct {
	*judged
	clocks  vclock.Engine
	tasks   []reach.Task // of the detector, by number; 0 ended
	twins   []reach.Task // of the oracle
	objects map[uintptr]uint32
	bytes   map[uintptr][]made
	first   uint32           // serial number of the first task
	outcome shadow.Outcome   // of the last access that came to the history
	hook    func(step) error // instead of step, if not nil
}

// run resets the oracle and runs steps, those that can happen, in a task of their
// own, so that one detector serves many programs.
func (w *twin) run(steps []step) error {
	w.clocks = vclock.Engine{}
	w.objects, w.bytes = make(map[uintptr]uint32), make(map[uintptr][]made)
	w.tasks, w.twins = []reach.Task{0, w.Fork(w.Engine.Root(), 0)}, []reach.Task{0, w.clocks.Root()}
	w.first, w.live = w.Engine.Serial(w.tasks[1]), living(&w.tasks)
	do := w.step
	if w.hook != nil {
		do = w.hook
	}
	defer func() {
		for _, t := range w.tasks[1:] {
			if t != 0 {
				w.End(t)
			}
		}
		w.Forget(low, lowSize)
	}()
	for i, s := range steps {
		if s.task >= len(w.tasks) || w.tasks[s.task] == 0 {
			continue
		}
		if err := do(s); err != nil {
			return fmt.Errorf("step %d: %v: %w", i, s, err)
		}
	}
	return nil
}

func (w *twin) step(s step) error {
	t, u := w.tasks[s.task], w.twins[s.task]
	switch s.what {
	case "read", "readrange":
		return w.plain(s, shadow.Read)
	case "write", "writerange":
		return w.plain(s, shadow.Write)
	case "load", "store", "add":
		return w.atomic(s)
	case "acquire":
		w.Acquire(t, s.addr)
		w.clocks.Acquire(u, w.twinObject(s.addr))
	case "release":
		w.Release(t, s.addr)
		w.clocks.Release(u, w.twinObject(s.addr))
	case "merge":
		w.ReleaseMerge(t, s.addr)
		w.clocks.ReleaseMerge(u, w.twinObject(s.addr))
	case "exchange":
		w.ReleaseAcquire(t, s.addr)
		w.clocks.ReleaseAcquire(u, w.twinObject(s.addr))
	case "fork":
		if len(w.tasks) <= 12 {
			w.tasks, w.twins = append(w.tasks, w.Fork(t, 7)), append(w.twins, w.clocks.Fork(u))
		}
	case "end":
		if s.task != 1 {
			w.End(t)
			w.tasks[s.task] = 0
		}
	case "forget":
		w.Forget(s.addr, s.size)
		for b := s.addr; b < s.addr+s.size; b++ {
			delete(w.bytes, b)
			delete(w.objects, b)
		}
	case "collect":
		w.Collect(true)
	}
	return nil
}

func (w *twin) twinObject(addr uintptr) uint32 {
	if w.objects[addr] == 0 {
		w.objects[addr] = w.clocks.NewObject()
	}
	return w.objects[addr]
}

func (w *twin) plain(s step, op shadow.Op) error {
	t := w.tasks[s.task]
	w.races, *w.count = nil, 0
	if s.size != 1 {
		w.slow(t, op, s)
	} else if p := w.proc(t); !w.shortcut(p, t, op, s.addr, s.pc) {
		w.outcome = p.through(&w.Detector, t, op, s.addr, s.pc)
	}
	return w.judge(s, op)
}

func (w *twin) slow(t reach.Task, op shadow.Op, s step) {
	p := w.proc(t)
	w.Enter(p)
	w.outcome = w.Access(p, t, s.addr, s.size, s.pc, placed(op, s.pc))
	w.Leave(p)
}

// atomic is an operation as a judged program makes it: the access, then its edges.
func (w *twin) atomic(s step) error {
	op := shadow.AtomicWrite
	if s.what == "load" {
		op = shadow.AtomicRead
	}
	w.races, *w.count = nil, 0
	w.slow(w.tasks[s.task], op, s)
	if err := w.judge(s, op); err != nil {
		return err
	}
	if s.what != "store" {
		w.Acquire(w.tasks[s.task], s.addr)
		w.clocks.Acquire(w.twins[s.task], w.twinObject(s.addr))
	}
	if s.what != "load" {
		w.Release(w.tasks[s.task], s.addr)
		w.clocks.Release(w.twins[s.task], w.twinObject(s.addr))
	}
	return nil
}

// judge compares the races told with those there are.
func (w *twin) judge(s step, op shadow.Op) error {
	t, u := w.tasks[s.task], w.twins[s.task]
	now := made{w.Engine.Serial(t), w.Engine.Strand(t).Index(), w.clocks.Strand(u), op, s.pc}
	var real []made
	news := false
	for b := s.addr; b < s.addr+s.size; b++ {
		repeats := slices.ContainsFunc(w.bytes[b], func(x made) bool {
			return x.serial == now.serial && x.index == now.index && (x.op == op || x.op == shadow.Write || op == shadow.AtomicRead)
		})
		for _, x := range w.bytes[b] {
			if conflict(x.op, op) && !w.clocks.Precedes(x.clock, u) {
				real = append(real, x)
				news = news || !repeats
			}
		}
		w.bytes[b] = append(w.bytes[b], now)
	}
	if news && *w.count == 0 || *w.count != 0 && len(real) == 0 {
		return fmt.Errorf("races with %v, told %d times", real, *w.count)
	}
	for _, r := range w.races {
		if r.second.Op != op || r.second.Place != uint32(s.pc) || r.addr-s.addr >= s.size {
			return fmt.Errorf("told as %+v", r)
		}
		if !slices.ContainsFunc(real, func(x made) bool {
			return x.op == r.first.Op && x.pc == uintptr(r.first.Place) && x.serial == w.Engine.Serial(r.first.Strand.Task()) && x.index == r.first.Strand.Index()
		}) {
			return fmt.Errorf("told to race with %+v, it races with %v", r.first, real)
		}
	}
	return nil
}

func conflict(a, b shadow.Op) bool {
	return (a.Writes() || b.Writes()) && !(a.Atomic() && b.Atomic())
}

// Random programs of tasks that fork, synchronise through objects at any byte, and
// access memory as a judged program does, are run side by side on vector clocks
// and lists of all accesses. One detector runs them all, so ids of tasks, states
// and objects come to be used again; another, in which every byte may have an audience of
// readers or a journal, runs every other program.
func TestAgainstVectorClocks(t *testing.T) {
	all := [2]*twin{{judged: newJudged(t)}, {judged: newJudged(t).eager()}}
	for seed := range uint64(4000) {
		w := all[seed%2]
		steps := randomSteps(rand.New(rand.NewPCG(seed, 4)), 150)
		if err := w.run(steps); err != nil {
			steps, err = shrinkSteps(steps, err, func(steps []step) error {
				w := &twin{judged: newJudged(t)}
				if seed%2 == 1 {
					w.eager()
				}
				return w.run(steps)
			})
			t.Fatalf("seed %d: %v\n%v", seed, err, text(steps))
		}
		if seed%64 >= 62 {
			w.Collect(true)
		}
	}
	for _, w := range all {
		if tasks, objects, _ := w.Engine.Live(); tasks > 2000 || objects != 0 || w.History.States() > 10_000 {
			t.Errorf("%d tasks, %d objects and %d states are left of programs that ended", tasks, objects, w.History.States())
		}
	}
}

// shrinkSteps leaves out steps as long as fails, which runs them with a new detector,
// still goes wrong; if it does not with all of them, what earlier programs left behind
// matters.
func shrinkSteps(steps []step, err error, fails func([]step) error) ([]step, error) {
	if fails(steps) == nil {
		return steps, fmt.Errorf("(after the programs before it only) %w", err)
	}
	for i := 0; i < len(steps); {
		fewer := slices.Delete(slices.Clone(steps), i, i+1)
		if e := fails(fewer); e != nil {
			steps, err = fewer, e
		} else {
			i++
		}
	}
	return steps, err
}

func text(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%d: %s %#x %d pc %d\n", s.task, s.what, s.addr, s.size, s.pc)
	}
	return b.String()
}
