package main

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/bench/measure"
	"github.com/detrace/detrace/internal/golden"
	"github.com/detrace/detrace/reach"
)

func TestFit(t *testing.T) {
	ks := []int{10, 100, 1000, 10_000, 100_000}
	for _, c := range []struct {
		a, c, x float64
		want    string
	}{
		{30, 2e-7, 2, "2.00, ±0 %"},
		{100, 1e-3, 1.25, "1.25, ±0 %"},
		{0, 3, 0.5, "0.50, ±0 %"},
		{50, 0, 0, "flat, ±0 %"},
		{50, 1e-6, 1, "flat, ±0 %"},
	} {
		var values []float64
		for _, k := range ks {
			values = append(values, c.a+c.c*math.Pow(float64(k), c.x))
		}
		if got := fitOf(ks, values).String(); got != c.want {
			t.Errorf("%v + %v·k^%v: %s, want %s", c.a, c.c, c.x, got, c.want)
		}
	}
	if got := fitOf(ks, []float64{30, 30, 30, 30, 40}).String(); got != "none: only the last is above" {
		t.Errorf("an exponent of one point: %s", got)
	}
	if f := fitOf(ks, []float64{10, 11, 9, 10, 10}); f.grown > 0 || f.off < 0.09 || f.off > 0.11 {
		t.Errorf("noise around 10 is %v", f)
	}
}

// invented is a run of the quick plan in which all takes the same, but for the few
// things a test changes.
func invented() *measured {
	m := &measured{
		plan: newPlan(true), rounds: 2, costs: map[job][]cost{}, outcomes: map[job][]outcome{}, stress: stress{answers: 5000},
		machine: measure.Machine{Go: "go1.99", OS: "linux", Arch: "amd64", CPUs: 2, Processor: "Test Processor", Load: "1.00 2.00 3.00"},
	}
	for _, j := range m.jobs() {
		if j.Side != "" {
			m.outcomes[j] = []outcome{{CPU: 1, Peak: 8e6, Held: 4e6, Tasks: 100}, {CPU: 1.2, Peak: 8e6, Held: 4e6, Tasks: 100}}
		} else {
			m.costs[j] = []cost{{CPU: 1e-4, Query: 5e-9, Told: 10_000, Tasks: 4001, Strands: 12_000, Bytes: 48_000, Peak: 2e6}}
		}
	}
	return m
}

func TestTables(t *testing.T) {
	m := invented()
	m.costs[m.costJob("multibags", "spawn")][0].CPU = 1e-3 // 250 ns a task
	m.costs[m.costJob("spbags", "create")][0] = cost{Refused: "spbags takes no futures"}
	m.costs[m.largeJob("forder", "depth")][0] = cost{Refused: "the process failed: exit status 2"}
	for i, k := range m.edgesK {
		m.costs[m.edgeJob("rsketch", "pool", k)][0].CPU *= 1 + math.Pow(10, float64(3*i))
		m.costs[m.edgeJob("multibagsplus", "pool", k)][0].CPU *= 1 + math.Pow(10, 1.5*float64(i))
	}
	slow, stopped, clocks := m.contestJob(0, "jointree"), m.contestJob(1, "jointree, structured"), m.contestJob(2, "vclock")
	m.outcomes[slow][0].CPU, m.outcomes[slow][1].CPU = 2, 3
	m.outcomes[stopped] = []outcome{{CPU: 1, Peak: 1e6, Tasks: 7, Stopped: "no room for fronts"}}
	m.outcomes[clocks] = []outcome{{CPU: 0.5, Peak: 1e7, Tasks: 7, Stopped: "2 GB of clocks"}}
	var got bytes.Buffer
	m.write(&got)
	golden.Check(t, filepath.Join("testdata", "tables.md"), got.Bytes())
	for what, want := range map[string]verdict{
		"multibags, spawn and return": missed, "multibags, query": met,
		"depth of 20000 tasks": missed, "width of 20000 tasks": met,
		"rsketch, pool, time over k = 10 to 1000": missed, "multibagsplus, pool, time over k = 10 to 1000": met,
		"join tree, fib of 1973 tasks, goroutines": missed, "join tree, fib of 1973 tasks, structured": met,
		"join tree, 10 rounds of 50 tasks, structured": missed,
		// Twice the time of clocks that were stopped says nothing.
		"join tree, four stages, 2000 messages, capacity 1, goroutines": unknown,
	} {
		found := false
		for _, target := range m.targets() {
			if target.what == what {
				found = true
				if target.verdict != want {
					t.Errorf("%s: %s is %s, want %s", what, target.got, target.verdict, want)
				}
			}
		}
		if !found {
			t.Errorf("there is no target %q", what)
		}
	}
}

func TestStressSays(t *testing.T) {
	for _, c := range []struct {
		name, printed string
		err           error
		want          string
	}{
		{"right", "    stress_test.go:60: 1200 answers\n    stress_test.go:60: 1300 answers\nok", nil, "2500 answers, all right, no report met"},
		{"a race", "WARNING: DATA RACE\n--- FAIL: TestStress\n", errors.New("exit status 1"), "a race or a wrong answer missed"},
		{"no compiler", "go: -race requires cgo; enable cgo by setting CGO_ENABLED=1\n", errors.New("exit status 2"),
			"go test -race: exit status 2: go: -race requires cgo; enable cgo by setting CGO_ENABLED=1 not known"},
	} {
		target := stressIn([]byte(c.printed), c.err).target(2)
		if got := target.got + " " + string(target.verdict); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestJobs does a quick job of each kind, and each must come to its end.
func TestJobs(t *testing.T) {
	p := plan{quick: true, tasks: 600, asks: 1000, edgesN: 2000, edgesK: []int{10, 100}, large: 500, sfLarge: 300}
	for _, j := range p.jobs() {
		result, err := j.do()
		if err != nil {
			t.Errorf("%+v: %v", j, err)
			continue
		}
		switch r := result.(type) {
		case outcome:
			if r.Stopped != "" || r.CPU <= 0 || r.Tasks < 5 {
				t.Errorf("%+v: %+v", j, r)
			}
		case cost:
			inClass := j.Shape != "create" || j.Engine != "spbags" && j.Engine != "order"
			if (r.Refused == "") != inClass || inClass && (r.CPU <= 0 || r.Told == 0 || r.Bytes == 0 || j.Asks > 0 && r.Query <= 0) {
				t.Errorf("%+v: %+v", j, r)
			}
		}
	}
	if _, err := (job{Shape: "circle"}).do(); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a shape that there is not: %v", err)
	}
}

// both is the two engines that the contests oppose, told the same and asked about the same.
type both struct {
	native
	clocks  clocks
	t       *testing.T
	random  *rand.Rand
	strands [2][]reach.Strand
	asked   int
}

func (b *both) Fork(parent reach.Task) reach.Task {
	t := b.native.Fork(parent)
	if u := b.clocks.Fork(parent); u != t {
		b.t.Fatalf("task %d is %d to the clocks", t, u)
	}
	return t
}

func (b *both) NewObject() uint32 {
	if o := b.native.NewObject(); o != 0 {
		b.objects(o)
		return o
	}
	b.t.Fatal("no room for objects")
	return 0
}

// objects makes clocks have object o: the join tree uses an object's number again.
func (b *both) objects(o uint32) {
	for b.clocks.made < o {
		b.clocks.NewObject()
	}
}

func (b *both) FreeObject(o uint32) { b.native.FreeObject(o); b.clocks.FreeObject(o) }
func (b *both) Release(t reach.Task, o uint32) {
	b.note(t)
	b.native.Release(t, o)
	b.clocks.Release(t, o)
}
func (b *both) ReleaseMerge(t reach.Task, o uint32) {
	b.note(t)
	b.native.ReleaseMerge(t, o)
	b.clocks.ReleaseMerge(t, o)
}
func (b *both) Acquire(t reach.Task, o uint32) {
	b.native.Acquire(t, o)
	b.clocks.Acquire(t, o)
	b.ask(t)
}
func (b *both) ReleaseAcquire(t reach.Task, o uint32) {
	b.note(t)
	b.native.ReleaseAcquire(t, o)
	b.clocks.ReleaseAcquire(t, o)
	b.ask(t)
}

func (b *both) note(t reach.Task) {
	b.strands[0] = append(b.strands[0], b.native.Strand(t))
	b.strands[1] = append(b.strands[1], b.clocks.Strand(t))
}

func (b *both) ask(t reach.Task) {
	for range min(8, len(b.strands[0])) {
		i := b.random.IntN(len(b.strands[0]))
		u, v := b.strands[0][i], b.strands[1][i]
		b.asked++
		if got, want := b.native.Precedes(u, t), b.clocks.Precedes(v, t); got != want {
			b.t.Fatalf("strand %d of task %d precedes task %d: %v, the clocks say %v", u.Index(), u.Task(), t, got, want)
		}
	}
}

// TestContests shows that a contest's sides, as they collect, agree about what precedes
// what.
func TestContests(t *testing.T) {
	for _, c := range contests(true) {
		t.Run(c.name, func(t *testing.T) {
			tree := &joinTree{remembered: true}
			tree.Init(1 << 16)
			defer tree.Close()
			b := &both{native: tree, t: t, random: rand.New(rand.NewPCG(1, 1))}
			c.native(b, func() bool { return false })
			tree.sweep()
			b.ask(tree.Root())
			if tree.Exhausted() || b.clocks.started != tree.Started()-1 {
				t.Error("the join tree had no room")
			}
			if b.asked < 50 {
				t.Errorf("asked %d times only", b.asked)
			}
		})
	}
}
