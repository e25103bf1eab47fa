package detect

import (
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// AccessBox is Access for all elements that one reference of a loop nest touches. b is
// Normal.
func (d *Detector) AccessBox(p *Proc, t reach.Task, b shadow.Box, pc uintptr, made *shadow.Access) {
	a := d.ask(p, t, b.Base, pc, made)
	if out := d.History.AccessBox(b, a, p); out.Full {
		d.tellFull(a)
	}
}

// AccessMasked is AccessBox for some elements of b, which is as the loops have it. It
// returns how many.
func (d *Detector) AccessMasked(p *Proc, t reach.Task, b shadow.Box, m shadow.Rounds, pc uintptr, made *shadow.Access) uint64 {
	a := d.ask(p, t, b.Base, pc, made)
	out, accesses := d.History.AccessMasked(b, m, a, p)
	if out.Full {
		d.tellFull(a)
	}
	return accesses
}

// AccessEither is Access for some elements of a row, each in one of two ways: at pcs. It
// returns how many.
func (d *Detector) AccessEither(p *Proc, t reach.Task, r shadow.Row, pcs [2]uintptr, made *[2]shadow.Access) [2]uint64 {
	var a [2]shadow.Access
	for i := range a {
		a[i] = *d.ask(p, t, r.Base, pcs[i], &made[i])
		p.turns[i] = p.query
	}
	out, accesses := d.History.AccessEither(r, &a, p)
	for i := range out {
		if out[i].Full {
			d.tellFull(&a[i])
		}
	}
	return accesses
}
