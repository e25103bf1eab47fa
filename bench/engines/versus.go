package main

import (
	"fmt"
	"runtime"
	"runtime/metrics"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/vclock"
)

// A contest is a program that join-tree and vector clocks both run, as goroutines and
// as constructs.
type contest struct {
	name       string
	tasks      uint32 // at most
	strands    uint32 // of the structured one
	native     nativeProgram
	structured structuredProgram
}

func contests(quick bool) (list []contest) {
	fib := func(n int) {
		tasks := fibTasks(n)
		list = append(list, contest{fmt.Sprintf("fib of %d tasks", tasks), tasks, 3*tasks + 2, nativeFib(n), structuredFib(n)})
	}
	rounds := func(rounds, width int) {
		tasks := uint32(rounds*width) + 1
		list = append(list, contest{fmt.Sprintf("%d rounds of %d tasks", rounds, width), tasks, 3*tasks + 2*uint32(rounds), nativeRounds(rounds, width), structuredRounds(rounds, width)})
	}
	pipeline := func(messages, capacity int) {
		list = append(list, contest{fmt.Sprintf("four stages, %d messages, capacity %d", messages, capacity), 6*uint32(messages) + 10, 12*uint32(messages) + 20, nativePipeline(messages, capacity), structuredPipeline(messages, capacity)})
	}
	wavefront := func(rows, columns int) {
		tasks := uint32(rows*columns) + 1
		list = append(list, contest{fmt.Sprintf("wavefront %d × %d", rows, columns), tasks, 6*tasks + 2, nativeWavefront(rows, columns), structuredWavefront(rows, columns)})
	}
	if quick {
		fib(15)
		rounds(10, 50)
		pipeline(2000, 1)
		pipeline(2000, 16)
		wavefront(20, 20)
		return list
	}
	fib(28)
	// The clocks do not bear all rounds and rows, so there is a beginning of each.
	rounds(12, 1000)
	rounds(1000, 1000)
	pipeline(1_000_000, 1)
	pipeline(1_000_000, 16)
	wavefront(100, 100)
	wavefront(40, 300)
	wavefront(300, 300)
	return list
}

func fibTasks(n int) uint32 {
	a, b := uint32(1), uint32(1) // in fib of 0 and of 1
	for range n {
		a, b = b, a+b+1
	}
	return a
}

// The sides of a contest.
var sides = []string{"jointree", "jointree, remembered", "vclock", "jointree, structured", "vclock, structured"}

// opposed are a contest's join trees and the clocks that each is compared with.
var opposed = []struct{ form, tree, clocks string }{
	{"goroutines", "jointree", "vclock"},
	{"goroutines, remembered", "jointree, remembered", "vclock"},
	{"structured", "jointree, structured", "vclock, structured"},
}

// enough is the memory at which clocks are stopped.
const enough = 2 << 30

// roomy is for how many tasks engines have address space at least: the space for fronts
// is in proportion.
const roomy = 1 << 22

// An outcome is what one process says of its side.
type outcome struct {
	CPU     float64 // seconds
	Peak    int64   // resident bytes beyond those at the start
	Held    int64   // bytes at the end, after a collection
	Stopped string  // why, if it was not run to its end
	Tasks   uint32  // started
}

// run is one side of the contest. The memory of its process is not yet much.
func (c *contest) run(side string) (o outcome, err error) {
	runtime.GC()
	if err := resetPeak(); err != nil {
		return o, err
	}
	before := resident(false)
	switch side {
	case "jointree", "jointree, remembered":
		e := &joinTree{remembered: side != "jointree"}
		e.Init(max(c.tasks, roomy))
		o.CPU = c.goroutines(e, func() bool { return false })
		o.Peak, o.Tasks = resident(true)-before, e.Started()
		if e.Exhausted() {
			o.Stopped = "no room for fronts"
		}
		e.sweep()
		o.Held = int64(e.Bytes())
	case "vclock":
		e := new(clocks)
		held := heldHeap(e)
		o.CPU = c.goroutines(e, fullHeap(&o.Stopped))
		o.Peak, o.Tasks = resident(true)-before, e.started+1
		o.Held = held()
	case "jointree, structured":
		e := new(jointree.Structured)
		e.Init(max(c.tasks, roomy), c.strands)
		c.constructs(e, func() bool { return false }, &o)
		o.Peak = resident(true) - before
		o.Held = int64(e.Bytes())
	case "vclock, structured":
		e := new(vclock.Structured)
		held := heldHeap(e)
		c.constructs(e, fullHeap(&o.Stopped), &o)
		o.Peak = resident(true) - before
		o.Held = held()
	default:
		return o, fmt.Errorf("there is no side %q", side)
	}
	return o, nil
}

func (c *contest) goroutines(e native, full func() bool) (seconds float64) {
	var w watch
	w.start()
	c.native(e, full)
	w.stop()
	return w.sum.Seconds()
}

func (c *contest) constructs(e reach.Engine, full func() bool, o *outcome) {
	p := newTold(e, c.tasks, full)
	c.structured(p)
	p.flush()
	o.CPU, o.Tasks = p.watch.sum.Seconds(), p.Tasks()
	if p.refused != "" {
		o.Stopped = p.refused
	}
	p.Close()
}

// fullHeap says whether the Go heap is enough, and notes it.
func fullHeap(stopped *string) func() bool {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	calls := 0
	return func() bool {
		if calls++; calls%64 == 0 && *stopped == "" {
			metrics.Read(sample)
			if sample[0].Value.Uint64() > enough {
				*stopped = "2 GB of clocks"
			}
		}
		return *stopped != ""
	}
}

// heldHeap says how much more of the Go heap is in use than now, on account of e.
func heldHeap(e any) func() int64 {
	before := liveHeap()
	return func() int64 {
		n := liveHeap() - before
		runtime.KeepAlive(e)
		return n
	}
}

func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
