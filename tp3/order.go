package tp3

import (
	"cmp"
	"slices"
)

// Op is what a statement does to a location.
type Op uint8

const (
	Read Op = iota + 1
	Write
)

// String is the name of the operation.
func (o Op) String() string {
	if o == Write {
		return "write"
	}
	return "read"
}

// Side is one statement of a race. Task and Asyncs, the statements that
// created the task and its ancestors from main down, are of one instance.
type Side struct {
	Pos    Pos
	Op     Op
	Text   string
	Task   string
	Asyncs []Pos
}

// Race is a pair of statements with instances that access one location, at
// least one of them writing, and that no path of the run's computation graph
// orders. First is not behind Second in the text. Location, and the alloc it
// came from, are those of one such pair of instances.
type Race struct {
	First, Second Side
	Location      string
	Alloc         Pos
}

// clock counts, per task, the steps that precede something. A clock never
// changes once made, so that it can be shared. What is beyond its length is 0.
type clock []int32

func (c clock) has(t, index int32) bool { return int(t) < len(c) && c[t] > index }

// with returns c with n steps of task t.
func (c clock) with(t, n int32) clock {
	d := make(clock, max(len(c), int(t)+1))
	copy(d, c)
	d[t] = max(d[t], n)
	return d
}

// join returns what c or d counts.
func (c clock) join(d clock) clock {
	if len(c) < len(d) {
		c, d = d, c
	}
	joined := c
	for t, n := range d {
		if n > c[t] {
			if &joined[0] == &c[0] {
				joined = slices.Clone(c)
			}
			joined[t] = n
		}
	}
	return joined
}

// access is an access to a location. strand numbers the task's strands: two
// accesses of one strand by one statement race with the same others.
type access struct {
	task, index, strand, pc int32
}

// pair is two statements, the lower index first.
type pair [2]int32

// order follows a run's computation graph and finds the races in it: every
// pair of statements with parallel conflicting instances, and no other. It
// keeps all accesses that are not repetitions within a strand.
// Cost: O(tasks) per construct, O(accesses kept for the location) per access.
type order struct {
	c         *config
	known     []clock // per task: the steps of others that precede its next step
	strand    []int32
	fulfilled []clock // per promise: the steps that precede its fulfilment
	history   [][]access
	races     map[pair]Race
}

// orderUndo is what brings back the order before a step.
type orderUndo struct {
	known  clock
	strand int32
	kept   bool
}

func newOrder(c *config) *order {
	return &order{c: c, known: []clock{nil}, strand: []int32{0}, races: map[pair]Race{}}
}

// step follows a step just made.
func (o *order) step(st step) orderUndo {
	t := st.task
	un := orderUndo{known: o.known[t], strand: o.strand[t]}
	if st.failed {
		return un
	}
	switch s := &o.c.prog.code[st.pc]; s.op {
	case opAsync:
		o.known = append(o.known, o.known[t].with(t, st.index+1))
		o.strand = append(o.strand, 0)
		o.strand[t]++
	case opNewPromise:
		o.fulfilled = append(o.fulfilled, nil)
	case opSet:
		o.fulfilled[st.object] = o.known[t].with(t, st.index+1)
		o.strand[t]++
	case opGet:
		o.known[t] = o.known[t].join(o.fulfilled[st.object])
		o.strand[t]++
	case opAlloc:
		o.history = append(o.history, nil)
	case opLoad, opStore, opWhile:
		un.kept = o.access(st)
	}
	return un
}

// undo takes back a step.
func (o *order) undo(st step, un orderUndo) {
	o.known[st.task], o.strand[st.task] = un.known, un.strand
	if un.kept {
		h := o.history[st.object]
		o.history[st.object] = h[:len(h)-1]
	}
	if st.failed {
		return
	}
	switch o.c.prog.code[st.pc].op {
	case opAsync:
		o.known = o.known[:st.object]
		o.strand = o.strand[:st.object]
	case opNewPromise:
		o.fulfilled = o.fulfilled[:st.object]
	case opAlloc:
		o.history = o.history[:st.object]
	}
}

// access checks an access against all earlier ones of its location and
// reports whether it was kept.
func (o *order) access(st step) bool {
	a := access{st.task, st.index, o.strand[st.task], st.pc}
	op, _ := o.c.prog.code[a.pc].access()
	repeated := false
	for _, b := range o.history[st.object] {
		if b.task == a.task {
			repeated = repeated || b.strand == a.strand && b.pc == a.pc
			continue
		}
		earlier, _ := o.c.prog.code[b.pc].access()
		if (op == Write || earlier == Write) && !o.known[a.task].has(b.task, b.index) {
			o.found(b, a, st.object)
		}
	}
	if !repeated {
		o.history[st.object] = append(o.history[st.object], a)
	}
	return !repeated
}

func (o *order) found(a, b access, object int32) {
	if o.c.prog.code[b.pc].pos.compare(o.c.prog.code[a.pc].pos) < 0 {
		a, b = b, a
	}
	if _, known := o.races[pair{a.pc, b.pc}]; known {
		return
	}
	o.races[pair{a.pc, b.pc}] = Race{
		First: o.side(a), Second: o.side(b),
		Location: o.c.cellName(object), Alloc: o.c.prog.code[o.c.cells[object].pc].pos,
	}
}

func (o *order) side(a access) Side {
	s := &o.c.prog.code[a.pc]
	op, _ := s.access()
	return Side{Pos: s.pos, Op: op, Text: s.text, Task: o.c.taskName(a.task), Asyncs: o.c.chain(a.task)}
}

// found races in the order of the text.
func (o *order) sorted() []Race {
	races := make([]Race, 0, len(o.races))
	for _, r := range o.races {
		races = append(races, r)
	}
	slices.SortFunc(races, func(a, b Race) int {
		return cmp.Or(a.First.Pos.compare(b.First.Pos), a.Second.Pos.compare(b.Second.Pos))
	})
	return races
}
