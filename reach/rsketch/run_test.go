package rsketch_test

import (
	"testing"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/rsketch"
)

// run is a program that a test writes as calls: each method is what a task does next.
type run struct {
	tb     testing.TB
	run    construct.Run
	engine rsketch.Engine
}

func newRun(tb testing.TB, maxTasks, maxStrands uint32) *run {
	r := &run{tb: tb}
	r.run.Init(maxTasks)
	r.engine.Init(maxTasks, maxStrands)
	tb.Cleanup(r.close)
	return r
}

func (r *run) close() {
	r.run.Close()
	r.engine.Close()
}

// try does a construct and returns what it starts and the engine's refusal.
func (r *run) try(kind reach.Kind, t reach.Task, arg uint32) (reach.Task, reach.Refusal) {
	c, refusal := r.run.Do(kind, t, arg)
	if refusal.Refused() {
		r.tb.Fatalf("%v of task %d is impossible: %s", kind, t, refusal.Why)
	}
	if c == nil {
		return 0, reach.Refusal{}
	}
	return c.Other, r.engine.Do(c)
}

func (r *run) do(kind reach.Kind, t reach.Task, arg uint32) reach.Task {
	other, refusal := r.try(kind, t, arg)
	if refusal.Refused() {
		r.tb.Fatalf("%v of task %d is refused: %s", kind, t, refusal.Why)
	}
	return other
}

func (r *run) spawn(t reach.Task) reach.Task                { return r.do(reach.Spawn, t, 0) }
func (r *run) async(t reach.Task) reach.Task                { return r.do(reach.Async, t, 0) }
func (r *run) create(t reach.Task) reach.Task               { return r.do(reach.Create, t, 0) }
func (r *run) get(t, future reach.Task)                     { r.do(reach.Get, t, uint32(future)) }
func (r *run) sync(t reach.Task)                            { r.do(reach.Sync, t, 0) }
func (r *run) end(t reach.Task)                             { r.do(reach.End, t, 0) }
func (r *run) set(t reach.Task, p uint32)                   { r.do(reach.Set, t, p) }
func (r *run) await(t reach.Task, p uint32)                 { r.do(reach.Await, t, p) }
func (r *run) now(t reach.Task) reach.Strand                { return r.run.Current(t) }
func (r *run) precedes(u reach.Strand, v reach.Strand) bool { return r.engine.Precedes(u, v) }

func (r *run) want(what string, u, v reach.Strand, want bool) {
	r.tb.Helper()
	if r.precedes(u, v) != want {
		r.tb.Errorf("%s: precedes = %v", what, !want)
	}
}

const root = reach.Task(1)
