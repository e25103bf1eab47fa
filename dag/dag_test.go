package dag_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/dag"
)

// TestDiamond checks every pair of a strand that forks, two branches, their
// join, and a strand beside them all.
func TestDiamond(t *testing.T) {
	var g dag.Graph
	fork := g.Add()
	left, right := g.Add(fork), g.Add(fork)
	join := g.Add(left, 0, right, left)
	beside := g.Add()
	if preds := g.Preds(join); !slices.Equal(preds, []dag.Strand{left, right}) {
		t.Errorf("the join has edges from %v, want %v", preds, []dag.Strand{left, right})
	}
	after := map[dag.Strand][]dag.Strand{
		fork:   {left, right, join},
		left:   {join},
		right:  {join},
		join:   nil,
		beside: nil,
	}
	for u := dag.Strand(1); int(u) <= g.Len(); u++ {
		for v := dag.Strand(1); int(v) <= g.Len(); v++ {
			want := slices.Contains(after[u], v)
			if got := g.Precedes(u, v); got != want {
				t.Errorf("Precedes(%d, %d) = %v, want %v", u, v, got, want)
			}
			parallel := u != v && !want && !slices.Contains(after[v], u)
			if got := g.Parallel(u, v); got != parallel {
				t.Errorf("Parallel(%d, %d) = %v, want %v", u, v, got, parallel)
			}
		}
	}
}

// TestClosure compares the closure of random graphs with a search for a path.
func TestClosure(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0))
		var g dag.Graph
		for range 150 {
			var preds []dag.Strand
			for range r.IntN(4) {
				preds = append(preds, dag.Strand(r.IntN(g.Len()+1)))
			}
			g.Add(preds...)
		}
		for v := dag.Strand(1); int(v) <= g.Len(); v++ {
			before := map[dag.Strand]bool{}
			search(&g, v, before)
			for u := dag.Strand(1); int(u) <= g.Len(); u++ {
				if g.Precedes(u, v) != before[u] {
					t.Fatalf("seed %d: Precedes(%d, %d) = %v", seed, u, v, !before[u])
				}
			}
		}
	}
}

func search(g *dag.Graph, v dag.Strand, before map[dag.Strand]bool) {
	for _, p := range g.Preds(v) {
		if !before[p] {
			before[p] = true
			search(g, p, before)
		}
	}
}

func TestStrandOutOfRange(t *testing.T) {
	var g dag.Graph
	g.Add()
	for _, ask := range []func(){
		func() { g.Precedes(0, 1) },
		func() { g.Precedes(1, 2) },
		func() { g.Add(2) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a strand that does not exist was accepted")
				}
			}()
			ask()
		}()
	}
}

// TestRaces records two accesses of parallel strands for every pair of
// operations.
func TestRaces(t *testing.T) {
	ops := []dag.Op{dag.Read, dag.Write, dag.AtomicRead, dag.AtomicWrite}
	racing := map[string]bool{
		"read read": false, "read write": true, "read atomic read": false, "read atomic write": true,
		"write read": true, "write write": true, "write atomic read": true, "write atomic write": true,
		"atomic read read": false, "atomic read write": true, "atomic read atomic read": false, "atomic read atomic write": false,
		"atomic write read": true, "atomic write write": true, "atomic write atomic read": false, "atomic write atomic write": false,
	}
	for _, first := range ops {
		for _, second := range ops {
			var g dag.Graph
			fork := g.Add()
			a, b := g.Add(fork), g.Add(fork)
			g.Access(dag.Access{Strand: a, Op: first, Addr: 8, Size: 1})
			g.Access(dag.Access{Strand: b, Op: second, Addr: 8, Size: 1})
			pair := fmt.Sprintf("%v %v", first, second)
			want, known := racing[pair]
			if got := len(g.Races()) == 1; got != want || !known {
				t.Errorf("%s: race %v, want %v", pair, got, want)
			}
		}
	}
}

func TestRacesPerByte(t *testing.T) {
	var g dag.Graph
	fork := g.Add()
	a, b := g.Add(fork), g.Add(fork)
	join := g.Add(a, b)
	access := func(s dag.Strand, op dag.Op, addr, size uint64) int {
		return g.Access(dag.Access{Strand: s, Op: op, Addr: addr, Size: size})
	}
	before := access(fork, dag.Write, 0, 100) // precedes all
	wa := access(a, dag.Write, 10, 4)
	again := access(a, dag.Read, 10, 4) // its own strand
	rb := access(b, dag.Read, 12, 4)    // two bytes in common
	g.Alloc(13, 1)
	wb := access(b, dag.Write, 13, 1)
	after := access(join, dag.Write, 0, 100) // follows all
	if before != 0 || again != 2 || after != 5 || len(g.Accesses()) != 6 {
		t.Fatalf("accesses are numbered %d, %d, %d of %d", before, again, after, len(g.Accesses()))
	}
	want := []dag.Race{{Addr: 12, First: wa, Second: rb}, {Addr: 13, First: wa, Second: rb}}
	if got := g.Races(); !slices.Equal(got, want) {
		t.Errorf("races %v, want %v", got, want)
	}
	if got := g.RacyBytes(); !slices.Equal(got, []uint64{12, 13}) {
		t.Errorf("racy bytes %v, want 12 and 13", got)
	}
	ra := access(a, dag.Read, 13, 1)
	want = append(want, dag.Race{Addr: 13, First: wb, Second: ra})
	if got := g.Races(); !slices.Equal(got, want) {
		t.Errorf("races after the reuse of byte 13: %v, want %v", got, want)
	}
}

// TestTasks runs one program per operation and checks which of the strands of
// the root and its two children are ordered after it.
func TestTasks(t *testing.T) {
	const root, a, b, o = 1, 2, 3, 7
	type strands struct{ first, second dag.Strand } // of a, before and after it released
	for _, c := range []struct {
		name    string
		program func(p *dag.Tasks) strands
		want    [2]bool // a's strands precede b's current one
	}{
		{"nothing", func(p *dag.Tasks) strands {
			return strands{p.Current(a), p.Current(a)}
		}, [2]bool{}},
		{"release and acquire", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.Release(a, o)
			s.second = p.Current(a)
			p.Acquire(b, o)
			return s
		}, [2]bool{true, false}},
		{"acquire of a replaced release", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.Release(a, o)
			s.second = p.Current(a)
			p.Release(root, o)
			p.Acquire(b, o)
			return s
		}, [2]bool{}},
		{"acquire of a merged release", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.ReleaseMerge(a, o)
			s.second = p.Current(a)
			p.ReleaseMerge(root, o)
			p.Acquire(b, o)
			return s
		}, [2]bool{true, false}},
		{"acquire of a forgotten release", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.Release(a, o)
			s.second = p.Current(a)
			p.Forget(o)
			p.Acquire(b, o)
			return s
		}, [2]bool{}},
		{"swap", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.Release(a, o)
			s.second = p.Current(a)
			p.ReleaseAcquire(b, o)
			return s
		}, [2]bool{true, false}},
		{"swap does not pass on what it learns", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.Release(a, o)
			s.second = p.Current(a)
			p.ReleaseAcquire(root, o)
			p.Acquire(b, o)
			return s
		}, [2]bool{}},
		{"all", func(p *dag.Tasks) (s strands) {
			s.first = p.Current(a)
			p.Release(a, o)
			s.second = p.Current(a)
			p.AcquireAll(b)
			return s
		}, [2]bool{true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := dag.NewTasks()
			if p.Fork(root) != a || p.Fork(root) != b || p.Count() != 3 {
				t.Fatal("tasks are not numbered in order of creation")
			}
			if parent, at := p.Parent(b); parent != root || !p.Precedes(at, p.Current(b)) {
				t.Fatalf("b was forked by task %d at strand %d", parent, at)
			}
			s := c.program(p)
			got := [2]bool{p.Precedes(s.first, p.Current(b)), p.Precedes(s.second, p.Current(b))}
			if got != c.want {
				t.Errorf("a's strands precede b's: %v, want %v", got, c.want)
			}
		})
	}
}
