package main

import (
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/vclock"
)

// native is what the engines of goroutine programs have in common.
type native interface {
	Root() reach.Task
	Fork(parent reach.Task) reach.Task
	End(t reach.Task)
	Strand(t reach.Task) reach.Strand
	NewObject() uint32
	FreeObject(o uint32)
	Release(t reach.Task, o uint32)
	ReleaseMerge(t reach.Task, o uint32)
	Acquire(t reach.Task, o uint32)
	ReleaseAcquire(t reach.Task, o uint32)
	Precedes(u reach.Strand, t reach.Task) bool
}

// joinTree collects as the detector does: when as much as the last collection left was
// used since. The floor is that of Go's collector, which works for the clocks.
type joinTree struct {
	jointree.Engine
	collected  uint64
	events     int
	remembered bool // every task: something may be asked about it
}

const (
	collectFloor = 4 << 20
	lookEvery    = 64 // events, after which it is seen whether to collect
)

func (e *joinTree) NewObject() uint32 { return uint32(e.Engine.NewObject()) }

// FreeObject collects too: each program frees the objects that it makes many of.
func (e *joinTree) FreeObject(o uint32)                 { e.Engine.FreeObject(jointree.Object(o)); e.collect() }
func (e *joinTree) Release(t reach.Task, o uint32)      { e.Engine.Release(t, jointree.Object(o)) }
func (e *joinTree) ReleaseMerge(t reach.Task, o uint32) { e.Engine.ReleaseMerge(t, jointree.Object(o)) }
func (e *joinTree) Acquire(t reach.Task, o uint32) {
	e.Engine.Acquire(t, jointree.Object(o))
	e.collect()
}
func (e *joinTree) ReleaseAcquire(t reach.Task, o uint32) {
	e.Engine.ReleaseAcquire(t, jointree.Object(o))
	e.collect()
}

func (e *joinTree) collect() {
	if e.events++; e.events%lookEvery == 0 && e.Bytes() > 2*e.collected+collectFloor {
		e.sweep()
	}
}

func (e *joinTree) sweep() {
	e.BeginMark()
	for t := e.Root(); e.remembered && uint32(t) <= e.Started(); t++ {
		e.Mark(reach.StrandOf(t, 0))
	}
	e.Sweep()
	e.collected = e.Bytes()
}

// clocks are vector clocks, which Go's collector cleans up after.
type clocks struct {
	vclock.Engine
	started, made uint32 // tasks, objects
}

func (e *clocks) Fork(parent reach.Task) reach.Task {
	e.started++
	return e.Engine.Fork(parent)
}

func (e *clocks) NewObject() uint32 {
	e.made++
	return e.Engine.NewObject()
}

// A nativeProgram tells an engine what goroutines do. full stops it early.
type nativeProgram func(e native, full func() bool)

// nativeFib starts both halves and waits for them, with a WaitGroup in each call.
func nativeFib(n int) nativeProgram {
	return func(e native, full func() bool) {
		var fib func(t reach.Task, n int)
		fib = func(t reach.Task, n int) {
			if n < 2 || full() {
				return
			}
			group := e.NewObject()
			for i := 1; i <= 2; i++ {
				child := e.Fork(t)
				fib(child, n-i)
				e.ReleaseMerge(child, group)
				e.End(child)
			}
			e.Acquire(t, group)
			e.FreeObject(group)
		}
		fib(e.Root(), n)
	}
}

// nativeRounds starts width goroutines and waits for them, again and again, with one
// WaitGroup.
func nativeRounds(rounds, width int) nativeProgram {
	return func(e native, full func() bool) {
		group := e.NewObject()
		children := make([]reach.Task, width)
		for range rounds {
			for i := range children {
				if full() {
					return
				}
				children[i] = e.Fork(e.Root())
			}
			for _, c := range children {
				e.ReleaseMerge(c, group)
				e.End(c)
			}
			e.Acquire(e.Root(), group)
		}
	}
}

const stages = 4

// nativePipeline hands messages through goroutines, over channels of that capacity.
func nativePipeline(messages, capacity int) nativeProgram {
	return func(e native, full func() bool) {
		var tasks [stages]reach.Task
		for i := range tasks {
			tasks[i] = e.Fork(e.Root())
		}
		var slots [stages - 1][]uint32
		for i := range slots {
			for range capacity {
				slots[i] = append(slots[i], e.NewObject())
			}
		}
		for m := range messages + (stages-1)*capacity {
			if full() {
				return
			}
			for i := stages - 1; i >= 0; i-- { // each stage lags by one channel
				k := m - i*capacity
				if k < 0 || k >= messages {
					continue
				}
				if i > 0 {
					e.ReleaseAcquire(tasks[i], slots[i-1][k%capacity])
				}
				if i < stages-1 {
					e.ReleaseAcquire(tasks[i], slots[i][k%capacity])
				}
			}
		}
	}
}

// nativeWavefront is rows of goroutines; each waits for promises of its upper and left
// neighbours and sets its own.
func nativeWavefront(rows, columns int) nativeProgram {
	return func(e native, full func() bool) {
		group := e.NewObject()
		above := make([]uint32, columns)
		for i := range rows {
			left := uint32(0)
			for j := range columns {
				if full() {
					return
				}
				t, own := e.Fork(e.Root()), e.NewObject()
				if j > 0 {
					e.Acquire(t, left)
				}
				if i > 0 {
					e.Acquire(t, above[j])
					e.FreeObject(above[j]) // its right neighbour has waited for it
				}
				e.Release(t, own)
				e.ReleaseMerge(t, group)
				e.End(t)
				left, above[j] = own, own
			}
		}
		e.Acquire(e.Root(), group)
	}
}
