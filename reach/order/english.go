package order

import "github.com/detrace/detrace/reach"

// English reports whether u is before v in the English order, in which a child comes
// before what is parallel to it in the task that forked it. Both have started.
// Whoever remembers one reader per order asks this. Cost: as of Precedes.
func (e *Engine) English(u, v reach.Strand) bool {
	return e.order.before(e.level(u), u.Index(), e.level(v), v.Index())
}

// before compares two different strands, each given by its level and number, in the
// English order.
func (o *spOrder) before(ul, u, vl, v uint32) bool {
	if !o.listed {
		return o.labels.Meet(ul, u, vl, v).English()
	}
	return o.lists.english.Before(*o.lists.items.At(u), *o.lists.items.At(v))
}
