package label_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/internal/label"
	"github.com/detrace/detrace/internal/mutants"
)

// program makes a forest of one tree and the graph that it stands for.
type program struct {
	*rand.Rand
	label.Forest
	graph dag.Graph
	level []uint32 // by strand
	tasks []*task
}

type task struct {
	current dag.Strand
	open    []scope // the task's own level, and the scopes inside
	joined  bool
}

type scope struct {
	level uint32
	tasks []*task // forked in it
}

func newProgram(t *testing.T, seed uint64, steps int) *program {
	p := &program{Rand: rand.New(rand.NewPCG(seed, 2)), level: []uint32{0}}
	p.Init(uint32(steps) + 1)
	t.Cleanup(p.Close)
	root := p.Root()
	p.tasks = append(p.tasks, &task{current: p.strand(root), open: []scope{{level: root}}})
	for range steps {
		p.step(p.tasks[p.IntN(len(p.tasks))])
	}
	return p
}

func (p *program) strand(level uint32, preds ...dag.Strand) dag.Strand {
	p.level = append(p.level, level)
	return p.graph.Add(preds...)
}

func (p *program) step(t *task) {
	if t.joined {
		return
	}
	top := len(t.open) - 1
	level, before := t.open[top].level, t.current
	switch p.IntN(4) {
	case 0:
		child := p.Child(level, uint32(before))
		c := &task{current: p.strand(child, before), open: []scope{{level: child}}}
		p.tasks = append(p.tasks, c)
		t.open[top].tasks = append(t.open[top].tasks, c)
		t.current = p.strand(level, before)
	case 1:
		t.open = append(t.open, scope{level: p.Scope(level, uint32(before))})
		t.current = p.strand(t.open[top+1].level, before)
	case 2:
		if top > 0 {
			t.current = p.strand(p.Outer(level), append(ends(t.open[top].tasks), before)...)
			t.open = t.open[:top]
		}
	case 3:
		t.current = p.strand(level, before)
	}
}

// ends joins tasks, and what they forked and have not joined.
func ends(tasks []*task) (all []dag.Strand) {
	for _, t := range tasks {
		t.joined = true
		all = append(all, t.current)
		for _, s := range t.open {
			all = append(all, ends(s.tasks)...)
		}
	}
	return all
}

// TestPrecedes compares all pairs of strands with the closure of the graph.
func TestPrecedes(t *testing.T) {
	for seed := range uint64(600) {
		p := newProgram(t, seed, 10+int(seed%90))
		for u := dag.Strand(1); int(u) < len(p.level); u++ {
			for v := dag.Strand(1); int(v) < len(p.level); v++ {
				want := u == v || p.graph.Precedes(u, v)
				if got := p.Meet(p.level[u], uint32(u), p.level[v], uint32(v)).Precedes(); got != want {
					t.Fatalf("seed %d: strand %d precedes strand %d = %v, want %v", seed, u, v, got, want)
				}
			}
		}
	}
}

// english is the labels of all strands in full, sorted: the slow twin of English. Of
// each level a label has twice the strand in it, plus 1 if something hangs off that.
func (p *program) english() []dag.Strand {
	labels := make([][]uint32, len(p.level))
	var order []dag.Strand
	for s := dag.Strand(1); int(s) < len(p.level); s++ {
		order = append(order, s)
		labels[s] = []uint32{2 * uint32(s)}
		for l := p.level[s]; p.Outer(l) != 0; l = p.Outer(l) {
			labels[s] = append(labels[s], 2*p.hook(l)+1)
		}
		slices.Reverse(labels[s])
	}
	slices.SortFunc(order, func(u, v dag.Strand) int { return slices.Compare(labels[u], labels[v]) })
	return order
}

// hook is the strand that a level hangs off: the last of the outer level that precedes
// the first strand in it.
func (p *program) hook(l uint32) (at uint32) {
	first := dag.Strand(slices.Index(p.level, l))
	for s := range first {
		if p.level[s] == p.Outer(l) && s != 0 && p.graph.Precedes(s, first) {
			at = uint32(s)
		}
	}
	return at
}

// TestEnglish compares the order of all pairs with that of labels in full.
func TestEnglish(t *testing.T) {
	for seed := range uint64(150) {
		p := newProgram(t, seed, 10+int(seed%50))
		order := p.english()
		for i, u := range order {
			for j, v := range order {
				m := p.Meet(p.level[u], uint32(u), p.level[v], uint32(v))
				if got := m.English(); got != (i < j) {
					t.Fatalf("seed %d: strand %d before strand %d = %v, want %v", seed, u, v, got, i < j)
				}
				if m.Precedes() && i > j {
					t.Fatalf("seed %d: strand %d precedes strand %d, which is before it", seed, u, v)
				}
			}
		}
	}
}

// TestDeep compares labels of a million components.
func TestDeep(t *testing.T) {
	const deep = 1_000_000
	var f label.Forest
	f.Init(2*deep + 2)
	defer f.Close()
	root := f.Root()
	left, right := f.Child(root, 1), f.Child(root, 2)
	middle := right
	for d := uint32(1); d < deep; d++ {
		left, right = f.Child(left, 4*d), f.Scope(right, 4*d+1)
		if d == deep/2 {
			middle = right
		}
	}
	for _, c := range []struct {
		name   string
		ul, u  uint32
		vl, v  uint32
		before bool
	}{
		{"both ends", left, 4*deep + 1, right, 4*deep + 2, false},
		{"the middle and the end", middle, 2*deep + 4, right, 4*deep + 2, true},
		{"the end and the middle", right, 4*deep + 2, middle, 4*deep + 3, true},
		{"the root and the end", root, 1, left, 4*deep + 1, true},
		{"the end and what is later at the root", left, 4*deep + 1, root, 4*deep + 2, false},
	} {
		if got := f.Meet(c.ul, c.u, c.vl, c.v).Precedes(); got != c.before {
			t.Errorf("%s: %v, want %v", c.name, got, c.before)
		}
	}
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestPrecedes|TestEnglish)$", []mutants.Mutant{
		{Name: "a child ends before what is later in its level", File: "label.go", Old: "case m.u.child:", New: "case false:"},
		{Name: "a scope precedes the strand that opens it", File: "label.go", Old: "return m.u.strand < m.v.strand\n\t}\n\treturn m.u.strand <=", New: "return m.u.strand <= m.v.strand\n\t}\n\treturn m.u.strand <="},
		{Name: "a strand does not precede what hangs off it", File: "label.go", Old: "return m.u.strand <= m.v.strand", New: "return m.u.strand < m.v.strand"},
		{Name: "a scope is a child", File: "label.go", Old: "return f.add(outer, at, 0)", New: "return f.add(outer, at, 1)"},
		{Name: "what hangs off a strand is before it", File: "label.go", Old: "return !m.u.hangs && m.v.hangs", New: "return m.u.hangs && !m.v.hangs"},
		{Name: "a level jumps too far", File: "label.go", Old: "if f.levels.At(r.jump).above() >= depth {", New: "if f.levels.At(r.jump).above()+1 >= depth {"},
		{Name: "levels of different depth climb alike", File: "label.go", Old: "a = f.lift(a, bl.above()+1)", New: "a = f.lift(a, bl.above()+2)"},
		{Name: "the innermost common level is passed over", File: "label.go", Old: "case al.jump != bl.jump:", New: "case al.outer != 1:"},
	})
}

func BenchmarkMeet(b *testing.B) {
	for _, deep := range []uint32{10, 1000, 1_000_000} {
		var f label.Forest
		f.Init(2*deep + 2)
		root := f.Root()
		left, right := f.Child(root, 1), f.Child(root, 2)
		for d := uint32(1); d < deep; d++ {
			left, right = f.Child(left, 2*d+1), f.Child(right, 2*d+2)
		}
		b.Run(fmt.Sprintf("depth-%d", deep), func(b *testing.B) {
			for range b.N {
				if f.Meet(left, 2*deep+1, right, 2*deep+2).Precedes() {
					b.Fatal("parallel strands are ordered")
				}
			}
		})
		f.Close()
	}
}
