package tp3

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// valueKind tells the three kinds of run-time values apart.
type valueKind uint8

const (
	integer valueKind = iota
	location
	promised
)

// value is k in the paper: an integer, or the index of a location or of a
// promise in its configuration.
type value struct {
	kind valueKind
	n    int64
}

// config is a run-time state without its graph: what the small-step rules
// read and change. A step can be undone, last step first. Serial use only.
type config struct {
	prog     *Program
	tasks    []task    // in order of creation; 0 is the root
	cells    []cell    // the memory M, in order of allocation
	promises []promise // in order of creation
}

// task is a task's state. Its counters name what it creates: names are the
// same in every schedule in which the task gets that far by the same path.
type task struct {
	parent  int32
	number  int32 // of the parent's asyncs, from 1
	async   int32 // the statement that created it
	pc      int32
	steps   int32
	asyncs  int32
	allocs  int32
	news    int32
	locals  []value  // by slot; those beyond the current scope are dead
	failure *Failure // why no rule applies any more
}

type cell struct {
	owner  int32 // the task that allocated it
	number int32 // of the owner's allocs, from 1
	pc     int32 // of the alloc
	value  value
}

type promise struct {
	owner  int32
	number int32
	pc     int32
	setter int32 // -1: unfulfilled
	setPC  int32
}

// Failure is a statement that no rule lets run: a program error.
type Failure struct {
	Pos  Pos
	Task string
	Text string // the statement
	What string
	Do   string
}

// step is a step that was made.
type step struct {
	task   int32
	index  int32 // of the task's steps, from 0
	pc     int32
	object int32 // the location, promise or task that it is about; -1: none
	value  value // what it assigned to a local
	failed bool
}

// undo is what brings back the configuration before a step.
type undo struct {
	task   task
	local  value // overwritten in the array of locals, if reused
	cell   value
	reused bool
	wrote  bool
	set    bool
}

func newConfig(p *Program) *config {
	return &config{prog: p, tasks: []task{{pc: p.entry, parent: -1}}}
}

// ended reports whether task t has run to its return.
func (c *config) ended(t int32) bool { return c.prog.ended(c.tasks[t].pc) }

// waits reports whether task t is at a get of a promise that is not set.
func (c *config) waits(t int32) (promise int32, ok bool) {
	if c.ended(t) {
		return -1, false
	}
	s := &c.prog.code[c.tasks[t].pc]
	if s.op != opGet {
		return -1, false
	}
	v := c.local(t, s.src)
	return int32(v.n), v.kind == promised && c.promises[v.n].setter < 0
}

// enabled reports whether task t can step. A step that will fail is one.
func (c *config) enabled(t int32) bool {
	if c.ended(t) || c.tasks[t].failure != nil {
		return false
	}
	_, waiting := c.waits(t)
	return !waiting
}

func (c *config) local(t int32, n name) value { return c.tasks[t].locals[n.slot] }

// object returns the location or promise that t's next statement is about, -1
// if there is none or if the statement will fail without touching it.
func (c *config) object(t int32) int32 {
	s := &c.prog.code[c.tasks[t].pc]
	want := location
	switch s.op {
	case opSet, opGet:
		want = promised
	case opStore:
		if _, fail := c.eval(t, s.expr); fail != nil {
			return -1
		}
	case opLoad, opWhile:
	default:
		return -1
	}
	if v := c.local(t, s.src); v.kind == want {
		return int32(v.n)
	}
	return -1
}

// step lets task t, which must be enabled, make its next step. A step that
// fails changes nothing but the task, which stays where it is for good.
func (c *config) step(t int32) (step, undo) {
	me := &c.tasks[t]
	s := &c.prog.code[me.pc]
	st := step{task: t, index: me.steps, pc: me.pc, object: -1}
	un := undo{task: *me}
	next := s.next
	fail := c.apply(t, s, &st, &un, &next)
	me = &c.tasks[t] // an async moves the tasks
	me.steps++
	if fail != nil {
		fail.Pos, fail.Text, fail.Task = s.pos, s.text, c.taskName(t)
		me.failure, st.failed = fail, true
		return st, un
	}
	me.pc = next
	if s.assigns() {
		if len(me.locals) > int(s.scope) {
			un.reused, un.local = true, me.locals[s.scope]
			me.locals[s.scope] = st.value
		} else {
			me.locals = append(me.locals, st.value)
		}
	}
	return st, un
}

// apply is the rule for statement s: its effect outside of the task's locals.
func (c *config) apply(t int32, s *stmt, st *step, un *undo, next *int32) *Failure {
	me := &c.tasks[t]
	switch s.op {
	case opAlloc:
		me.allocs++
		st.object = int32(len(c.cells))
		st.value = value{location, int64(st.object)}
		c.cells = append(c.cells, cell{owner: t, number: me.allocs, pc: me.pc})
	case opNewPromise:
		me.news++
		st.object = int32(len(c.promises))
		st.value = value{promised, int64(st.object)}
		c.promises = append(c.promises, promise{owner: t, number: me.news, pc: me.pc, setter: -1})
	case opAsync:
		me.asyncs++
		st.object = int32(len(c.tasks))
		c.tasks = append(c.tasks, task{parent: t, number: me.asyncs, async: st.pc, pc: s.body, locals: slices.Clone(me.locals[:s.scope])})
	case opAssign:
		var fail *Failure
		st.value, fail = c.eval(t, s.expr)
		return fail
	case opSet:
		return c.applySet(t, s, st, un)
	case opGet:
		if st.object = c.object(t); st.object < 0 {
			return c.wrongKind(t, s.src, "a promise, which new_promise gives")
		}
	default:
		return c.applyAccess(t, s, st, un, next)
	}
	return nil
}

func (c *config) applySet(t int32, s *stmt, st *step, un *undo) *Failure {
	if st.object = c.object(t); st.object < 0 {
		return c.wrongKind(t, s.src, "a promise, which new_promise gives")
	}
	p := &c.promises[st.object]
	if p.setter >= 0 {
		return &Failure{
			What: fmt.Sprintf("the promise %s (new_promise at %s) is set a second time; %s set it at %s",
				c.promiseName(st.object), c.prog.code[p.pc].pos, c.taskName(p.setter), c.prog.code[p.setPC].pos),
			Do: "set a promise once",
		}
	}
	p.setter, p.setPC, un.set = t, c.tasks[t].pc, true
	return nil
}

func (c *config) applyAccess(t int32, s *stmt, st *step, un *undo, next *int32) *Failure {
	if v := c.local(t, s.src); v.kind != location {
		return c.wrongKind(t, s.src, "a location, which alloc gives")
	}
	var stored value
	if s.op == opStore {
		var fail *Failure
		if stored, fail = c.eval(t, s.expr); fail != nil {
			return fail
		}
	}
	st.object = int32(c.local(t, s.src).n)
	at := &c.cells[st.object]
	switch s.op {
	case opLoad:
		st.value = at.value
	case opWhile:
		if at.value != (value{}) {
			*next = s.body
		}
	case opStore:
		un.cell, un.wrote = at.value, true
		at.value = stored
	}
	return nil
}

func (c *config) wrongKind(t int32, n name, want string) *Failure {
	return &Failure{
		What: fmt.Sprintf("%s is %s here", n.text, c.describe(c.local(t, n))),
		Do:   "use " + want,
	}
}

// eval is e ⇓ k. A sum of one term may be anything; more must be integers.
func (c *config) eval(t int32, sum []term) (value, *Failure) {
	var total value
	for i, term := range sum {
		v := value{integer, term.number}
		if term.name.text != "" {
			v = c.local(t, term.name)
		}
		if len(sum) == 1 {
			return v, nil
		}
		if v.kind != integer {
			return value{}, &Failure{What: fmt.Sprintf("%s is %s here", term.name.text, c.describe(v)), Do: "add integers only"}
		}
		if v.n > 0 && total.n > math.MaxInt64-v.n || v.n < 0 && total.n < math.MinInt64-v.n {
			return value{}, &Failure{What: fmt.Sprintf("the sum overflows at its term %d: %d + %d", i+1, total.n, v.n), Do: "keep sums within 64 bits"}
		}
		total.n += v.n
	}
	return total, nil
}

// undo takes back a step. It must be the last one made and not yet undone.
func (c *config) undo(st step, un undo) {
	s := &c.prog.code[st.pc]
	if !st.failed {
		switch s.op {
		case opAlloc:
			c.cells = c.cells[:st.object]
		case opNewPromise:
			c.promises = c.promises[:st.object]
		case opAsync:
			c.tasks = c.tasks[:st.object]
		}
	}
	if un.wrote {
		c.cells[st.object].value = un.cell
	}
	if un.set {
		p := &c.promises[st.object]
		p.setter, p.setPC = -1, 0
	}
	c.tasks[st.task] = un.task
	if un.reused {
		c.tasks[st.task].locals[s.scope] = un.local
	}
}

// taskName is a task's name, the same in every schedule: main.t2.t1 is the
// first async of the second async of main.
func (c *config) taskName(t int32) string {
	if t == 0 {
		return "main"
	}
	return c.taskName(c.tasks[t].parent) + ".t" + strconv.Itoa(int(c.tasks[t].number))
}

// cellName is a location's name: main.r1 is the first that main allocated.
func (c *config) cellName(i int32) string {
	return c.taskName(c.cells[i].owner) + ".r" + strconv.Itoa(int(c.cells[i].number))
}

func (c *config) promiseName(i int32) string {
	return c.taskName(c.promises[i].owner) + ".p" + strconv.Itoa(int(c.promises[i].number))
}

// valueName is a value as graphs and memories show it.
func (c *config) valueName(v value) string {
	switch v.kind {
	case location:
		return c.cellName(int32(v.n))
	case promised:
		return c.promiseName(int32(v.n))
	}
	return strconv.FormatInt(v.n, 10)
}

func (c *config) describe(v value) string {
	switch v.kind {
	case location:
		return "the location " + c.valueName(v)
	case promised:
		return "the promise " + c.valueName(v)
	}
	return "the integer " + c.valueName(v)
}

// chain lists the asyncs from main down to task t.
func (c *config) chain(t int32) []Pos {
	var chain []Pos
	for ; t != 0; t = c.tasks[t].parent {
		chain = append(chain, c.prog.code[c.tasks[t].async].pos)
	}
	slices.Reverse(chain)
	return chain
}
