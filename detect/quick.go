package detect

import "github.com/detrace/detrace/shadow"

// mostQuick is how many elements of a box Quick looks at: where there are more, entering costs little.
const mostQuick = 512

// Quick is Shortcut for what loops tell of: it makes the plain accesses at (see AccessAt) of
// all elements of a box by l's task, in the frame with the given base, when the memos of p say
// all about them, and counts them. If it returns false, it may have made some of them. Cost: a
// comparison for each line that is not split, for each element of others.
//
//go:nosplit
func Quick(p *Proc, l *Local, at, base uintptr, b *shadow.Box) bool {
	d := &b.Dims
	if d[0].Count > mostQuick || d[1].Count > mostQuick || d[2].Count > mostQuick || d[0].Count*d[1].Count*d[2].Count > mostQuick {
		return false
	}
	q := quick{proc: p, local: l, at: at, base: base, window: windowOf(&p.d().History, b.Base)}
	if b.Base-q.window.Lo >= q.window.Size {
		return false
	}
	for k := 0; k < d[2].Count; k++ {
		for j := 0; j < d[1].Count; j++ {
			if !q.row(b.Base+uintptr(k*d[2].Stride)+uintptr(j*d[1].Stride), d[0].Count, d[0].Stride) {
				return false
			}
		}
	}
	p.Accesses[at>>63&1] += uint64(d[0].Count * d[1].Count * d[2].Count)
	return true
}

// QuickScattered is Quick for the elements of a size with the given indices, from base on. It returns those of which
// it has not made the accesses, in indices, which it changes.
//
//go:nosplit
func QuickScattered(p *Proc, l *Local, at, base, from, size uintptr, indices []uintptr) (left []uintptr) {
	q := quick{proc: p, local: l, at: at, base: base, window: windowOf(&p.d().History, from)}
	n := 0
	// What nothing more is to be done about comes first: nothing waits for anything else there.
	for _, i := range indices {
		addr := from + i*size
		indices[n] = i
		n++
		if addr-q.window.Lo < q.window.Size {
			if c := q.window.Cell(addr); c != nil {
				if st := shadow.Peek(c.Load(), addr); st != 0 && p.Known(l.Strand, at>>63, st) {
					n--
				}
			}
		}
	}
	for left = indices[:n]; len(left) > 0; left = left[1:] {
		if addr := from + left[0]*size; addr-q.window.Lo >= q.window.Size || !q.row(addr, 1, 8) {
			break
		}
	}
	p.Accesses[at>>63&1] += uint64(len(indices) - len(left))
	return left
}

// quick is accesses on their way through Quick.
type quick struct {
	proc     *Proc
	local    *Local
	at, base uintptr
	window   *shadow.Window
}

// row makes the accesses to n elements.
//
//go:nosplit
func (q *quick) row(addr uintptr, n, step int) bool {
	if step < 0 {
		addr += uintptr(n-1) * uintptr(step)
		step = -step
	}
	stride := uintptr(step)
	if stride == 0 {
		stride, n = 8, 1
	}
	for end := addr + uintptr(n)*stride; addr < end; {
		line := q.window.Line(addr)
		if line.IsSplit() {
			if !q.element(addr) {
				return false
			}
			addr += stride
			continue
		}
		bytes, next := shadow.InLine(addr, end, stride)
		if !q.line(addr, line, bytes) {
			return false
		}
		addr = next
	}
	return true
}

// element makes the access to a byte of a line that is split.
//
//go:nosplit
func (q *quick) element(addr uintptr) bool {
	p := q.proc
	c := q.window.Cell(addr)
	if c == nil {
		return false
	}
	v := c.Load()
	st := shadow.Peek(v, addr)
	if st != 0 && p.Known(q.local.Strand, q.at>>63, st) {
		return true
	}
	m, context := q.move(st)
	return m != nil && (st != 0 || !shadow.IsBlock(v)) && p.d().History.TryMove(c, v, addr, &m.Move, context)
}

// line makes the access to bytes of the line at addr, which was not split.
//
//go:nosplit
func (q *quick) line(addr uintptr, line shadow.Line, bytes uint64) bool {
	p, h := q.proc, &q.proc.d().History
	st, ok := line.Of(bytes)
	if !ok {
		return false
	}
	if st != 0 && p.Known(q.local.Strand, q.at>>63, st) {
		return true
	}
	if m, context := q.move(st); m != nil {
		h.Reached(&m.Move, context)
		return q.window.MoveBytes(line, addr, bytes, m.After, context)
	}
	if st == 0 || h.Older(st, q.local.Since) || !h.Knows(st, q.local.Strand, shadow.Op(q.at>>63+1)) {
		return false
	}
	p.Learn(q.local.Strand, q.at>>63, st)
	if q.window.Line(addr) != line { // see known
		p.Unlearn(q.at>>63, st)
	}
	return true
}

// move is what the accesses make of state st, if that is no race, and the call path to them.
//
//go:nosplit
func (q *quick) move(st shadow.State) (m *move, context uint32) {
	m = q.proc.move(q.local.Strand, st, q.at)
	if m == nil || m.counts != 0 {
		return nil, 0
	}
	context, fresh := q.proc.Context(q.local, q.base)
	if context == 0 || !fresh {
		return nil, 0
	}
	return m, context
}

// KnownRange reports whether plain accesses, as in Known, by l's task to the size bytes from addr
// are known to change nothing. It may be called without Enter. Cost: a comparison for each line
// that is not split, one or two for each cell of others, one for each byte of a block.
func KnownRange(p *Proc, l *Local, kind, addr, size uintptr) bool {
	if size-1 >= mostQuick {
		return false
	}
	h := &p.d().History
	w := windowOf(h, addr)
	if addr-w.Lo >= w.Size || size > w.Size-(addr-w.Lo) {
		return false
	}
	if w.Unused(addr) {
		return false
	}
	known := shadow.State(0)
	for end := addr + size; addr < end; {
		one, other, next := statesAt(h, w, addr, end)
		if one == 0 || one != known && !p.Known(l.Strand, kind, one) {
			return false
		}
		if other != one && !p.Known(l.Strand, kind, other) {
			return false
		}
		known, addr = one, next
	}
	return true
}

// statesAt returns the states that the bytes from addr to next have, one or two, where next is end at most;
// 0 if that takes a closer look.
func statesAt(h *shadow.History, w *shadow.Window, addr, end uintptr) (one, other shadow.State, next uintptr) {
	c := w.Cell(addr)
	if c == nil {
		bytes, next := shadow.InLine(addr, end, 1)
		one, _ = w.Line(addr).Of(bytes)
		return one, one, next
	}
	v, next := c.Load(), min(addr|7+1, end)
	one, other, ok := shadow.PeekBytes(v, uint8(1<<(next-addr)-1)<<(addr&7))
	if !ok {
		one = h.PeekBlock(v, addr)
		return one, one, addr + 1
	}
	return one, other, next
}
