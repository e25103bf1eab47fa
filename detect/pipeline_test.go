package detect

import (
	"slices"
	"testing"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// A pipeline whose stages fork the next stage last of all: items × stages tasks on a line,
// each of which joins that of its stage for the item before.
type pipeline struct {
	*judged
	t     *testing.T
	tails []reach.Task // by stage: the task of the last item
	// visit is called in each task, before and after it forks the next.
	visit func(task reach.Task, item, stage int, after bool)
}

func newPipeline(t *testing.T, parallel bool, stages int) *pipeline {
	p := &pipeline{judged: newJudged(t), t: t, tails: make([]reach.Task, stages)}
	t.Cleanup(p.closeSerial)
	main := p.Fork(p.Engine.Root(), 0)
	if parallel {
		p.Parallel(main, 0, false)
	} else {
		p.Serial(main, 0)
	}
	p.tails[0] = main
	return p
}

func (p *pipeline) run(items int) {
	main := p.tails[0]
	for item := range items {
		p.visit(main, item, 0, false)
		p.fork(main, item, 1)
	}
	for stage := 1; stage < len(p.tails); stage++ {
		tell(p.t, p.judged, reach.Join, main, p.tails[stage], 0)
	}
}

func (p *pipeline) fork(by reach.Task, item, stage int) {
	if stage == len(p.tails) {
		return
	}
	task := tell(p.t, p.judged, reach.Fork, by, 0, 0)
	before := p.tails[stage]
	p.tails[stage] = task
	if before != 0 {
		tell(p.t, p.judged, reach.Join, task, before, 0)
	}
	p.visit(task, item, stage, false)
	p.fork(task, item, stage+1)
	p.visit(task, item, stage, true)
	tell(p.t, p.judged, reach.End, task, 0, 0)
}

// What the tasks of a pipeline know takes memory that grows with their number, also where no
// engine of pipelines answers.
func TestPipelineMemory(t *testing.T) {
	const items, stages, mostBytes = 100, 40, 1500
	for name, parallel := range map[string]bool{"serial": false, "parallel": true} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t, parallel, stages)
			p.visit = func(task reach.Task, item, stage int, after bool) {
				if !after {
					p.access(task, shadow.Write, low+8*uintptr(stage), 1)
				}
			}
			p.run(items)
			perTask := p.Engine.Bytes() / (items * stages)
			t.Logf("%d tasks, %d bytes each", items*stages, perTask)
			if perTask > mostBytes {
				t.Errorf("%d bytes for each of %d tasks, want %d at most", perTask, items*stages, mostBytes)
			}
			if len(p.races) > 0 {
				t.Errorf("%d races, want none", len(p.races))
			}
		})
	}
}

// What a task does after its last fork is not ordered before the child, but before who joins
// the task: in the engine of pipelines and in the native one.
func TestWorkAfterTheLastFork(t *testing.T) {
	const items, stages = 4, 3
	for _, c := range []struct {
		name     string
		parallel bool
		stage    int // that touches what stage 1 writes after its fork
		want     []uintptr
	}{
		{"same stage, serial", false, 1, nil},
		{"same stage, parallel", true, 1, nil},
		{"next stage, serial", false, 2, []uintptr{low}},
		{"next stage, parallel", true, 2, []uintptr{low}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPipeline(t, c.parallel, stages)
			p.visit = func(task reach.Task, item, stage int, after bool) {
				if stage == 1 && after || stage == c.stage && !after {
					p.access(task, shadow.Write, low, uintptr(stage))
				}
			}
			p.run(items)
			var got []uintptr
			for _, r := range p.races {
				got = append(got, r.addr)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, c.want) {
				t.Errorf("races at %#x, want %#x", got, c.want)
			}
			if _, now, _, _ := p.Answering(); !c.parallel && now != engines.Lattice {
				t.Errorf("%s answers, want lattice", now)
			}
		})
	}
}
