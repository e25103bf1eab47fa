package shadow

import (
	"fmt"
	"slices"

	"github.com/detrace/detrace/dag"
)

// The oracle remembers every access to every byte and compares all pairs.
type oracle struct {
	graph *dag.Graph
	bytes map[uintptr][]event
}

func (o *oracle) parallel(u, v int) bool { return o.graph.Parallel(dag.Strand(u), dag.Strand(v)) }

func inWindows(addr uintptr) bool { return addr-low < lowSize || addr-high < highSize }

// access returns, for each byte, the earlier accesses to it that e races with, and
// whether at any byte e is more than a repetition of what its strand did there.
func (o *oracle) access(e event) (races map[uintptr][]event, news bool) {
	races = make(map[uintptr][]event)
	for b := e.addr; b < e.addr+e.size && inWindows(b); b++ {
		repeats := slices.ContainsFunc(o.bytes[b], func(x event) bool { return x.strand == e.strand && covers(x.op, e.op) })
		for _, x := range o.bytes[b] {
			if o.parallel(x.strand, e.strand) && conflicts(x.op, e.op) {
				races[b] = append(races[b], x)
				news = news || !repeats
			}
		}
		o.bytes[b] = append(o.bytes[b], e)
	}
	return races, news
}

func (o *oracle) forget(addr, size uintptr) {
	for b := range o.bytes {
		if b-addr < size {
			delete(o.bytes, b)
		}
	}
}

// run is a program being run on a history.
type run struct {
	ranges RangeMemo
	oracle
	history History
	fast    bool // as the fast path of a judged program does it
	now     event
	told    []Access // by Race during the access being made
	outcome []Access // by Unordered
	moves   map[move]State
	since   map[int]uint32    // when strands began; the fast path alone is told
	readers map[Access]uint32 // what reads are in audiences
	joined  int               // fast reads of bytes with audiences
	marked  map[Strand]bool
}

// move is what a thread remembers a transition by.
type move struct {
	strand Strand
	op     Op
	place  uint32
	before State
}

func newRun(p program, fast bool) *run {
	r := &run{oracle: oracle{graph: p.graph(), bytes: make(map[uintptr][]event)}, fast: fast, moves: make(map[move]State), since: make(map[int]uint32), readers: make(map[Access]uint32)}
	r.history.Init(low, lowSize, high, highSize, 0)
	r.history.KeepAll()
	return r
}

func (h *History) close() { h.Close() }

func (r *run) Precedes(u Strand) bool {
	return r.graph.Precedes(dag.Strand(u>>32), dag.Strand(r.now.strand))
}

func (r *run) Race(earlier Access) { r.told = append(r.told, earlier) }

func (r *run) Unordered(earlier Access) {
	if !earlier.Op.Atomic() || !r.now.op.Atomic() {
		panic("not a pair of atomic operations")
	}
	r.outcome = append(r.outcome, earlier)
}

// Every edge of these programs is certain; those of package detect have others.
func (r *run) Certain(u Strand) bool                { return true }
func (r *run) Luck(earlier Access)                  { panic("luck where there is none") }
func (r *run) Excludes(uint32) bool                 { return false }
func (r *run) Shared(uint32, uint32) (uint32, bool) { return 0, false }
func (r *run) Crowded()                             { panic("something was forgotten") }

func (r *run) key(before State) move {
	return move{strandOf(r.now.strand), r.now.op, r.now.access().Place, before}
}

func (r *run) Move(before State) State { return r.moves[r.key(before)] }

func (r *run) Ranges() *RangeMemo { return &r.ranges }

func (r *run) Outlasted(Strand) bool { return false }

func (r *run) At(addr uintptr) {}

func (r *run) Moved(before, after State) {
	if r.fast && len(r.told) == 0 && !r.now.op.Atomic() {
		r.moves[r.key(before)] = after
	}
}

func (r *run) Mark(u Strand) { r.marked[u] = true }

// access makes the access, past the fast path when it can.
func (r *run) access(e event) (fast bool) {
	r.now, r.told, r.outcome = e, nil, nil
	if r.fast && e.size == 1 && !e.op.Atomic() && r.shortcut(e) {
		return true
	}
	out := r.history.Access(e.addr, e.size, r.timed(e), r)
	if out.Reader != 0 {
		r.readers[e.access()] = out.Reader
	}
	return false
}

// timed is the access that e is, with when its strand began if that is to be known.
func (r *run) timed(e event) *Access {
	a := e.access()
	if r.fast {
		if r.since[e.strand] == 0 {
			r.since[e.strand] = r.history.Now()
		}
		a.Since = r.since[e.strand]
	}
	return &a
}

// shortcut is the fast path of a judged program.
func (r *run) shortcut(e event) bool {
	w := r.history.Window(e.addr)
	if w == nil {
		return true
	}
	c, v, before := r.history.look(w, e.addr)
	if before.isRoll() {
		id := r.readers[e.access()]
		if e.op != Read || id == 0 || !r.history.JoinRoll(w.Line(e.addr), e.addr, id) {
			return false
		}
		r.joined++
		return true
	}
	if before != 0 && !r.history.Older(before, r.since[e.strand]) && r.history.Knows(before, strandOf(e.strand), e.op) {
		return true
	}
	if id := r.readers[e.access()]; id != 0 && r.history.Join(w, &r.ranges, e.addr, strandOf(e.strand), id, e.context) != 0 {
		r.joined++
		return true
	}
	after := r.Move(before)
	if after != 0 && before == 0 && cell(v).isBlock() {
		r.history.states.reach(after, e.context)
		return r.history.MoveInBlock(c, v, e.addr, after)
	}
	if after == 0 {
		return false
	}
	m := Move{before, after, 0}
	if c == nil {
		r.history.Reached(&m, e.context)
		l := w.Line(e.addr)
		return l.IsRun() && l.At(e.addr) == before && w.MoveInLine(l, e.addr, after, e.context)
	}
	return r.history.TryMove(c, v, e.addr, &m, e.context)
}

// look returns the cell of addr in w, nil if its line is not split, with its value, and the
// state of the byte.
func (h *History) look(w *Window, addr uintptr) (c *Cell, v uint64, s State) {
	l := w.Line(addr)
	if !l.IsSplit() {
		all := h.pairs.parts(l)
		for _, p := range all.all[:all.n] {
			if p.bytes>>(addr%lineBytes)&1 != 0 {
				s = p.state
			}
		}
		return nil, 0, s
	}
	c = l.Cell(addr)
	v = c.Load()
	if s = Peek(v, addr); s == 0 {
		s = h.PeekBlock(v, addr)
	}
	return c, v, s
}

func (r *run) collect() error {
	r.marked = make(map[Strand]bool)
	r.ranges = RangeMemo{}
	clear(r.readers)
	c := r.history.Collect(r)
	for m, after := range r.moves {
		c.Keep(m.before)
		c.Keep(after)
	}
	c.Finish()
	for b := range r.bytes {
		for _, a := range r.remembered(b) {
			if !r.marked[a.Strand] {
				return fmt.Errorf("byte %#x remembers strand %d, which is not marked", b, a.Strand>>32)
			}
		}
	}
	return nil
}

// remembered is the list of byte b, the latest access first.
func (r *run) remembered(b uintptr) []Access { return r.history.remembered(b) }

func (h *History) remembered(b uintptr) []Access {
	w := h.Window(b)
	if w == nil {
		return nil
	}
	_, _, s := h.look(w, b)
	var list []Access
	if s.isRoll() {
		r := h.states.roll(s)
		for id := r.first; id != 0; id = h.states.rolls.sheets.At(id).next {
			if e := h.states.rolls.sheets.At(id); e.has(r.place(b)) != 0 {
				list = append(list, h.states.audiences.readers.At(e.reader).access())
			}
		}
		s = r.rest
	}
	for ; s.isAudience(); s = h.states.audience(s).rest {
		for _, r := range slices.Backward(h.states.audience(s).readers[:]) {
			if r != 0 && r != closed {
				list = append(list, h.states.audiences.readers.At(r).access())
			}
		}
	}
	if s.isJournal() {
		for i := range h.states.journal(s).length {
			list = append(list, h.states.entry(h.states.journal(s), i).access())
		}
		return list
	}
	for ; s != 0; s = h.states.at(s).rest {
		list = append(list, h.states.at(s).access())
	}
	return list
}

// step does one event and says what is wrong with the outcome.
func (r *run) step(e event) error {
	switch e.kind {
	case forget:
		r.history.Forget(e.addr, e.size)
		r.oracle.forget(e.addr, e.size)
		return r.around(e)
	case collect:
		return r.collect()
	}
	r.access(e)
	races, news := r.oracle.access(e)
	if news && len(r.told) == 0 {
		return fmt.Errorf("%v: races at %d bytes are missed: %v", e, len(races), races)
	}
	if err := r.judge(e, races); err != nil {
		return err
	}
	return r.around(e)
}

// judge wants what the history told of e among the races there are.
func (r *run) judge(e event, races map[uintptr][]event) error {
	for _, a := range r.told {
		ok, inContext := false, a.Context&Mixed != 0
		for b, xs := range races {
			ok = ok || slices.ContainsFunc(xs, func(x event) bool { return same(a, x.access()) })
			// A read and a write of one statement are taken to be one visit.
			inContext = inContext || slices.ContainsFunc(r.bytes[b], func(x event) bool {
				return strandOf(x.strand) == a.Strand && x.site == a.Site && x.context == a.Context
			})
		}
		switch {
		case !ok:
			return fmt.Errorf("%v: said to race with %+v: %v", e, a, races)
		case !inContext:
			return fmt.Errorf("%v: a context that access did not have: %+v: %v", e, a, races)
		}
	}
	return nil
}

// same reports whether two accesses differ in nothing but their context.
func same(a, b Access) bool {
	a.Context = b.Context
	return a == b
}

// around checks what the bytes that e touched, and their neighbours, remember.
func (r *run) around(e event) error {
	for b := e.addr - 8; b < e.addr+min(e.size, 64)+8; b++ {
		if err := r.check(b); err != nil {
			return fmt.Errorf("%v: byte %#x: %w", e, b, err)
		}
	}
	return nil
}

// check holds what is remembered of byte b against all accesses to it: nothing
// else is remembered, and whatever is not has one in its place that says as much
// to all strands to come.
func (r *run) check(b uintptr) error {
	list := r.remembered(b)
	for _, a := range list {
		if !slices.ContainsFunc(r.bytes[b], func(x event) bool {
			return same(a, x.access()) && (a.Context == x.context || a.Context&Mixed != 0)
		}) {
			return fmt.Errorf("%+v is remembered and never happened: %v", a, r.bytes[b])
		}
	}
	for _, x := range r.bytes[b] {
		if !slices.ContainsFunc(list, func(a Access) bool {
			u := dag.Strand(a.Strand >> 32)
			return covers(a.Op, x.op) && (int(u) == x.strand || r.graph.Precedes(dag.Strand(x.strand), u))
		}) {
			return fmt.Errorf("%v is forgotten, left is %+v", x, list)
		}
	}
	return nil
}
