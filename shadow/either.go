package shadow

import "math/bits"

// Row is elements that lie side by side, or the other way round with a Stride below 0. Those
// of the bits of a mask are accessed, from bit First on: the first mask says which are accessed
// in the one way and the second which in the other. No element is in both.
type Row struct {
	Base          uintptr
	Count, Stride int
	First         int
	Masks         [2]*Mask
}

// Turns is the order of a thread that makes two accesses by turns.
type Turns interface {
	Order
	// Turn says which of the two the following calls are about.
	Turn(i int)
}

// AccessEither makes one of two accesses to the elements of a row, as AccessMasked would make
// one after the other. But no line is in a state between them: where elements come from two
// places, each line is in at most two states before and after, and need not be split. It
// returns how many accesses there are. Cost: that of AccessMasked, per line that is not split
// a comparison for each of its states.
func (h *History) AccessEither(r Row, a *[2]Access, o Turns) (out [2]Outcome, accesses [2]uint64) {
	w := h.Window(r.Base)
	if w == nil {
		return out, accesses
	}
	var e either
	for i := range e {
		e[i].begins(h, w, &a[i], o)
		e[i].turns, e[i].turn, e[i].scattered = o, i, true
		e[i].ranges = o.Ranges().turn(i, &a[i])
	}
	stride := uintptr(r.Stride)
	if stride > 8 || stride&(stride-1) != 0 {
		for i := range e {
			e[i].row(r.Base, Dim{r.Count, r.Stride}, r.Masks[i], uint(r.First))
			e[i].flush()
		}
	} else {
		e.dense(r, stride)
	}
	for i := range e {
		g := &e[i]
		out[i], accesses[i] = Outcome{Before: g.olds[g.last], After: g.news[g.last], Did: Did{Changed: g.moved, Full: g.full}}, g.accesses
	}
	return out, accesses
}

// either is two accesses that are made by turns.
type either [2]granules

// dense makes them to elements side by side.
func (e *either) dense(r Row, stride uintptr) {
	p, at := r.Base, uint(r.First)
	for left := uint(r.Count); left > 0; {
		n := min(left, uint((lineBytes-1-p%lineBytes)/stride)+1)
		var bytes [2]uint64
		for i := range e {
			set := r.Masks[i].from(at, n)
			e[i].accesses += uint64(bits.OnesCount64(set))
			bytes[i] = spreadLine(set, stride) << (p % lineBytes)
		}
		e.line(p&^(lineBytes-1), bytes)
		at, left, p = at+n, left-n, p+uintptr(n)*stride
	}
}

// line makes them to bytes of the line at p.
func (e *either) line(p uintptr, bytes [2]uint64) {
	w := e[0].window
	w.Prepare(p)
	for {
		l := w.Line(p)
		if l.IsSplit() {
			e[0].granulesOf(p, bytes[0])
			e[1].granulesOf(p, bytes[1])
			return
		}
		if l.isRolled() {
			w.split(p, l)
			continue
		}
		next, ok := e.after(p, l, bytes)
		switch {
		case !ok:
			w.split(p, l)
		case next == l || w.exchange(p, l, next):
			return
		}
	}
}

// after is lineAfter for both.
func (e *either) after(p uintptr, l Line, bytes [2]uint64) (Line, bool) {
	t := &e[0].history.pairs
	before, after := t.parts(l), parts{}
	changed, ok := false, true
	for _, q := range before.all[:before.n] {
		rest := q.bytes
		for i := range e {
			if old := bytes[i] & q.bytes; old != 0 {
				n := e[i].inTurn(p, q.state, old, q.context)
				if n == q.state {
					continue
				}
				changed, rest = true, rest&^old
				ok = after.add(old, n, e[i].access.Context) && ok
			}
		}
		ok = after.add(rest, q.state, q.context) && ok
	}
	for i := range e {
		if fresh := bytes[i] &^ before.bytes(); fresh != 0 {
			if n := e[i].inTurn(p, 0, fresh, 0); n != 0 {
				changed = true
				ok = after.add(fresh, n, e[i].access.Context) && ok
			}
		}
	}
	if !changed {
		return l, true
	}
	if !ok {
		return 0, false
	}
	return t.line(&after, true)
}

// inTurn is the state after old, of bytes of the line at p.
func (g *granules) inTurn(p uintptr, old State, bytes uint64, latest uint32) State {
	g.cell, g.base, g.latest = nil, p, latest
	return g.next(old, bits.TrailingZeros64(bytes))
}
