package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/detrace/detrace/detect/engines"
	"github.com/detrace/detrace/reach"
)

// A cost is what one process measures of one engine and program.
type cost struct {
	Refused string  // why the engine did not take the program, or how it failed
	CPU     float64 // seconds in the engine
	Query   float64 // seconds for one
	Told    uint32  // constructs
	Tasks   uint32
	Strands uint32
	Bytes   uint64 // that the engine says it uses
	Peak    int64  // resident, those of the construct package and of this program included
}

// shapes are the programs that engines are measured with, of about n tasks.
var shapes = map[string]func(p *told, n int){
	"spawn":    func(p *told, n int) { p.fib(1, fibOf(n), reach.Spawn, reach.Sync) },
	"create":   func(p *told, n int) { p.fib(1, fibOf(n), reach.Create, reach.Get) },
	"fork":     func(p *told, n int) { p.fib(1, fibOf(n), reach.Fork, reach.Join) },
	"depth":    func(p *told, n int) { p.nest(n, reach.Spawn, reach.Sync) },
	"width":    func(p *told, n int) { p.fan(n, reach.Spawn, reach.Sync) },
	"line":     func(p *told, n int) { p.nest(n, reach.Fork, reach.Join) },
	"wideline": func(p *told, n int) { p.fan(n, reach.Fork, reach.Join) },
	"futures":  func(p *told, n int) { p.fan(n, reach.Create, reach.Get) },
}

// fibOf is the argument for which fib has about n tasks.
func fibOf(n int) (k int) {
	for fibTasks(k+1) <= uint32(n) {
		k++
	}
	return k
}

// fib starts both halves and joins them, the second one first.
func (p *told) fib(t reach.Task, n int, fork, join reach.Kind) {
	if n < 2 || p.stopped() {
		return
	}
	var halves [2]reach.Task
	for i := range halves {
		halves[i] = p.do(fork, t, 0)
		p.fib(halves[i], n-1-i, fork, join)
		p.do(reach.End, halves[i], 0)
	}
	p.do(join, t, uint32(halves[1]))
	p.do(join, t, uint32(halves[0])) // for a sync there is nobody left
}

// nest is tasks each of which starts and joins the next.
func (p *told) nest(n int, fork, join reach.Kind) {
	tasks := []reach.Task{1}
	for len(tasks) < n && !p.stopped() {
		tasks = append(tasks, p.do(fork, tasks[len(tasks)-1], 0))
	}
	for i := len(tasks) - 1; i > 0; i-- {
		p.do(reach.End, tasks[i], 0)
		p.do(join, tasks[i-1], uint32(tasks[i]))
	}
}

// fan is tasks that the root starts before it joins any, last first.
func (p *told) fan(n int, fork, join reach.Kind) {
	var tasks []reach.Task
	for len(tasks) < n-1 && !p.stopped() {
		t := p.do(fork, 1, 0)
		p.do(reach.End, t, 0)
		tasks = append(tasks, t)
	}
	for i := range tasks {
		p.do(join, 1, uint32(tasks[len(tasks)-1-i]))
	}
}

// measureCost runs a program of about n tasks through the engine. In its middle it asks
// which of the strands so far precede the one that runs, if asks is not 0.
func measureCost(engine string, program func(p *told), tasks, strands uint32, asks int) (c cost, err error) {
	runtime.GC()
	if err := resetPeak(); err != nil {
		return c, err
	}
	before := resident(false)
	var room engines.Any
	e := room.Start(engines.Named(engine), tasks+2, strands+2)
	if e == nil {
		return c, fmt.Errorf("there is no engine %q", engine)
	}
	p := newTold(e, tasks, nil)
	if asks > 0 {
		p.askAt = tasks // there are three or four for each of half as many at least
		p.ask = func() { c.Query = p.query(asks) }
	}
	program(p)
	p.flush()
	if p.askAt != 0 && p.refused == "" {
		return c, fmt.Errorf("%s: the program has no middle to ask in", engine)
	}
	c.Told, c.Refused, c.CPU, c.Tasks, c.Strands, c.Bytes = p.told, p.refused, p.watch.sum.Seconds(), p.Tasks(), p.Strands(), e.Bytes()
	c.Peak = resident(true) - before
	return c, nil
}

// query is the time of one query about a random task's last strand, in a random order of
// tasks, and the strand that runs.
func (p *told) query(asks int) (seconds float64) {
	if p.refused != "" {
		return 0
	}
	random := rand.New(rand.NewPCG(1, 1))
	strands := make([]reach.Strand, 1<<16)
	for i := range strands {
		strands[i] = p.Current(reach.Task(1 + random.IntN(int(p.Tasks()))))
	}
	var w watch
	yes := 0
	w.start()
	for i := range asks {
		if p.engine.Precedes(strands[i%len(strands)], p.stand) {
			yes++
		}
	}
	w.stop()
	if yes == 0 {
		panic("no strand precedes the one that runs")
	}
	return w.sum.Seconds() / float64(asks)
}
