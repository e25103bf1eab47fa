package tp3

import (
	"fmt"
	"slices"
	"strings"
)

// Cell is a location of a final memory and what it holds.
type Cell struct {
	Name  string
	Alloc Pos
	Value string
}

// Memory is the shared memory at the end of a run, sorted by name.
type Memory []Cell

// String is "name=value" for each location, with spaces between.
func (m Memory) String() string {
	var b strings.Builder
	for i, c := range m {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.Name + "=" + c.Value)
	}
	return b.String()
}

// Blocked is a task that waits for ever: it is at a get of a promise that
// nobody sets.
type Blocked struct {
	Task    string
	Asyncs  []Pos // the statements that created the task and its ancestors
	Pos     Pos   // of the get
	Text    string
	Promise string
	Created Pos // of the new_promise
	// Setters are statements that could have set the promise: they are still
	// ahead of a task that waits itself and holds the promise in that local.
	Setters []Setter
}

// Setter is a set that was not reached.
type Setter struct {
	Task string
	Pos  Pos
}

// String says who waits for what.
func (b Blocked) String() string {
	return fmt.Sprintf("%s waits at %s for %s", b.Task, b.Pos, b.Promise)
}

// Deadlock is an end at which at least one task is blocked.
type Deadlock struct {
	Memory  Memory
	Blocked []Blocked // by task name
}

func (d Deadlock) key() string {
	return fmt.Sprint(d.Memory, d.Blocked)
}

// memory is M, under names that do not depend on the schedule.
func (c *config) memory() Memory {
	m := make(Memory, len(c.cells))
	for i := range c.cells {
		at := &c.cells[i]
		m[i] = Cell{c.cellName(int32(i)), c.prog.code[at.pc].pos, c.valueName(at.value)}
	}
	slices.SortFunc(m, func(a, b Cell) int { return compareNames(a.Name, b.Name) })
	return m
}

// compareNames orders names of one kind: numbers by size, and a task before
// those that it creates.
func compareNames(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && isDigit(a[i-1]) {
		i--
	}
	a, b = a[i:], b[i:]
	if m, n := digits(a), digits(b); m > 0 && n > 0 && m != n {
		return m - n
	}
	return strings.Compare(a, b)
}

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

// failures are the tasks' failures, in order of the tasks' creation.
func (c *config) failures() []*Failure {
	var all []*Failure
	for i := range c.tasks {
		if f := c.tasks[i].failure; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// blocked lists the tasks that wait, where no task can step.
func (c *config) blocked() []Blocked {
	var all []Blocked
	for t := range int32(len(c.tasks)) {
		p, waiting := c.waits(t)
		if !waiting {
			continue
		}
		s := &c.prog.code[c.tasks[t].pc]
		all = append(all, Blocked{
			Task: c.taskName(t), Asyncs: c.chain(t), Pos: s.pos, Text: s.text,
			Promise: c.promiseName(p), Created: c.prog.code[c.promises[p].pc].pos,
			Setters: c.setters(p),
		})
	}
	slices.SortFunc(all, func(a, b Blocked) int { return compareNames(a.Task, b.Task) })
	return all
}

// setters finds the sets of a promise that blocked tasks, or tasks that they
// would create, have ahead.
func (c *config) setters(p int32) []Setter {
	var all []Setter
	for t := range int32(len(c.tasks)) {
		if _, waiting := c.waits(t); !waiting {
			continue
		}
		me := &c.tasks[t]
		for slot := range c.prog.code[me.pc].scope {
			if me.locals[slot] != (value{promised, int64(p)}) {
				continue
			}
			for _, pos := range c.prog.setsAhead(me.pc, slot) {
				all = append(all, Setter{c.taskName(t), pos})
			}
		}
	}
	return all
}

// setsAhead lists the sets of a slot that can be reached from pc before the
// slot gets another value.
func (p *Program) setsAhead(pc, slot int32) []Pos {
	seen := map[int32]bool{end: true}
	todo := []int32{pc}
	var all []Pos
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		s := &p.code[pc]
		if s.op == opSet && s.src.slot == slot {
			all = append(all, s.pos)
		}
		if s.op == opReturn || s.assigns() && s.scope == slot {
			continue
		}
		todo = append(todo, s.next)
		if s.op == opAsync || s.op == opWhile {
			todo = append(todo, s.body)
		}
	}
	slices.SortFunc(all, Pos.compare)
	return all
}
