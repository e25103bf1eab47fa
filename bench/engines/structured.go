package main

import (
	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
)

// told is a structured program that runs: its constructs are made, kept and handed to
// an engine many at a time, so that the engine's time is told apart from that of
// package construct.
type told struct {
	construct.Run
	engine     reach.Engine
	constructs []reach.Construct
	joined     []reach.Joined
	watch      watch        // runs while the engine is told
	full       func() bool  // asked now and then whether to stop
	refused    string       // why the engine stopped it
	stand      reach.Strand // the one that runs once the engine knows all
	told       uint32       // constructs
	askAt      uint32       // calls ask when so many constructs are told, if not 0
	ask        func()
}

const handedAtOnce = 4096

func newTold(e reach.Engine, tasks uint32, full func() bool) *told {
	p := &told{engine: e, full: full}
	p.Init(tasks + 2)
	p.constructs = make([]reach.Construct, 0, handedAtOnce)
	p.joined = make([]reach.Joined, 0, handedAtOnce)
	return p
}

// stopped reports whether the program shall end early.
func (p *told) stopped() bool { return p.refused != "" || p.full != nil && p.full() }

func (p *told) do(kind reach.Kind, t reach.Task, arg uint32) reach.Task {
	c, refusal := p.Do(kind, t, arg)
	if refusal.Refused() {
		panic(kind.String() + ": " + refusal.Why)
	}
	if c == nil { // nobody to join
		return 0
	}
	if len(p.constructs) == cap(p.constructs) {
		p.flush()
	}
	kept := *c
	n := len(p.joined)
	p.joined = append(p.joined, c.Joined...)
	kept.Joined = p.joined[n:len(p.joined):len(p.joined)]
	p.constructs = append(p.constructs, kept)
	if p.told++; p.askAt != 0 && p.told >= p.askAt && kind.Forks() {
		p.flush()
		p.askAt, p.stand = 0, c.First
		p.ask()
	}
	return c.Other
}

// flush tells the engine what it has not been told.
func (p *told) flush() {
	p.watch.start()
	for i := range p.constructs {
		if p.refused != "" {
			break
		}
		p.refused = p.engine.Do(&p.constructs[i]).Why
	}
	p.watch.stop()
	p.constructs, p.joined = p.constructs[:0], p.joined[:0]
}

// A structuredProgram makes constructs.
type structuredProgram func(p *told)

func structuredFib(n int) structuredProgram {
	return func(p *told) {
		var fib func(t reach.Task, n int)
		fib = func(t reach.Task, n int) {
			if n < 2 || p.stopped() {
				return
			}
			for i := 1; i <= 2; i++ {
				child := p.do(reach.Spawn, t, 0)
				fib(child, n-i)
				p.do(reach.End, child, 0)
			}
			p.do(reach.Sync, t, 0)
		}
		fib(1, n)
	}
}

func structuredRounds(rounds, width int) structuredProgram {
	return func(p *told) {
		for range rounds {
			p.do(reach.Finish, 1, 0)
			for range width {
				if p.stopped() {
					return
				}
				p.do(reach.End, p.do(reach.Async, 1, 0), 0)
			}
			p.do(reach.EndFinish, 1, 0)
		}
	}
}

// structuredPipeline has a promise for each message on each way between stages, and
// one for each that a channel of that capacity hands back.
func structuredPipeline(messages, capacity int) structuredProgram {
	return func(p *told) {
		var tasks [stages]reach.Task
		p.do(reach.Finish, 1, 0)
		for i := range tasks {
			tasks[i] = p.do(reach.Async, 1, 0)
		}
		type slot struct{ full, empty uint32 }
		var slots [stages - 1][]slot
		for i := range slots {
			slots[i] = make([]slot, capacity)
		}
		for m := range messages + (stages-1)*capacity {
			if p.stopped() {
				return
			}
			for i := stages - 1; i >= 0; i-- {
				k := m - i*capacity
				if k < 0 || k >= messages {
					continue
				}
				if i > 0 {
					s := &slots[i-1][k%capacity]
					s.empty = p.NewPromise()
					p.do(reach.Set, tasks[i], s.empty)
					p.do(reach.Await, tasks[i], s.full)
				}
				if i < stages-1 {
					s := &slots[i][k%capacity]
					s.full = p.NewPromise()
					p.do(reach.Set, tasks[i], s.full)
					if s.empty != 0 {
						p.do(reach.Await, tasks[i], s.empty)
					}
				}
			}
		}
	}
}

func structuredWavefront(rows, columns int) structuredProgram {
	return func(p *told) {
		p.do(reach.Finish, 1, 0)
		promises := make([]uint32, rows*columns)
		for k := range promises {
			if p.stopped() {
				return
			}
			t := p.do(reach.Async, 1, 0)
			if k%columns > 0 {
				p.do(reach.Await, t, promises[k-1])
			}
			if k >= columns {
				p.do(reach.Await, t, promises[k-columns])
			}
			promises[k] = p.NewPromise()
			p.do(reach.Set, t, promises[k])
			p.do(reach.End, t, 0)
		}
		p.do(reach.EndFinish, 1, 0)
	}
}
