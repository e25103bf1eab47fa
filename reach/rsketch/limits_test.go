package rsketch_test

import (
	"strings"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
)

// A million spawns, each inside the one before: the searches and the joins go all the
// way down and up again.
func TestDeep(t *testing.T) {
	const depth = 1_000_000
	r := newRun(t, depth+2, 3*depth+10)
	p := r.run.NewPromise()
	tasks := []reach.Task{root}
	for i := range depth {
		tasks = append(tasks, r.spawn(tasks[i]))
	}
	first, deepest := r.now(tasks[1]), tasks[depth]
	bottom := r.now(deepest)
	r.set(deepest, p)
	for i := depth; i > 0; i-- {
		r.end(tasks[i])
		r.sync(tasks[i-1])
	}
	future := r.create(root)
	r.want("the bottom before the future awaits", bottom, r.now(future), true)
	r.await(future, p)
	r.want("the bottom before the root's last strand", bottom, r.now(root), true)
	r.want("a strand beside the bottom before the bottom", first, bottom, false)
	if _, back, forward := r.engine.Visits(); back+forward > 4*r.engine.Nodes() {
		t.Errorf("%d and %d visits of %d nodes", back, forward, r.engine.Nodes())
	}
}

// A million children of one task are joined by one construct.
func TestWide(t *testing.T) {
	const width = 1_000_000
	for _, c := range []struct {
		name            string
		fork, open, all reach.Kind
	}{{"spawn", reach.Spawn, 0, reach.Sync}, {"async", reach.Async, reach.Finish, reach.EndFinish}} {
		t.Run(c.name, func(t *testing.T) {
			r := newRun(t, width+2, 3*width+10)
			p, q := r.run.NewPromise(), r.run.NewPromise()
			if c.open != 0 {
				r.do(c.open, root, 0)
			}
			var early, late reach.Strand
			for i := range width {
				child := r.do(c.fork, root, 0)
				switch i {
				case width / 4:
					early = r.now(child)
					r.set(child, p)
				case width / 2:
					r.await(child, p)
					late = r.now(child)
					r.want("the set before the await", early, late, true)
				case width - 1:
					r.want("the set before another child", early, r.now(child), false)
					r.set(child, q)
				}
				r.end(child)
			}
			r.want("a child before the continuation", late, r.now(root), false)
			r.do(c.all, root, 0)
			r.want("a child before the join", late, r.now(root), true)
			if _, back, forward := r.engine.Visits(); back+forward > 4*r.engine.Nodes() {
				t.Errorf("%d and %d visits of %d nodes", back, forward, r.engine.Nodes())
			}
		})
	}
}

// What is refused, and that the engine stays as it was.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name    string
		program []event.Event // the last one is refused
		anchors uint32        // that there is room for, 0 for enough
		bytes   uint64
		tasks   uint32
		strands uint32
		want    string
	}{
		{name: "fork", program: []event.Event{{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Fork), Arg: 2}}, want: "line of tasks"},
		{name: "strands", strands: 4, program: []event.Event{
			{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Spawn), Arg: 2}}, want: "more strands"},
		{name: "tasks", tasks: 2, program: []event.Event{
			{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Create), Arg: 2}}, want: "more tasks"},
		{name: "anchors", anchors: 14, program: []event.Event{
			{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Create), Arg: 2}, {Kind: event.Of(reach.Create), Arg: 3},
			{Kind: event.Of(reach.Create), Arg: 4}, {Kind: event.Of(reach.Create), Arg: 5}}, want: "too many futures"},
		{name: "memory", bytes: 300, program: []event.Event{
			{Kind: event.Of(reach.Spawn), Arg: 1}, {Kind: event.Of(reach.Create), Arg: 2}, {Kind: event.Of(reach.Create), Arg: 3}}, want: "too many futures"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.tasks == 0 {
				c.tasks = 100
			}
			if c.strands == 0 {
				c.strands = 100
			}
			binder := event.NewBinder(100)
			defer binder.Close()
			engine := new(pairs)
			engine.Init(c.tasks, c.strands)
			defer engine.Close()
			if c.anchors != 0 || c.bytes != 0 {
				engine.LimitClosure(max(c.anchors, uint32(c.bytes)), max(c.bytes, uint64(c.anchors)<<20))
			}
			var strands []reach.Strand
			answers := func() (all []bool) {
				for _, u := range strands {
					for _, v := range strands {
						all = append(all, engine.Precedes(u, v))
					}
				}
				return all
			}
			for i, e := range c.program {
				last := i == len(c.program)-1
				err := binder.Control(e, func(k *reach.Construct) reach.Refusal {
					before, bytes := answers(), engine.Bytes()
					refusal := engine.Do(k)
					switch {
					case refusal.Refused() != last || last && !strings.Contains(refusal.Why, c.want):
						t.Errorf("event %d: %q, want %q at event %d", i, refusal.Why, c.want, len(c.program)-1)
					case !last:
						strands = append(strands, k.First, k.After)
						return refusal
					}
					for j, was := range before {
						if answers()[j] != was {
							t.Errorf("answer %d has changed", j)
						}
					}
					if engine.Bytes() != bytes {
						t.Error("the memory in use has changed")
					}
					return refusal
				})
				if err != nil && !last {
					t.Fatal(err)
				}
			}
		})
	}
}

// A lattice program is refused at its first construct.
func TestRefusesLattice(t *testing.T) {
	for seed := range uint64(100) {
		p := structtest.FromSeed(seed, 40, structtest.Lattice, reach.AnyOrder)
		for i, e := range p {
			if k, _ := e.Kind.Construct(); k.Forks() || k == reach.Join {
				err, ok := structtest.Run(p, fresh).(*event.Error)
				if !ok || err.Event.Line != i+1 {
					t.Fatalf("seed %d: %v, want a refusal of line %d", seed, err, i+1)
				}
				break
			}
		}
	}
}

// There is room for as many strands as numbers allow.
func TestLargest(t *testing.T) {
	if testing.Short() {
		t.Skip("reserves hundreds of gigabytes of address space")
	}
	r := newRun(t, 10, 1<<31)
	child := r.create(root)
	r.end(child)
	r.get(root, child)
	if r.engine.Anchors() == 0 || r.engine.Bytes() > 10_000 {
		t.Errorf("%d anchors, %d bytes", r.engine.Anchors(), r.engine.Bytes())
	}
}
