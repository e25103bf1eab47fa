package task

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// A Stage is one step of a pipeline. It may read and change the item's value
// and the stage's own state, and call the item's methods; it must not keep the
// item.
type Stage[T any] func(item *Item[T])

// A Pipeline takes every item through its stages in order, and every stage
// through the items in order: stage s of item i happens before stage s of item
// i+1 and before stage s+1 of item i. Nothing else is ordered, in particular not
// stage s of an item and stage s+1 of an earlier one. So what a stage keeps from
// item to item belongs to that stage, and what is in the item to the stage that
// has it.
type Pipeline[T any] struct {
	// Bound is how many items may be under way at one time; 0 stands for 16
	// times the number of stages. It limits memory and is no order: with
	// another bound the program must do the same, and detrace judges all bounds.
	Bound int

	stages []Stage[T]
}

// NewPipeline returns a pipeline of these stages; it panics if there are none.
func NewPipeline[T any](stages ...Stage[T]) *Pipeline[T] {
	if len(stages) == 0 {
		panic(errors.New("task: a pipeline needs a stage"))
	}
	return &Pipeline[T]{stages: stages}
}

// An Item is one value on its way through a pipeline. It belongs to the stage
// that is called with it.
type Item[T any] struct {
	column
	// Value is what the stages pass on.
	Value T

	pipeline *Pipeline[T]
	stage    int
}

// Index is the number of the item, from 0.
func (it *Item[T]) Index() int { return it.index }

// SkipTo leaves out the stages between the running one and stage, counted from 0:
// for this item they do nothing, but order it as if they had run. The number of
// stages leaves out all the rest. It panics with a [*MisuseError] if stage is not
// after the running one, or there is no such stage.
func (it *Item[T]) SkipTo(stage int) {
	if stage <= it.stage || stage > len(it.pipeline.stages) {
		panic(misuse(fmt.Sprintf("SkipTo(%d)", stage), fmt.Sprintf("the running stage is %d of %d", it.stage, len(it.pipeline.stages)), ""))
	}
	it.skip = int32(stage)
}

func (it *Item[T]) run(stage int) {
	it.stage = stage
	it.pipeline.stages[stage](it)
}

// Run takes all values through the pipeline and returns when the last item has
// passed the last stage. The first stage and values run in the calling task, every
// other stage in a task of its own. Different tasks may call Run at one time if
// the stages allow it.
//
// When ctx ends, no more values are taken, and Run returns the cause after the
// items under way have passed all stages. When a stage panics, no more values are
// taken, no later item enters the stage nor those behind it, and Run panics with
// the [*PanicError] of the earliest item that panicked, in every schedule the same
// one.
func (p *Pipeline[T]) Run(ctx context.Context, values iter.Seq[T]) error {
	bound := p.Bound
	if bound <= 0 {
		bound = 16 * len(p.stages)
	}
	r := rt.pipeline(ctx, len(p.stages), bound)
	defer r.close()
	for v := range values {
		if !r.feed(&Item[T]{Value: v, pipeline: p}) {
			break
		}
	}
	r.close()
	r.failure().raise()
	return r.err
}
