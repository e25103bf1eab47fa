package tp3

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Graph is the computation graph of a run. Its nodes are the states of tasks,
// each labelled with the statement that comes next and the locals, and, for
// each promise, unfulfilled and fulfilled. A task's nodes are a chain; names of
// tasks, locations and promises do not depend on the schedule, so that equal
// names are the only way in which two graphs can correspond. A Graph does not
// change and is safe for concurrent use.
type Graph struct {
	prog  *Program
	tasks []graphTask // by name
	racy  map[graphNode]bool
}

// graphTask is the chain of a task.
type graphTask struct {
	name  string
	steps []graphStep
	last  int32 // the statement of the last node, end if none is left
}

// graphStep is a node but the last, and the step made from it.
type graphStep struct {
	pc     int32
	object string // of an async the task, of a promise operation the promise
	value  string // of what it assigned to a local
}

// graphNode is node index of the chain of a task.
type graphNode struct{ task, index int }

// newGraph makes the graph of a run from its last configuration and its steps.
func newGraph(c *config, steps []step) *Graph {
	names := make([]string, len(c.tasks))
	byName := make([]int32, len(c.tasks))
	for t := range names {
		names[t], byName[t] = c.taskName(int32(t)), int32(t)
	}
	chains := make([]graphTask, len(c.tasks))
	for t := range chains {
		chains[t] = graphTask{name: names[t], last: c.tasks[t].pc}
	}
	for _, st := range steps {
		if st.failed {
			continue
		}
		gs := graphStep{pc: st.pc}
		s := &c.prog.code[st.pc]
		switch {
		case s.op == opAsync:
			gs.object = names[st.object]
		case s.op == opSet || s.op == opGet:
			gs.object = c.promiseName(st.object)
		case s.assigns():
			gs.value = c.valueName(st.value)
		}
		chains[st.task].steps = append(chains[st.task].steps, gs)
	}
	g := &Graph{prog: c.prog, tasks: make([]graphTask, len(chains))}
	slices.SortFunc(byName, func(a, b int32) int { return compareNames(names[a], names[b]) })
	for i, t := range byName {
		g.tasks[i] = chains[t]
	}
	return g
}

// Canonical is the graph as text: two graphs of one program are equal iff
// their texts are. One line for each task and, below it, one for each node:
// position and statement, then after "->" what the step from there created,
// used or assigned. With the inherited locals of a task, which its creator's
// lines give, this determines every label and every edge.
// Cost: linear in the number of nodes.
func (g *Graph) Canonical() string {
	var b strings.Builder
	for i := range g.tasks {
		t := &g.tasks[i]
		b.WriteString(t.name + "\n")
		for _, st := range t.steps {
			s := &g.prog.code[st.pc]
			fmt.Fprintf(&b, "  %s %s", s.pos, s.text)
			if what := st.object + st.value; what != "" {
				b.WriteString(" -> " + what)
			}
			b.WriteByte('\n')
		}
		if s := g.stmt(t.last); s != nil {
			fmt.Fprintf(&b, "  %s %s\n", s.pos, s.text)
		} else {
			b.WriteString("  return\n")
		}
	}
	return b.String()
}

// stmt is the statement at pc, nil for the end of a task.
func (g *Graph) stmt(pc int32) *stmt {
	if pc == end {
		return nil
	}
	return &g.prog.code[pc]
}

// sum identifies the graph among those of its program.
func (g *Graph) sum() [sha256.Size]byte { return sha256.Sum256([]byte(g.Canonical())) }

// mark remembers the nodes whose statements race.
func (g *Graph) mark(races []Race) {
	racy := map[Pos]bool{}
	for _, r := range races {
		racy[r.First.Pos], racy[r.Second.Pos] = true, true
	}
	g.racy = map[graphNode]bool{}
	for i := range g.tasks {
		for j, st := range g.tasks[i].steps {
			if racy[g.prog.code[st.pc].pos] {
				g.racy[graphNode{i, j}] = true
			}
		}
	}
}

// EdgeKind is the kind of an edge of a [Graph].
type EdgeKind uint8

const (
	Continue   EdgeKind = iota + 1 // a task's next node, a promise's fulfilment
	Fork                           // to the first node of the created task
	NewPromise                     // to the unfulfilled promise
	Set                            // to the fulfilled promise
	Join                           // from the fulfilled promise to what follows the get
)

// String is the name of the kind.
func (k EdgeKind) String() string {
	return [...]string{"none", "continue", "fork", "new promise", "set", "join"}[k]
}

// Node is a node of a [Graph] with its label.
type Node struct {
	Name      string // task and number of the node in it, or the promise
	Task      string // empty for a promise
	Promise   string // empty for a task
	Fulfilled bool
	Pos       Pos      // of the next statement; zero for a promise and at a block's end
	Text      string   // the next statement
	Locals    []string // "name=value" for each visible local, outermost first
	Racy      bool     // the statement is one of a racing pair
}

// Edge is a directed edge between nodes, given by their indices.
type Edge struct {
	From, To int
	Kind     EdgeKind
}

// Elements returns the nodes and the edges, in an order that depends on the
// graph only. Cost: linear in both and in the number of visible locals.
func (g *Graph) Elements() ([]Node, []Edge) {
	e := &elements{g: g, index: map[string]int{}, start: map[string]inherited{}}
	// Creators come before what they create, by name: the locals are known.
	for i := range g.tasks {
		e.task(i)
	}
	for i := range g.tasks {
		e.edgesOf(i)
	}
	return e.nodes, e.edges
}

type elements struct {
	g     *Graph
	nodes []Node
	edges []Edge
	index map[string]int // of a task's first node, of a promise's first node
	start map[string]inherited
}

// inherited is the locals of a task at its first node, by slot.
type inherited struct{ names, values []string }

// task adds the nodes of a task and of the promises that it creates.
func (e *elements) task(i int) {
	t := &e.g.tasks[i]
	locals, visible := e.start[t.name].values, e.start[t.name].names
	e.index[t.name] = len(e.nodes)
	var promises []string
	for j, st := range t.steps {
		s := &e.g.prog.code[st.pc]
		e.nodes = append(e.nodes, Node{
			Name: fmt.Sprintf("%s@%d", t.name, j+1), Task: t.name, Pos: s.pos, Text: s.text,
			Locals: label(s.visible(), locals), Racy: e.g.racy[graphNode{i, j}],
		})
		visible = s.visibleAfter()
		if s.assigns() {
			locals = append(locals[:s.scope:s.scope], st.value)
		}
		switch s.op {
		case opAsync:
			e.start[st.object] = inherited{s.visible(), locals[:s.scope]}
		case opNewPromise:
			promises = append(promises, st.value)
		}
	}
	last := Node{Name: fmt.Sprintf("%s@%d", t.name, len(t.steps)+1), Task: t.name, Text: "return"}
	if s := e.g.stmt(t.last); s != nil {
		last.Pos, last.Text, visible = s.pos, s.text, s.visible()
	}
	last.Locals = label(visible, locals)
	e.nodes = append(e.nodes, last)
	for _, p := range promises {
		e.index[p] = len(e.nodes)
		e.nodes = append(e.nodes, Node{Name: "Unful(" + p + ")", Promise: p})
	}
}

// label pairs the visible names with their values.
func label(names, values []string) []string {
	var all []string
	for slot, name := range names {
		if name != "" {
			all = append(all, name+"="+values[slot])
		}
	}
	return all
}

// edgesOf adds the edges from the nodes of a task, and the fulfilled promises.
func (e *elements) edgesOf(i int) {
	t := &e.g.tasks[i]
	first := e.index[t.name]
	for j, st := range t.steps {
		from, to := first+j, first+j+1
		e.edge(from, to, Continue)
		switch e.g.prog.code[st.pc].op {
		case opAsync:
			e.edge(from, e.index[st.object], Fork)
		case opNewPromise:
			e.edge(from, e.index[st.value], NewPromise)
		case opSet:
			e.edge(from, e.fulfilled(st.object), Set)
		case opGet:
			e.edge(e.fulfilled(st.object), to, Join)
		}
	}
}

// fulfilled is the node of a fulfilled promise, added at its first mention.
func (e *elements) fulfilled(promise string) int {
	name := "Ful(" + promise + ")"
	if i, ok := e.index[name]; ok {
		return i
	}
	e.index[name] = len(e.nodes)
	e.nodes = append(e.nodes, Node{Name: name, Promise: promise, Fulfilled: true})
	e.edge(e.index[promise], e.index[name], Continue)
	return e.index[name]
}

func (e *elements) edge(from, to int, kind EdgeKind) {
	e.edges = append(e.edges, Edge{from, to, kind})
}
