package detect

import "github.com/detrace/detrace/shadow"

// This file makes accesses with a size when memos say all about them: what the runtime copies,
// compares and clears, and structs as a whole. Most are of a few bytes, for which the history's
// way of making accesses costs more than what is done to the bytes; and those from one place,
// such as an append, are told from those of the next one by states, where the memos of ranges that
// the history keeps are of one place at a time.

// mostMoved is the size up to which MoveRange is worth a try: more takes the history no longer.
const mostMoved = 512

// MoveRange makes the plain accesses at (see AccessAt) by l's task to the size bytes from addr,
// reached by the call path context, when the memos of p say all about them. If it returns false,
// it may have made some of them. It is called without Enter. Cost: that of Quick.
func (d *Detector) MoveRange(p *Proc, l *Local, at, addr, size uintptr, context uint32) bool {
	w := windowOf(&d.History, addr)
	if context == 0 || size-1 >= mostMoved || addr-w.Lo >= w.Size || size > w.Size-(addr-w.Lo) {
		return false
	}
	m := mover{proc: p, local: l, at: at, context: context, window: w}
	m.before = ^shadow.State(0)
	d.Enter(p)
	w.Prepare(addr)
	ok := m.lines(addr, addr+size)
	d.out(p)
	return ok
}

// mover is accesses on their way through MoveRange.
type mover struct {
	proc    *Proc
	local   *Local
	at      uintptr
	context uint32
	window  *shadow.Window

	before, after shadow.State // what came up last
}

func (m *mover) lines(addr, end uintptr) bool {
	for addr < end {
		line := m.window.Line(addr)
		if line.IsSplit() {
			stop := min(addr|7+1, end)
			mask := uint8(1<<(stop-addr)-1) << (addr & 7)
			if !m.proc.d().History.MoveInCell(line.Cell(addr), mask, m.context, m.become) {
				return false
			}
			addr = stop
			continue
		}
		bytes, next := shadow.InLine(addr, end, 1)
		before, ok := line.Of(bytes)
		if !ok {
			return false
		}
		after := m.become(before)
		switch {
		case after == 0:
			return false
		case after == before || m.window.MoveBytes(line, addr, bytes, after, m.context):
			addr = next
		case m.window.Line(addr) == line && !m.window.TrySplit(addr, line):
			return false
		}
	}
	return true
}

// become is what an access makes of a byte in state before; 0 if that is not known.
func (m *mover) become(before shadow.State) shadow.State {
	if before != m.before {
		m.before, m.after = before, m.find(before)
	}
	return m.after
}

// find is become for what did not come up last.
func (m *mover) find(before shadow.State) shadow.State {
	p, s, kind := m.proc, m.local.Strand, m.at>>63
	if before != 0 && p.Known(s, kind, before) {
		return before
	}
	h := &p.d().History
	if e := p.move(s, before, m.at); e != nil {
		if e.counts != 0 {
			return 0
		}
		h.Reached(&e.Move, m.context)
		return e.After
	}
	if before == 0 || h.Older(before, m.local.Since) || !h.Knows(before, s, shadow.Op(kind+1)) {
		return 0
	}
	p.Learn(s, kind, before)
	return before
}
