package lattice_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/soak"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/lattice"
	"github.com/detrace/detrace/reach/structtest"
)

// pipeline expresses a linear pipeline on the line. Stage 0 of all items is the
// root task's; each other stage of an item is a task, which the stage before it forks
// and which joins what earlier items have left on the line: their stages up to
// its own. So the line is, from the root leftwards, the stages that the next item
// finds.
//
//	after item 0:    0.3  0.2  0.1  root
//	item 1, stage 1: 0.3  0.2  1.1  root     1.1 has joined 0.1
//	item 1, stage 2: 0.3  1.2  1.1  root     forked by 1.1, has joined 0.2
type pipeline struct {
	items [][]stage // by item, its stages but 0
	// begin is told when a stage runs: after its joins.
	begin func(item int, s stage, t uint32)
	out   structtest.Program
	line  []placed // right end last
	tasks uint32
}

// stage is one stage of one item. One that does not wait is not ordered after the
// items before; one that is null is there for the order alone.
type stage struct {
	number      int
	waits, null bool
}

type placed struct {
	task  uint32
	stage int
}

func (p *pipeline) emit(kind reach.Kind, t, arg uint32) {
	p.out = append(p.out, event.Event{Kind: event.Of(kind), Task: t, Arg: arg, Line: len(p.out) + 1})
}

// run builds the program.
func (p *pipeline) run() structtest.Program {
	for i, stages := range p.items {
		p.begin(i, stage{}, 0)
		p.rest(i, stages, 0)
	}
	for n := len(p.line); n > 0; n-- {
		p.emit(reach.Join, 0, p.line[n-1].task)
	}
	p.emit(reach.End, 0, 0)
	return p.out
}

// rest runs the stages of an item that follow what task t has run.
func (p *pipeline) rest(item int, stages []stage, t uint32) {
	if len(stages) == 0 {
		return
	}
	s := stages[0]
	p.tasks++
	child := p.tasks
	p.emit(reach.Fork, t, child)
	for n := len(p.line); s.waits && n > 0 && p.line[n-1].stage <= s.number; n-- {
		p.emit(reach.Join, child, p.line[n-1].task)
		p.line = p.line[:n-1]
	}
	p.begin(item, s, child)
	p.rest(item, stages[1:], child)
	p.emit(reach.End, child, 0)
	p.line = append(p.line, placed{child, s.number})
}

// randomPipeline has items that end early. Stages that an item skips are null, or
// left out; then, and when some do not wait, the order is what the line makes it.
func randomPipeline(r *rand.Rand, nulls bool) *pipeline {
	items, stages := 1+r.IntN(8), 1+r.IntN(6)
	p := &pipeline{begin: func(int, stage, uint32) {}}
	for range items {
		var item []stage
		for s := 1; s <= stages && r.IntN(12) > 0; s++ {
			skip := r.IntN(4) == 0
			if !skip || nulls {
				item = append(item, stage{number: s, waits: nulls || r.IntN(5) > 0, null: skip})
			}
		}
		p.items = append(p.items, item)
	}
	return p
}

// Every strand of a pipeline, forks and joins included, against the oracle.
func TestPipelines(t *testing.T) {
	first, count := soak.Seeds(4000)
	seed, err := soak.FirstFailure(first, count, func(seed uint64) error {
		r := rand.New(rand.NewPCG(seed, 3))
		return structtest.Run(randomPipeline(r, seed%2 == 0).run(), fresh)
	})
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, randomPipeline(rand.New(rand.NewPCG(seed, 3)), seed%2 == 0).run())
	}
}

// Stage s of item i is after stages up to s of items up to i and parallel to all else:
// the line expresses what a pipeline means, also where stages are skipped and items
// end early.
func TestPipelineOrder(t *testing.T) {
	pairs := 0
	for seed := range uint64(1000) {
		p := randomPipeline(rand.New(rand.NewPCG(seed, 4)), true)
		n, err := checkOrder(p)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, p.out)
		}
		pairs += n
	}
	t.Log(pairs, "pairs of stages")
}

// cell is a stage that runs: from event at on, in task.
type cell struct {
	item, stage, at int
	task            uint32
	strand          reach.Strand
}

func checkOrder(p *pipeline) (pairs int, err error) {
	var cells []cell
	p.begin = func(item int, s stage, t uint32) {
		if !s.null {
			cells = append(cells, cell{item, s.number, len(p.out), t, 0})
		}
	}
	program := p.run()
	binder := event.NewBinder(p.tasks + 2)
	defer binder.Close()
	e := new(lattice.Engine)
	e.Init(p.tasks+1, 0)
	defer e.Close()
	next := 0
	for i, ev := range program {
		for ; next < len(cells) && cells[next].at == i; next++ {
			v := &cells[next]
			v.strand = binder.Run.Current(binder.Task(v.task))
			for _, u := range cells[:next] {
				pairs++
				want := u.item <= v.item && u.stage <= v.stage
				if got := e.Precedes(u.strand, v.strand); got != want {
					return pairs, fmt.Errorf("stage %d of item %d precedes stage %d of item %d: %v, want %v", u.stage, u.item, v.stage, v.item, got, want)
				}
			}
		}
		if err := binder.Control(ev, e.Do); err != nil {
			return pairs, err
		}
	}
	return pairs, nil
}

// grid runs a pipeline of so many items and stages, all present, and calls visit
// when a stage begins.
func (p *program) grid(items, stages int, visit func(s reach.Strand)) {
	line := make([]reach.Task, stages+1) // by stage
	open := make([]reach.Task, 0, stages)
	for range items {
		visit(p.Current(1))
		parent := reach.Task(1)
		for s := 1; s <= stages; s++ {
			p.do(reach.Fork, parent, 0)
			child := reach.Task(p.Tasks())
			if line[s] != 0 {
				p.do(reach.Join, child, line[s])
			}
			visit(p.Current(child))
			line[s], parent = child, child
			open = append(open, child)
		}
		for ; len(open) > 0; open = open[:len(open)-1] {
			p.do(reach.End, open[len(open)-1], 0)
		}
	}
	for _, t := range line[1:] {
		p.do(reach.Join, 1, t)
	}
}

// BenchmarkPipeline is a whole run: checking and numbering by package construct
// included.
func BenchmarkPipeline(b *testing.B) {
	const items, stages = 20_000, 10
	for range b.N {
		e := fresh(items*stages+1, 0)
		p := &program{b, e, new(construct.Run)}
		p.Init(items*stages + 1)
		p.grid(items, stages, func(reach.Strand) {})
		p.Close()
		e.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(3*items*stages), "ns/construct")
	b.ReportMetric(4, "B/task")
}

// BenchmarkPrecedes asks, in the middle stage of the last item, about stages of all
// items at random.
func BenchmarkPrecedes(b *testing.B) {
	const items, stages = 20_000, 10
	p := start(b, items*stages+1)
	r := rand.New(rand.NewPCG(1, 1))
	var before []reach.Strand
	p.grid(items, stages, func(s reach.Strand) {
		before = append(before, s)
		if len(before) != items*(stages+1)-stages/2 {
			return
		}
		yes := 0
		b.ResetTimer()
		for range b.N {
			if p.engine.Precedes(before[r.IntN(len(before))], s) {
				yes++
			}
		}
		b.StopTimer()
		b.ReportMetric(float64(yes)/float64(b.N), "yes/query")
	})
}
