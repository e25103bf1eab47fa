package history

import (
	"fmt"
	"slices"
	"testing"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/history/historytest"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
)

// twin answers what histories ask, slowly: from the closure of the graph, and from a list of
// strands in English order.
type twin struct {
	*dag.Structured
	english  []reach.Strand
	joins    map[reach.Task]reach.Strand // of the open sync block
	future   map[reach.Task]reach.Task
	joinedBy map[reach.Task]reach.Task // of a lattice
	ended    map[reach.Task]bool
}

func newTwin() *twin {
	return &twin{
		Structured: dag.NewStructured(), english: []reach.Strand{reach.Root},
		joins: map[reach.Task]reach.Strand{}, future: map[reach.Task]reach.Task{reach.Root.Task(): reach.Root.Task()},
		joinedBy: map[reach.Task]reach.Task{}, ended: map[reach.Task]bool{},
	}
}

func (w *twin) Precedes(u, v reach.Strand) bool {
	return u == v || w.Structured.Precedes(dag.Strand(u.Index()), dag.Strand(v.Index()))
}

func (w *twin) English(u, v reach.Strand) bool {
	return slices.Index(w.english, u) < slices.Index(w.english, v)
}
func (w *twin) Future(u reach.Strand) uint32 { return uint32(w.future[u.Task()]) }
func (w *twin) Sup(k, t reach.Task) reach.Task {
	for w.joinedBy[k] != 0 {
		k = w.joinedBy[k]
	}
	if w.ended[k] {
		return k
	}
	return t
}

// placeholder stands for the strand after a task's next sync in the lists. Its number
// is none that a strand has.
func placeholder(t reach.Task) reach.Strand { return reach.StrandOf(t, 1<<31) }

// after puts strands behind another one in English order.
func (w *twin) after(u reach.Strand, v ...reach.Strand) {
	w.english = slices.Insert(w.english, slices.Index(w.english, u)+1, v...)
}

// Do builds the pseudo-SP-dag of SF-Order: a create is a spawn, every sync joins the creates too, a
// get is a serial step.
func (w *twin) Do(c *reach.Construct) {
	w.Structured.Do(c)
	switch c.Kind {
	case reach.Spawn, reach.Create:
		w.future[c.Other] = w.future[c.Task]
		if c.Kind == reach.Create {
			w.future[c.Other] = c.Other
		}
		if w.joins[c.Task] == 0 {
			w.joins[c.Task] = placeholder(c.Task)
			w.after(c.Before, placeholder(c.Task))
		}
		w.after(c.Before, c.First, c.After)
	case reach.Sync:
		w.english[slices.Index(w.english, w.joins[c.Task])] = c.After
		delete(w.joins, c.Task)
	case reach.Get:
		w.after(c.Before, c.After)
	case reach.Join:
		w.joinedBy[c.Other] = c.Task
	case reach.End:
		w.ended[c.Task] = true
	}
}

// conform runs a program through a history and the oracle.
func conform(p structtest.Program, fresh func(*twin) *History, exact bool) error {
	binder := event.NewBinder(uint32(len(p)) + 2)
	defer binder.Close()
	w := newTwin()
	h := fresh(w)
	reported := make(map[dag.Race]Op)
	var allocs []int // accesses made before each
	var allocated []event.Event
	for _, e := range p {
		if !e.Kind.Access() {
			if err := binder.Control(e, func(c *reach.Construct) reach.Refusal { w.Do(c); return reach.Refusal{} }); err != nil {
				return err
			}
			continue
		}
		if e.Kind == event.Alloc {
			h.Alloc(e.Addr, e.Addr+e.Size-1)
			w.Alloc(e.Addr, e.Size)
			allocs, allocated = append(allocs, len(w.Accesses())), append(allocated, e)
			continue
		}
		s, err := binder.Access(e)
		if err != nil {
			return err
		}
		ops := map[event.Kind]Op{event.Read: Read, event.Write: Write, event.AtomicRead: AtomicRead, event.AtomicWrite: AtomicWrite}
		op := ops[e.Kind]
		graphOp := dag.Op(op) // the same numbers
		id := w.Access(dag.Access{Strand: dag.Strand(s.Index()), Op: graphOp, Addr: e.Addr, Size: e.Size, Site: e.Line})
		for _, r := range h.Access(op, e.Addr, e.Addr+e.Size-1, Access{Strand: s, ID: uint64(id)}) {
			for i := range r.Size {
				reported[dag.Race{Addr: r.Addr + i, First: int(r.First.ID), Second: id}] = r.Op
			}
		}
	}
	return compare(w, reported, exact, allocs, allocated)
}

func compare(w *twin, reported map[dag.Race]Op, exact bool, allocs []int, allocated []event.Event) error {
	type at struct {
		second int
		addr   uint64
	}
	told := make(map[at]bool)
	real := make(map[dag.Race]bool)
	for _, r := range w.Races() {
		real[r] = true
	}
	line := func(id int) int { return w.Accesses()[id].Site }
	for r, op := range reported {
		if !real[r] || dag.Op(op) != w.Accesses()[r.First].Op {
			return fmt.Errorf("lines %d (%v) and %d are reported at %#x, and do not race", line(r.First), op, line(r.Second), r.Addr)
		}
		told[at{r.Second, r.Addr}] = true
	}
	racy := make(map[uint64]int) // bytes with a race, and its second access
	races := w.Races()
	slices.SortStableFunc(races, func(a, b dag.Race) int { return a.Second - b.Second })
	for _, r := range races {
		second, ok := racy[r.Addr]
		for i, e := range allocated {
			if ok && r.Addr-e.Addr < e.Size && second < allocs[i] && allocs[i] <= r.Second {
				ok = false // the memory is new since
			}
		}
		if (exact && !repeats(w, r) || !ok || second == r.Second) && !told[at{r.Second, r.Addr}] {
			return fmt.Errorf("lines %d and %d race at %#x, and line %d is not reported", line(r.First), line(r.Second), r.Addr, line(r.Second))
		}
		if !ok {
			racy[r.Addr] = r.Second
		}
	}
	return nil
}

// repeats reports whether the second access of a race does no more than what its strand
// did to the byte after the first.
func repeats(w *twin, r dag.Race) bool {
	second := w.Accesses()[r.Second]
	for _, a := range w.Accesses()[r.First+1 : r.Second] {
		if a.Strand == second.Strand && r.Addr-a.Addr < a.Size && (a.Op == second.Op || a.Op == dag.Write || second.Op == dag.AtomicRead) {
			return true
		}
	}
	return false
}

// policies are the histories with the programs for which they are sound.
var policies = []struct {
	name    string
	fresh   func(*twin) *History
	exact   bool // every access that races is reported, unless it repeats one of its strand
	order   reach.Order
	classes []structtest.Class
}{
	{"OneReader", func(w *twin) *History { return NewOneReader(w) }, true, reach.DepthFirst,
		[]structtest.Class{structtest.SpawnSync, structtest.AsyncFinish, structtest.Lattice}},
	{"TwoReaders", func(w *twin) *History { return NewTwoReaders(w) }, false, reach.AnyOrder,
		[]structtest.Class{structtest.SpawnSync}},
	{"TwoPerFuture", func(w *twin) *History { return NewTwoPerFuture(w) }, false, reach.AnyOrder,
		[]structtest.Class{structtest.StructuredFutures, structtest.SpawnSync}},
	{"ReaderList", func(w *twin) *History { return NewReaderList(w) }, false, reach.AnyOrder,
		[]structtest.Class{structtest.Everything, structtest.GeneralFutures, structtest.Promises, structtest.SpawnSync}},
	{"ReaderList depth-first", func(w *twin) *History { return NewReaderList(w) }, false, reach.DepthFirst,
		[]structtest.Class{structtest.GeneralFutures, structtest.AsyncFinish}},
	{"Suprema", func(w *twin) *History { return NewSuprema(w) }, true, reach.DepthFirst, []structtest.Class{structtest.Lattice}},
}

func TestPolicies(t *testing.T) {
	for _, p := range policies {
		for _, class := range p.classes {
			t.Run(p.name+"/"+class.Name, func(t *testing.T) {
				try := func(seed uint64) error {
					return conform(historytest.FromSeed(seed, 50, class, p.order), p.fresh, p.exact)
				}
				first, count := soak.Seeds(1500)
				seed, err := soak.FirstFailure(first, count, try)
				if err != nil {
					program := historytest.FromSeed(seed, 50, class, p.order)
					small, err := structtest.Reduce(program, p.order, err, func(q structtest.Program) error { return conform(q, p.fresh, p.exact) })
					t.Fatalf("seed %d: %v\n%s", seed, err, small)
				}
			})
		}
	}
}

// parallel is an order in which everything is parallel, or everything in turn.
type parallel bool

func (p parallel) Precedes(u, v reach.Strand) bool { return u == v || !bool(p) && u < v }

// A race is one piece where its bytes touch, and a piece for each run of bytes where not.
func TestRaces(t *testing.T) {
	h := NewReaderList(parallel(true))
	writer, reader := Access{Strand: 1, ID: 1}, Access{Strand: 3, ID: 3}
	h.Access(Write, 10, 29, writer)
	h.Access(Read, 15, 17, reader)
	h.Alloc(20, 21)
	got := h.Access(Read, 0, 99, Access{Strand: 2, ID: 2})
	want := []Race{{writer, Write, 10, 10}, {writer, Write, 22, 8}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Who has read since the strand's own last write races with the next one.
	got = h.Access(Write, 17, 17, writer)
	want = []Race{{Access{Strand: 2, ID: 2}, Read, 17, 1}, {reader, Read, 17, 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Two strands that read in turns, and many that read one after the other, leave a short
// list; parallel ones all stay, and are reclaimed after a write.
func TestReaderListStaysShort(t *testing.T) {
	list := func(order Order, strand func(i int) reach.Strand) (used int) {
		h := NewReaderList(order)
		p := h.policy.(*readerList)
		for i := range 10000 {
			h.Access(Read, 8, 15, Access{Strand: strand(i), ID: uint64(i)})
		}
		used = len(p.list) - 1 - len(p.free)
		if p.used() != 1 {
			t.Errorf("%d states for one segment", p.used())
		}
		if races := h.Access(Write, 8, 15, Access{Strand: 1 << 40, ID: 1}); order == parallel(true) && len(races) < min(used, 10000) {
			t.Errorf("%d races with %d readers", len(races), used)
		}
		if left := len(p.list) - 1 - len(p.free); left != 0 || p.used() != 1 {
			t.Errorf("%d readers and %d states after a write", left, p.used())
		}
		return used
	}
	if n := list(parallel(true), func(i int) reach.Strand { return reach.Strand(1 + i%2) }); n > 2*tidyAt {
		t.Errorf("two strands in turns: a list of %d", n)
	}
	if n := list(parallel(false), func(i int) reach.Strand { return reach.Strand(1 + i) }); n != 1 {
		t.Errorf("one after the other: a list of %d", n)
	}
	if n := list(parallel(true), func(i int) reach.Strand { return reach.Strand(1 + i) }); n != 10000 {
		t.Errorf("all parallel: a list of %d", n)
	}
}

func BenchmarkAccess(b *testing.B) {
	for _, policy := range []struct {
		name string
		new  func() *History
	}{
		{"OneReader", func() *History { return NewOneReader(parallel(false)) }},
		{"ReaderList", func() *History { return NewReaderList(parallel(false)) }},
	} {
		const words = 1 << 16
		b.Run(policy.name+"/sweep", func(b *testing.B) { // each word, by strand after strand
			h := policy.new()
			for i := 0; b.Loop(); i++ {
				addr := uint64(i%words) * 8
				h.Access(Read+Op(i/words%2), addr, addr+7, Access{Strand: reach.Strand(1 + i/64), ID: uint64(i)})
			}
			b.ReportMetric(float64(h.Bytes())/words, "B/word")
		})
		b.Run(policy.name+"/scattered", func(b *testing.B) {
			h := policy.new()
			for i := 0; b.Loop(); i++ {
				addr := uint64(i) * 0x9e3779b97f4a7c15 >> 48 * 8
				h.Access(Read+Op(i%2), addr, addr+7, Access{Strand: reach.Strand(1 + i/64), ID: uint64(i)})
			}
		})
		b.Run(policy.name+"/repeated", func(b *testing.B) {
			h := policy.new()
			for b.Loop() {
				h.Access(Read, 64, 71, Access{Strand: 1, ID: 1})
			}
		})
		b.Run(policy.name+"/megabyte", func(b *testing.B) {
			h := policy.new()
			for i := 0; b.Loop(); i++ {
				h.Access(Write, 1<<20, 2<<20-1, Access{Strand: reach.Strand(1 + i), ID: 1})
			}
		})
	}
}
