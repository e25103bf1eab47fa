package detect

import (
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// AccessBox is Access for all elements that one reference of a loop nest touches. b is
// Normal.
func (d *Detector) AccessBox(p *Proc, t reach.Task, b shadow.Box, pc uintptr, a shadow.Access) {
	a = d.ask(p, t, b.Base, pc, a)
	if out := d.History.AccessBox(b, a, p); out.Full {
		d.tellFull(a)
	}
}

// AccessMasked is AccessBox for some elements of b, which is as the loops have it. It
// returns how many.
func (d *Detector) AccessMasked(p *Proc, t reach.Task, b shadow.Box, m shadow.Rounds, pc uintptr, a shadow.Access) uint64 {
	a = d.ask(p, t, b.Base, pc, a)
	out, accesses := d.History.AccessMasked(b, m, a, p)
	if out.Full {
		d.tellFull(a)
	}
	return accesses
}

// AccessEither is Access for some elements of a row, each in one of two ways: at pcs. It
// returns how many.
func (d *Detector) AccessEither(p *Proc, t reach.Task, r shadow.Row, pcs [2]uintptr, a [2]shadow.Access) [2]uint64 {
	for i := range a {
		a[i] = d.ask(p, t, r.Base, pcs[i], a[i])
		p.turns[i] = p.query
	}
	out, accesses := d.History.AccessEither(r, a, p)
	for i := range out {
		if out[i].Full {
			d.tellFull(a[i])
		}
	}
	return accesses
}

// ask makes p ready to answer for an access of t. Access does the same in its own text: a
// call costs 5 of its 115 ns.
func (d *Detector) ask(p *Proc, t reach.Task, addr, pc uintptr, a shadow.Access) shadow.Access {
	l := d.Local(t)
	if l.Since == 0 {
		l.Since = d.History.Now()
	}
	a.Strand, a.Locks, a.Since = l.Strand, l.Locks, l.Since
	p.Checked++
	if p.kept {
		p.forgetOthers(a.Strand)
	}
	p.query = query{task: t, access: a, addr: addr, pc: pc}
	return a
}
