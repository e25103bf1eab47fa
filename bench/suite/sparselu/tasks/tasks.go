// Package tasks factors a matrix with a task for each operation on a block and a promise
// for its end: an operation waits for those that made its operands.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/sparselu"
	"github.com/detrace/detrace/task"
)

type promise = *task.Promise[struct{}]

// Run factors p.
func Run(p *sparselu.Problem) {
	task.Finish(func(s *task.Scope) {
		f := &factorisation{p, s, make([][]promise, len(p.Blocks))}
		for i := range f.made {
			f.made[i] = make([]promise, len(p.Blocks))
		}
		for k := range p.Blocks {
			f.step(k)
		}
	})
}

type factorisation struct {
	*sparselu.Problem
	scope *task.Scope
	made  [][]promise // by block: its last operation so far, nil if there was none
}

// step starts all operations with the block k on the diagonal.
func (f *factorisation) step(k int) {
	b := f.Blocks
	d := b[k][k]
	f.start(k, k, func() { f.Factor(d) })
	for j := k + 1; j < len(b); j++ {
		if above := b[k][j]; above != nil {
			f.start(k, j, func() { f.Forward(d, above) }, f.made[k][k])
		}
		if left := b[j][k]; left != nil {
			f.start(j, k, func() { f.Divide(d, left) }, f.made[k][k])
		}
	}
	for i := k + 1; i < len(b); i++ {
		for j := k + 1; j < len(b); j++ {
			left, above := b[i][k], b[k][j]
			if left == nil || above == nil {
				continue
			}
			to := f.Fill(i, j)
			f.start(i, j, func() { f.Update(to, left, above) }, f.made[i][k], f.made[k][j])
		}
	}
}

// start starts an operation on the block in row i and column j, after the last one there
// and others.
func (f *factorisation) start(i, j int, operation func(), others ...promise) {
	last, done := f.made[i][j], task.NewPromise[struct{}]()
	f.made[i][j] = done
	f.scope.Async(func() {
		if last != nil {
			last.Get()
		}
		for _, other := range others {
			other.Get()
		}
		operation()
		done.Set(struct{}{})
	})
}
