package task

import "sync/atomic"

// A construct says what a start or a wait belongs to. The names are those of
// the text trace's events.
type construct uint8

const (
	spawn  construct = iota // a task of a Group, and its Sync
	async                   // a task of a Scope, and the end of its Finish
	create                  // the task of a Future, and its Get
	fork                    // a task of a Line, and its Join
	set                     // a Promise's Set, and its Get
)

// An executor is where tasks start and wait: open and promised make latches of
// finishes and promises, start starts tasks, and pipeline runs pipelines. There
// are three, of which a build has one: goroutines, and under detrace a serial one and
// goroutines that tell of the constructs.
var _ interface {
	open(*latch)
	promised(*latch)
	start(construct, *latch, func())
} = executor{}

// A cell is one item of a pipeline.
type cell interface {
	col() *column
	run(stage int)
}

// stageRuns is what the executors keep for the stages of a pipeline.
type stageRuns struct {
	stages []stageRun
	failed atomic.Bool
}

// A stageRun belongs to the task of the stage.
type stageRun struct {
	failure *PanicError
	at      int // the item
}

func newStageRuns(n int) stageRuns { return stageRuns{stages: make([]stageRun, n)} }

// enters says whether the cell of an item runs.
func (r *stageRuns) enters(s int, col *column) bool {
	if r.stages[s].failure != nil {
		col.dead = true
	}
	return !col.dead && int(col.skip) <= s
}

// fail ends stage s at the item.
func (r *stageRuns) fail(s int, col *column, failure *PanicError) {
	r.stages[s] = stageRun{failure, col.index}
	r.failed.Store(true)
}

// failure is the panic of the earliest item, which is the same in every
// schedule: nothing before it in the grid panicked, so it always runs.
func (r *stageRuns) failure() *PanicError {
	var first *stageRun
	for s := range r.stages {
		if st := &r.stages[s]; st.failure != nil && (first == nil || st.at < first.at) {
			first = st
		}
	}
	if first == nil {
		return nil
	}
	return first.failure
}
