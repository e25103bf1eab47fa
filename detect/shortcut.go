package detect

import (
	_ "unsafe" // for go:linkname

	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// Path is how an access ends.
type Path uint32

const (
	// Unknown is an access that was not looked at.
	Unknown Path = iota
	// Slow is an access that must go to the history, by Access.
	Slow
	// Done is an access that is checked and remembered.
	Done
	// Stale is an access whose effect is known but for the call path: it is not remembered,
	// or frames were pushed since it was looked at. The caller may find it, by Path or by a
	// walk, and ask again; or take it for Slow.
	Stale
	// ByLine is an access to a byte of which its line says the state: what becomes of it
	// is InLine's business.
	ByLine
	// Splits is an access for which its line is to be split first, see SplitLine.
	Splits
	// Expands is an access for which its cell needs a block first, see ExpandCell.
	Expands
	// ByReaders is a read of a byte that has an audience: what becomes of it is InAudience's
	// business.
	ByReaders
	// ByJournal is an access to a byte that has a journal: what becomes of it is InJournal's
	// business.
	ByJournal
)

// Shortcut makes the plain access at (see AccessAt) of one byte by t, in the frame
// with the given base, when the memos of p say all about it; then it counts it in
// Accesses too. It is called without Enter, on the program's own stack.
//
//go:nosplit
func (d *Detector) Shortcut(p *Proc, t reach.Task, addr, at, base uintptr) Path {
	w := &d.History.Windows[0]
	if addr-w.Lo >= w.Size {
		w = &d.History.Windows[1]
		if addr-w.Lo >= w.Size {
			return Done
		}
	}
	c := w.Cell(addr)
	if c == nil {
		return ByLine
	}
	v := c.Load()
	before := shadow.Peek(v, addr)
	if before == 0 {
		before = d.History.PeekBlock(v, addr)
	}
	l := d.Local(t)
	if p.Known(l.Strand, at>>63, before) {
		p.Accesses[at>>63&1]++
		return Done
	}
	return Repeat(p, l, c, v, addr, at, base, before)
}

// Repeat is the rest of Shortcut, for a byte in state before, by what the value v of
// its cell c said; l is the Local of the task.
//
// Assembly of package runtime calls it, which the linker must be told.
//
//go:linkname Repeat
//go:nosplit
func Repeat(p *Proc, l *Local, c *shadow.Cell, v uint64, addr, at, base uintptr, before shadow.State) Path {
	if shadow.IsJournal(before) {
		p.d().History.Foretell(before)
		return ByJournal
	}
	m := p.move(l.Strand, before, at)
	if m == nil {
		if at>>63 == 0 && shadow.IsAudience(before) {
			return ByReaders
		}
		return known(p, l, at>>63, before, c, v)
	}
	context, fresh := p.Context(l, base)
	if !fresh {
		return Stale
	}
	if before == 0 && shadow.IsBlock(v) {
		if !p.moveInBlock(c, v, addr, m, context) {
			return Slow
		}
	} else if !p.d().History.TryMove(c, v, addr, &m.Move, context) {
		if c.Load() == v {
			return Expands
		}
		return Slow
	}
	if m.counts != 0 {
		m.count()
	}
	p.Accesses[at>>63&1]++
	return Done
}

// InLine is Shortcut for what that found to be ByLine; l is the Local of the task. They
// are two for the sake of the stack, and because assembly calls the one too.
//
//go:linkname InLine
//go:nosplit
func InLine(p *Proc, l *Local, addr, at, base uintptr) Path {
	h := &p.d().History
	w := windowOf(h, addr)
	line := w.Line(addr)
	if !line.IsRun() {
		return Slow
	}
	before := line.At(addr)
	if shadow.IsRoll(before) {
		return inRoll(p, l, line, addr, at, base)
	}
	if before != 0 && (p.KnownInRun(l.Strand, at>>63, line, addr) || p.Known(l.Strand, at>>63, before)) {
		p.learnInRun(at>>63, line, addr)
	} else if m := p.move(l.Strand, before, at); m != nil {
		context, fresh := p.Context(l, base)
		if !fresh {
			return Stale
		}
		h.Reached(&m.Move, context)
		if !w.MoveInLine(line, addr, m.After, context) {
			if w.Line(addr) != line || at>>63 == 0 && h.Scatters(&p.ranges, l.Strand, addr) {
				return Slow
			}
			return Splits
		}
		if m.counts != 0 {
			m.count()
		}
	} else if before == 0 || h.Older(before, l.Since) || !h.Knows(before, l.Strand, shadow.Op(at>>63+1)) {
		return Slow
	} else {
		p.Learn(l.Strand, at>>63, before)
		if w.Line(addr) != line { // see known
			p.Unlearn(at>>63, before)
		}
	}
	p.Accesses[at>>63&1]++
	return Done
}

// inRoll is InLine for a byte whose line is in a roll, if the task's strand has read bytes of that
// roll from there.
//
//go:nosplit
func inRoll(p *Proc, l *Local, line shadow.Line, addr, at, base uintptr) Path {
	d := p.d()
	if at>>63 != 0 || !d.fences {
		return Slow
	}
	context, fresh := p.Context(l, base)
	if !fresh {
		return Stale
	}
	path := Slow
	offheap.Release32(&p.inside, 1)
	s := p.seat(at, context)
	if offheap.Load32(&d.stop) == 0 && s.is(l.Strand, at, context) && windowOf(&d.History, addr).Line(addr) == line && d.History.JoinRoll(line, addr, s.reader) {
		p.Accesses[0]++
		path = Done
	}
	offheap.Release32(&p.inside, 0)
	return path
}

// windowOf is the window of an address that is in one.
//
//go:nosplit
func windowOf(h *shadow.History, addr uintptr) *shadow.Window {
	w := &h.Windows[0]
	if addr-w.Lo >= w.Size {
		w = &h.Windows[1]
	}
	return w
}

// SplitLine does what an access asked for that InLine found to be Splits, and reports whether
// it may be tried again; otherwise it is Slow.
//
//go:nosplit
func (d *Detector) SplitLine(addr uintptr) bool {
	w := windowOf(&d.History, addr)
	l := w.Line(addr)
	return l.IsSplit() || l.IsRun() && w.TrySplit(addr, l)
}

// ExpandCell does what an access asked for that Repeat found to be Expands, and reports whether
// it may be tried again; otherwise it is Slow.
//
//go:nosplit
func (d *Detector) ExpandCell(p *Proc, addr uintptr) (ok bool) {
	if !d.fences {
		return false
	}
	w := windowOf(&d.History, addr)
	offheap.Release32(&p.inside, 1)
	if c := w.Cell(addr); offheap.Load32(&d.stop) == 0 && c != nil {
		v := c.Load()
		ok = !shadow.IsBlock(v) && d.History.TryExpand(c, v)
	}
	offheap.Release32(&p.inside, 0)
	return ok
}

// moveInBlock makes the transition m of a byte without history. Unlike the states of a
// byte, which tell one block from another, nothing would show that the block has become
// that of another cell meanwhile; so no collection may come in between.
//
//go:nosplit
func (p *Proc) moveInBlock(c *shadow.Cell, v uint64, addr uintptr, m *move, context uint32) (ok bool) {
	d := p.d()
	if !d.fences || m.Context != context {
		return false
	}
	offheap.Release32(&p.inside, 1)
	if offheap.Load32(&d.stop) == 0 && c.Load() == v {
		ok = d.History.MoveInBlock(c, v, addr, m.After)
	}
	offheap.Release32(&p.inside, 0)
	return ok
}

// InAudience is Shortcut for a read that it found to be ByReaders, if the task's strand has
// read bytes with audiences from there.
//
//go:nosplit
func InAudience(p *Proc, l *Local, addr, at, base uintptr) Path {
	d := p.d()
	w := windowOf(&d.History, addr)
	context, fresh := p.Context(l, base)
	switch {
	case !d.fences:
		return Slow
	case !fresh:
		return Stale
	}
	path := Slow
	offheap.Release32(&p.inside, 1)
	s := p.seat(at, context)
	if offheap.Load32(&d.stop) == 0 && s.is(l.Strand, at, context) {
		if joined := d.History.Join(w, &p.ranges, addr, l.Strand, s.reader, context); joined != 0 {
			p.Learn(l.Strand, 0, joined)
			p.Accesses[0]++
			path = Done
		}
	}
	offheap.Release32(&p.inside, 0)
	return path
}

// known looks at the location's most recent accesses for one by l's strand itself that
// makes its access redundant.
//
//go:nosplit
func known(p *Proc, l *Local, kind uintptr, st shadow.State, c *shadow.Cell, v uint64) Path {
	if h := &p.d().History; st == 0 || h.Older(st, l.Since) || !h.Knows(st, l.Strand, shadow.Op(kind+1)) {
		return Slow
	}
	p.Learn(l.Strand, kind, st)
	if c.Load() != v {
		// Collections do not wait for us here: st may be another history by
		// now, unless the cell still keeps it.
		p.Unlearn(kind, st)
	}
	p.Accesses[kind&1]++
	return Done
}

// InJournal is Shortcut for an access that it found to be ByJournal, if the history need not ask
// about it and was told of such an access by this thread. In serial runs nobody knows what a task has learned,
// so that none comes back.
//
//go:nosplit
func InJournal(p *Proc, l *Local, addr, at, base uintptr) Path {
	d := p.d()
	e := p.spot(at)
	if e.at != at || l.Locks != 0 || !d.fences {
		return Slow
	}
	context, fresh := p.Context(l, base)
	switch {
	case !fresh:
		return Stale
	case e.context != context:
		return Slow
	}
	a := &p.query.access
	a.Strand, a.Locks, a.Learned, a.Loose, a.Lent = l.Strand, 0, d.learned.At(uint32(l.Strand.Task())).all+1, true, false
	a.Place, a.Context, a.Site, a.Op = e.place, context, e.site, shadow.Op(at>>63+1)
	d.begins(p, l)
	offheap.Release32(&p.inside, 1)
	what := shadow.Take(0)
	if offheap.Load32(&d.stop) == 0 && !p.kept {
		h := &d.History
		if s := h.LockJournal(windowOf(h, addr), addr); s != 0 {
			if !d.Serially() {
				what = h.Retakes(s, a)
			}
			if what == 0 {
				what = h.Succeeds(s, a, &p.ranges)
			}
			if h.Retake(s, a, what); what != 0 {
				p.learnBy(a.Strand, a.Op, s)
				p.Accesses[(a.Op-shadow.Read)&1]++
			}
		}
	}
	offheap.Release32(&p.inside, 0)
	if what == 0 {
		return Slow
	}
	return Done
}
