package disjoint_test

import (
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/internal/disjoint"
	"github.com/detrace/detrace/internal/mutants"
)

// model is the slow twin: the set of each element by number, and labels of sets.
type model struct {
	set   []int
	label []bool
}

func (m *model) union(into, from uint32) {
	a, b := m.set[into], m.set[from]
	for x := range m.set {
		if m.set[x] == b {
			m.set[x] = a
		}
	}
}

func TestSets(t *testing.T) {
	const n = 40
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		var s disjoint.Sets
		s.Init(n)
		m := model{set: make([]int, 1), label: make([]bool, n)}
		for range 80 {
			x := uint32(len(m.set))
			old := func() uint32 { return 1 + r.Uint32N(x-1) }
			switch k := r.IntN(5); {
			case x < n && (k == 0 || x == 1):
				m.label[x] = r.IntN(2) == 0
				s.Add(x, m.label[x])
				m.set = append(m.set, int(x))
			case x < n && k == 1:
				y := old()
				s.Insert(x, s.Find(y))
				m.set = append(m.set, m.set[y])
			case k == 2:
				y := old()
				m.label[m.set[y]] = !m.label[m.set[y]]
				s.SetLabel(s.Find(y), m.label[m.set[y]])
			default:
				into, from := old(), old()
				if root := s.Union(s.Find(into), s.Find(from)); root != s.Find(into) {
					t.Fatalf("seed %d: the union returns %d, the root is %d", seed, root, s.Find(into))
				}
				m.union(into, from)
			}
			compare(t, seed, &s, m)
		}
		s.Close()
	}
}

func compare(t *testing.T, seed uint64, s *disjoint.Sets, m model) {
	t.Helper()
	for x := 1; x < len(m.set); x++ {
		root := s.Find(uint32(x))
		if s.Label(root) != m.label[m.set[x]] {
			t.Fatalf("seed %d: label of %d is %v", seed, x, s.Label(root))
		}
		for y := 1; y < x; y++ {
			if got := s.Find(uint32(y)) == root; got != (m.set[x] == m.set[y]) {
				t.Fatalf("seed %d: %d and %d in one set: %v", seed, x, y, got)
			}
		}
	}
}

// Sets of a million elements stay shallow whichever way they grow.
func TestDepth(t *testing.T) {
	const n = 1 << 20
	for _, c := range []struct {
		name  string
		order func(s *disjoint.Sets, x uint32)
	}{
		{"new into old", func(s *disjoint.Sets, x uint32) { s.Union(s.Find(x-1), x) }},
		{"old into new", func(s *disjoint.Sets, x uint32) { s.Union(x, s.Find(x-1)) }},
		{"pairs", func(s *disjoint.Sets, x uint32) {
			for step := uint32(1); x%(2*step) == 0; step *= 2 {
				s.Union(s.Find(x), s.Find(x-step))
			}
		}},
	} {
		var s disjoint.Sets
		s.Init(n + 1)
		s.Add(1, false)
		for x := uint32(2); x <= n; x++ {
			s.Add(x, false)
			c.order(&s, x)
		}
		root := s.Find(1)
		for x := uint32(1); x <= n; x++ {
			if s.Find(x) != root {
				t.Fatalf("%s: %d is not in the set", c.name, x)
			}
		}
		s.Close()
	}
}

// Bags of a task that starts two, of which the first starts and joins one itself.
func TestBags(t *testing.T) {
	const root, first, inner, second = 1, 2, 3, 4
	var b disjoint.Bags
	b.Init(5)
	defer b.Close()
	serial := func(want ...bool) {
		t.Helper()
		for i, w := range want {
			if b.Serial(uint32(i+1)) != w {
				t.Errorf("task %d is in an S bag: %v", i+1, !w)
			}
		}
	}
	b.Start(root)
	b.Start(first)
	b.Start(inner)
	serial(true, true, true)
	b.Return(inner)
	serial(true, true, false)
	b.Join(first, inner)
	serial(true, true, true)
	b.Return(first)
	b.Start(second)
	serial(true, false, false, true)
	b.Return(second)
	b.Join(root, first)
	serial(true, true, true, false)
	b.Join(root, second)
	serial(true, true, true, true)
}

func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestSets|TestBags)$", []mutants.Mutant{
		{"the label of the greater set wins", "disjoint.go", "*a = *a&^labelBit | label\n", "_ = label\n"},
		{"the result is the smaller set", "disjoint.go", "*b = into\n\treturn into", "*b = into\n\treturn from"},
		{"a path is halved beyond the root's child", "disjoint.go", "if above&rootBit != 0 {\n\t\t\treturn parent", "if above&rootBit != 0 {\n\t\t\treturn x"},
		{"a label cannot be taken away", "disjoint.go", "*w = *w&^labelBit | labelled(label)", "*w |= labelled(label)"},
		{"a return changes the task's word, not its set's", "bags.go", "b.tasks.SetLabel(b.tasks.Find(t), false)", "b.tasks.SetLabel(1, false)"},
		{"who is joined keeps the label", "bags.go", "b.tasks.Union(b.tasks.Find(by), b.tasks.Find(t))", "b.tasks.Union(b.tasks.Find(t), b.tasks.Find(by))"},
	})
}

func BenchmarkFind(b *testing.B) {
	const n = 1 << 16
	var s disjoint.Sets
	s.Init(n + 1)
	defer s.Close()
	s.Add(1, true)
	for x := uint32(2); x <= n; x++ {
		s.Add(x, false)
		s.Union(s.Find(1), x)
	}
	for i := uint32(0); b.Loop(); i++ {
		s.Label(s.Find(1 + i%n))
	}
}
