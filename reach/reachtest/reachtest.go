// Package reachtest judges reachability engines: it runs random programs of
// tasks through an engine and the oracle (package dag) and compares all pairs
// of strands. A failure is shrunk to a minimal program, which is printed as
// text that [Parse] reads.
package reachtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
)

// Engine is what is judged. Its methods are those of the engines; objects are
// numbered by the engine, and an acquire that brings nothing new need not
// begin a strand.
type Engine interface {
	Fork(parent reach.Task) reach.Task
	End(t reach.Task)
	Strand(t reach.Task) reach.Strand
	NewObject() uint32
	FreeObject(o uint32)
	Release(t reach.Task, o uint32)
	ReleaseMerge(t reach.Task, o uint32)
	Acquire(t reach.Task, o uint32)
	ReleaseAcquire(t reach.Task, o uint32)
	AcquireAll(t reach.Task)
	Precedes(u reach.Strand, t reach.Task) bool
	// Keep remembers the current strand of t under a number and PrecedesKept
	// asks whether u precedes it or is it, until the next Collect.
	Keep(t reach.Task) int
	PrecedesKept(u reach.Strand, kept int) bool
	// Collect reclaims what is needed neither for the remembered strands nor
	// for what can still happen.
	Collect(remembered []reach.Strand)
	// Close is called when the program has run.
	Close()
}

// Subject makes engines whose root task is task 1 in strand 0.
type Subject struct {
	Name string
	New  func() Engine
}

// Mismatch is an answer that differs from the oracle's.
type Mismatch struct {
	Subject string
	Event   int // the number of events that had happened
	U, V    reach.Strand
	UAt     dag.Strand
	VAt     dag.Strand
	Want    bool
	Query   string
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("%s: after %d events, %s: task %d strand %d precedes task %d strand %d = %v, want %v (oracle's strands %d, %d)",
		m.Subject, m.Event, m.Query, m.U.Task(), m.U.Index(), m.V.Task(), m.V.Index(), !m.Want, m.Want, m.UAt, m.VAt)
}

// Conform runs many random programs through every subject, all of them
// compared with the oracle, after [Regressions]. n is the number of programs in
// an ordinary run, which -soak multiplies, and events the most in a program.
func Conform(t *testing.T, n, events int, subjects ...Subject) {
	t.Helper()
	for name, p := range Regressions() {
		if m := Run(p, subjects...); m != nil {
			t.Fatalf("%s: %v\n%s", name, m, p)
		}
	}
	if Race {
		n /= 10
	}
	first, count := soak.Seeds(n)
	seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
		if m := Run(FromSeed(seed, events), subjects...); m != nil {
			return m
		}
		return nil
	})
	var m *Mismatch
	if errors.As(err, &m) {
		p := FromSeed(seed, events)
		small, m := Shrink(p, m, subjects...)
		t.Fatalf("seed %d (%d events, shrunk to %d): %v\n%s", seed, len(p), len(small), m, small)
	}
	t.Logf("%d programs from seed %d", count, first)
}

// FromSeed returns the random program of a seed: of about events events at
// most, and mostly much smaller.
func FromSeed(seed uint64, events int) Program {
	r := rand.New(rand.NewPCG(seed, 1))
	return Generate(r, 8+r.IntN(1+r.IntN(events)))
}

// Run runs p through the subjects and the oracle and returns the first answer
// that differs, nil if there is none. All pairs of strands are compared at
// every Check event and at the end.
func Run(p Program, subjects ...Subject) *Mismatch {
	r := newRun(subjects)
	defer r.close()
	for i, e := range p {
		r.event = i + 1
		if e.Op == Check {
			if m := r.check(); m != nil {
				return m
			}
			continue
		}
		r.step(e)
	}
	return r.check()
}

// run is a program being run.
type run struct {
	event    int
	oracle   *dag.Tasks
	numbers  map[int]int // task number of the program to that of the oracle
	ended    map[int]bool
	taskOf   map[dag.Strand]int
	inexact  bool         // an AcquireAll has happened
	askable  []dag.Strand // may be u in a query
	kept     []dag.Strand // may be v in a query
	subjects []*judged
}

// judged is an engine in a run.
type judged struct {
	Engine
	name    string
	tasks   map[int]reach.Task // by the oracle's number
	objects map[int]uint32
	strands map[dag.Strand]reach.Strand
	handles map[dag.Strand]int
}

func newRun(subjects []Subject) *run {
	r := &run{oracle: dag.NewTasks(), numbers: map[int]int{1: 1}, ended: map[int]bool{}, taskOf: map[dag.Strand]int{}}
	for _, s := range subjects {
		r.subjects = append(r.subjects, &judged{
			Engine:  s.New(),
			name:    s.Name,
			tasks:   map[int]reach.Task{1: 1},
			objects: map[int]uint32{},
			strands: map[dag.Strand]reach.Strand{},
			handles: map[dag.Strand]int{},
		})
	}
	r.started(1)
	return r
}

func (r *run) close() {
	for _, j := range r.subjects {
		j.Close()
	}
}

// started notes that task t is in a strand not seen before.
func (r *run) started(t int) {
	s := r.oracle.Current(t)
	r.taskOf[s] = t
	r.askable, r.kept = append(r.askable, s), append(r.kept, s)
	for _, j := range r.subjects {
		j.strands[s] = j.Strand(j.tasks[t])
		j.handles[s] = j.Keep(j.tasks[t])
	}
}

func (r *run) step(e Event) {
	switch e.Op {
	case Fork:
		parent := r.numbers[e.Task]
		child := r.oracle.Fork(parent)
		r.numbers[e.Arg] = child
		for _, j := range r.subjects {
			j.tasks[child] = j.Fork(j.tasks[parent])
		}
		r.started(child)
		r.started(parent)
	case End:
		t := r.numbers[e.Task]
		r.ended[t] = true
		for _, j := range r.subjects {
			j.End(j.tasks[t])
		}
	case Free:
		r.oracle.Forget(e.Arg)
		for _, j := range r.subjects {
			if o := j.objects[e.Arg]; o != 0 {
				j.FreeObject(o)
				delete(j.objects, e.Arg)
			}
		}
	case Collect:
		r.collect(uint64(e.Arg))
	default:
		t := r.numbers[e.Task]
		r.synchronize(e.Op, t, e.Arg)
		r.started(t)
	}
}

func (r *run) synchronize(op Op, t, arg int) {
	switch op {
	case Release:
		r.oracle.Release(t, arg)
	case Merge:
		r.oracle.ReleaseMerge(t, arg)
	case Acquire:
		r.oracle.Acquire(t, arg)
	case ReleaseAcquire:
		r.oracle.ReleaseAcquire(t, arg)
	case AcquireAll:
		r.oracle.AcquireAll(t)
		r.inexact = true
	}
	for _, j := range r.subjects {
		u := j.tasks[t]
		switch op {
		case Release:
			j.Release(u, j.object(arg))
		case Merge:
			j.ReleaseMerge(u, j.object(arg))
		case Acquire:
			j.Acquire(u, j.object(arg))
		case ReleaseAcquire:
			j.ReleaseAcquire(u, j.object(arg))
		case AcquireAll:
			j.AcquireAll(u)
		}
	}
}

func (j *judged) object(number int) uint32 {
	o := j.objects[number]
	if o == 0 {
		o = j.NewObject()
		j.objects[number] = o
	}
	return o
}

// collect lets the engines reclaim. Between none and all of the strands stay
// remembered; of the rest only the current ones of running tasks can be asked
// about after that, and only current strands were reached by later ones.
func (r *run) collect(seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	current := map[dag.Strand]bool{}
	r.kept = r.kept[:0]
	for t := 1; t <= r.oracle.Count(); t++ {
		if !r.ended[t] {
			current[r.oracle.Current(t)] = true
			r.kept = append(r.kept, r.oracle.Current(t))
		}
	}
	r.askable = slices.DeleteFunc(r.askable, func(s dag.Strand) bool {
		return rnd.IntN(16) < int(seed%5)*4 && !current[s]
	})
	for _, j := range r.subjects {
		var remembered []reach.Strand
		for _, s := range r.askable {
			remembered = append(remembered, j.strands[s])
		}
		j.Collect(remembered)
		for t := 1; t <= r.oracle.Count(); t++ {
			if !r.ended[t] {
				j.handles[r.oracle.Current(t)] = j.Keep(j.tasks[t])
			}
		}
	}
}

// check compares all pairs.
func (r *run) check() *Mismatch {
	for _, j := range r.subjects {
		for _, v := range r.kept {
			for _, u := range r.askable {
				if m := r.compare(j, u, v); m != nil {
					return m
				}
			}
		}
	}
	return nil
}

// compare asks j about u and v. Strands of the oracle that are one strand of
// j, because an acquire between them brought nothing new, are not compared
// with each other.
func (r *run) compare(j *judged, u, v dag.Strand) *Mismatch {
	uj, vj := j.strands[u], j.strands[v]
	if uj == vj && u != v {
		return nil
	}
	want := u == v || r.oracle.Precedes(u, v)
	query := "kept"
	got := j.PrecedesKept(uj, j.handles[v])
	if got == want && j.Strand(vj.Task()) == vj {
		query = "current"
		got = j.Precedes(uj, vj.Task())
	}
	if got == want || got && r.inexact && r.merged(j, u, v) {
		return nil
	}
	return &Mismatch{Subject: j.name, Event: r.event, U: uj, V: vj, UAt: u, VAt: v, Want: want, Query: query}
}

// merged reports whether another strand of the oracle that is one with u in j
// precedes v: an AcquireAll covers what its tasks still do in the strand they
// are in.
func (r *run) merged(j *judged, u, v dag.Strand) bool {
	for w, s := range j.strands {
		if w != u && s == j.strands[u] && r.taskOf[w] == r.taskOf[u] && r.oracle.Precedes(w, v) {
			return true
		}
	}
	return false
}
