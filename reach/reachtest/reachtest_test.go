package reachtest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/detrace/detrace/reach"
)

func TestProgramText(t *testing.T) {
	for seed := range uint64(200) {
		p := FromSeed(seed, 160)
		q, err := Parse(p.String())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if p.String() != q.String() {
			t.Fatalf("seed %d: written and read again:\n%s", seed, q)
		}
	}
}

func TestDecode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		data := make([]byte, r.IntN(300))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		p := Decode(data)
		if q, err := Parse(p.String()); err != nil || q.String() != p.String() {
			t.Fatalf("bytes %x: %v\n%s", data, err, p)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"fork 1", "line 1: fork takes 2 numbers, not 1"},
		{"\nend one", `line 2: end: strconv.Atoi: parsing "one": invalid syntax`},
		{"join 1 2", `line 1: unknown event "join"`},
		{"fork 1 2\nend 2\nrelease 2 7", "the program is not legal: only 2 of 3 events can happen"},
		{"fork 1 2\nfork 1 2", "the program is not legal: only 1 of 2 events can happen"},
	} {
		if _, err := Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("Parse(%q): %v, want %s", c.text, err, c.want)
		}
	}
}

// TestGenerate checks that random programs are legal and that a few thousand
// of them contain every kind of event many times.
func TestGenerate(t *testing.T) {
	counts := map[Op]int{}
	const programs = 2000
	for seed := range uint64(programs) {
		p := FromSeed(seed, 160)
		if legal := p.legal(); len(legal) != len(p) {
			t.Fatalf("seed %d: %d of %d events are legal", seed, len(legal), len(p))
		}
		for _, e := range p {
			counts[e.Op]++
		}
	}
	for op, name := range opNames {
		if counts[Op(op)] < programs/4 {
			t.Errorf("only %d %s events in %d programs", counts[Op(op)], name, programs)
		}
	}
}

// ordered is an engine that believes that forks and strands of one task order
// everything: it knows no objects.
type ordered struct {
	parents []reach.Strand // of task i+1
	index   []uint32
}

func (o *ordered) Fork(parent reach.Task) reach.Task {
	o.parents, o.index = append(o.parents, o.Strand(parent)), append(o.index, 0)
	o.index[parent-1]++
	return reach.Task(len(o.index))
}

func (o *ordered) Strand(t reach.Task) reach.Strand {
	return reach.StrandOf(t, o.index[t-1])
}

func (o *ordered) PrecedesKept(u reach.Strand, kept int) bool {
	for v := reach.Strand(kept); v != 0; v = o.parents[v.Task()-1] {
		if v.Task() == u.Task() {
			return u <= v
		}
	}
	return false
}

func (o *ordered) Precedes(u reach.Strand, t reach.Task) bool {
	return o.PrecedesKept(u, int(o.Strand(t)))
}

func (o *ordered) Keep(t reach.Task) int               { return int(o.Strand(t)) }
func (o *ordered) NewObject() uint32                   { return 1 }
func (o *ordered) Release(t reach.Task, _ uint32)      { o.index[t-1]++ }
func (o *ordered) ReleaseMerge(t reach.Task, _ uint32) { o.index[t-1]++ }
func (o *ordered) ReleaseAcquire(t reach.Task, _ uint32) {
	o.index[t-1]++
}
func (o *ordered) Acquire(reach.Task, uint32) {}
func (o *ordered) AcquireAll(reach.Task)      {}
func (o *ordered) End(reach.Task)             {}
func (o *ordered) FreeObject(uint32)          {}
func (o *ordered) Collect([]reach.Strand)     {}
func (o *ordered) Close()                     {}

func newOrdered() Engine {
	return &ordered{parents: make([]reach.Strand, 1), index: make([]uint32, 1)}
}

// TestShrink checks that an engine without acquires is found out and that the
// smallest program against it is one release, one acquire and the task for it.
func TestShrink(t *testing.T) {
	subject := Subject{Name: "ordered", New: newOrdered}
	for seed := range uint64(1000) {
		p := FromSeed(seed, 160)
		m := Run(p, subject)
		if m == nil {
			continue
		}
		small, m := Shrink(p, m, subject)
		if len(small) > 3 || m == nil || Run(small, subject) == nil {
			t.Fatalf("seed %d: shrunk to %d events:\n%s%v", seed, len(small), small, m)
		}
		if text := m.Error(); !strings.Contains(text, "ordered: after ") || !strings.Contains(text, "= false, want true") {
			t.Fatalf("seed %d: the message is %q", seed, text)
		}
		return
	}
	t.Fatal("an engine that ignores acquires passed 1000 programs")
}

func TestForkOnlyPasses(t *testing.T) {
	p, err := Parse("fork 1 2\nfork 2 3\nfork 1 4\nend 3\ncheck\nrelease 4 1\ncollect 3")
	if err != nil {
		t.Fatal(err)
	}
	if m := Run(p, Subject{Name: "ordered", New: newOrdered}); m != nil {
		t.Fatal(m)
	}
}
