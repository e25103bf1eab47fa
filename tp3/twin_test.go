package tp3

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// all is the slow twin of Explore: every interleaving, each run from the
// start, and per run the graph as two sets of strings, its closure as a matrix,
// and all pairs of accesses. It shares with Explore the rules only.
type all struct {
	schedules int
	states    map[string]bool
	graphs    map[string]bool
	deadlocks map[string]bool
	failures  map[string]bool
	races     map[string]bool
	tooMany   bool
}

// exploreAll runs at most limit schedules of at most maxSteps steps.
func exploreAll(p *Program, limit, maxSteps int) *all {
	a := &all{
		states: map[string]bool{}, graphs: map[string]bool{}, deadlocks: map[string]bool{},
		failures: map[string]bool{}, races: map[string]bool{},
	}
	a.from(p, nil, limit, maxSteps)
	return a
}

func (a *all) from(p *Program, schedule []int32, limit, maxSteps int) {
	if a.schedules == limit || len(schedule) > maxSteps {
		a.tooMany = true
	}
	if a.tooMany {
		return
	}
	c := newConfig(p)
	var steps []step
	for _, t := range schedule {
		st, _ := c.step(t)
		steps = append(steps, st)
	}
	ended := true
	for t := range int32(len(c.tasks)) {
		if c.enabled(t) {
			ended = false
			a.from(p, append(slices.Clone(schedule), t), limit, maxSteps)
		}
	}
	if ended {
		a.schedules++
		a.end(c, steps)
	}
}

func (a *all) end(c *config, steps []step) {
	g := newSlowGraph(c, steps)
	a.graphs[g.String()] = true
	for _, r := range g.races() {
		a.races[r] = true
	}
	if failures := c.failures(); failures != nil {
		for _, f := range failures {
			a.failures[fmt.Sprintf("%v", *f)] = true
		}
		return
	}
	var memory []string
	for i, cell := range c.cells {
		memory = append(memory, c.cellName(int32(i))+"="+c.valueName(cell.value))
	}
	sort.Strings(memory)
	a.states[fmt.Sprint(memory)] = true
	var waiting []string
	for t := range int32(len(c.tasks)) {
		if !c.ended(t) {
			waiting = append(waiting, fmt.Sprintf("%s %d %s", c.taskName(t), c.tasks[t].pc, c.valueName(c.local(t, c.prog.code[c.tasks[t].pc].src))))
		}
	}
	if waiting != nil {
		sort.Strings(waiting)
		a.deadlocks[fmt.Sprint(memory, waiting)] = true
	}
}

// slowGraph is Figure 3 to the letter, but for nodes that are told apart by
// their number in the task: nodes [f, P, L], edges between them. In L are the
// names of turns that are over too, which changes nothing: they have the
// values that they had at an earlier node.
type slowGraph struct {
	nodes    []string
	edges    map[[2]string]string
	accesses []slowAccess
}

type slowAccess struct {
	node, cell string
	pos        Pos
	op         Op
}

func newSlowGraph(c *config, steps []step) *slowGraph {
	g := &slowGraph{edges: map[[2]string]string{}}
	code := map[int32]int32{0: c.prog.entry} // P of each task
	locals := map[int32]map[string]string{0: {}}
	count := map[int32]int{}
	node := func(t int32) string {
		return fmt.Sprintf("[%s#%d, %d, %v]", c.taskName(t), count[t], code[t], locals[t])
	}
	add := func(n string) {
		if !slices.Contains(g.nodes, n) {
			g.nodes = append(g.nodes, n)
		}
	}
	add(node(0))
	for _, st := range steps {
		if st.failed {
			continue
		}
		t, s := st.task, &c.prog.code[st.pc]
		from := node(t)
		if op, ok := s.access(); ok {
			g.accesses = append(g.accesses, slowAccess{from, c.cellName(st.object), s.pos, op})
		}
		code[t] = s.next
		if s.op == opWhile && g.entered(c, steps, st) {
			code[t] = s.body
		}
		if s.assigns() {
			locals[t][s.dst] = c.valueName(st.value)
		}
		count[t]++
		to := node(t)
		add(to)
		g.edges[[2]string{from, to}] = "cont"
		switch s.op {
		case opAsync:
			code[st.object], locals[st.object] = s.body, maps.Clone(locals[t])
			add(node(st.object))
			g.edges[[2]string{from, node(st.object)}] = "fork"
		case opNewPromise:
			add("Unful " + c.promiseName(st.object))
			g.edges[[2]string{from, "Unful " + c.promiseName(st.object)}] = "np"
		case opSet:
			p := c.promiseName(st.object)
			add("Ful " + p)
			g.edges[[2]string{"Unful " + p, "Ful " + p}] = "cont"
			g.edges[[2]string{from, "Ful " + p}] = "set"
		case opGet:
			g.edges[[2]string{"Ful " + c.promiseName(st.object), to}] = "join"
		}
	}
	return g
}

// entered finds out whether a step into a while made a turn, by where the task
// went next.
func (g *slowGraph) entered(c *config, steps []step, st step) bool {
	s := &c.prog.code[st.pc]
	next := c.tasks[st.task].pc
	for _, later := range steps {
		if later.task == st.task && later.index == st.index+1 {
			next = later.pc
		}
	}
	if s.body != s.next {
		return next == s.body
	}
	return false
}

func (g *slowGraph) String() string {
	nodes := slices.Clone(g.nodes)
	sort.Strings(nodes)
	var edges []string
	for e, kind := range g.edges {
		edges = append(edges, fmt.Sprint(e, kind))
	}
	sort.Strings(edges)
	return strings.Join(nodes, "\n") + "\n" + strings.Join(edges, "\n")
}

// races compares all pairs of accesses by the closure of the edges.
func (g *slowGraph) races() []string {
	index := map[string]int{}
	for i, n := range g.nodes {
		index[n] = i
	}
	reach := make([][]bool, len(g.nodes))
	for i := range reach {
		reach[i] = make([]bool, len(g.nodes))
	}
	for e := range g.edges {
		reach[index[e[0]]][index[e[1]]] = true
	}
	for k := range reach {
		for i := range reach {
			if reach[i][k] {
				for j := range reach {
					reach[i][j] = reach[i][j] || reach[k][j]
				}
			}
		}
	}
	var races []string
	for i, a := range g.accesses {
		for _, b := range g.accesses[i+1:] {
			u, v := index[a.node], index[b.node]
			if a.cell == b.cell && (a.op == Write || b.op == Write) && !reach[u][v] && !reach[v][u] {
				first, second := a.pos, b.pos
				if second.compare(first) < 0 {
					first, second = second, first
				}
				races = append(races, first.String()+" "+second.String())
			}
		}
	}
	return races
}
