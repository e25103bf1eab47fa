package sforder

import "github.com/detrace/detrace/reach"

// English reports whether u is before v in the English order of the pseudo-SP-dag, in
// which a child comes before what is parallel to it in the task that forked it. Both
// have started. Whoever remembers one reader per order asks this. Cost: O(log depth).
func (e *Engine) English(u, v reach.Strand) bool {
	ul, _ := e.strand(u)
	vl, _ := e.strand(v)
	return e.pseudo.Meet(ul, u.Index(), vl, v.Index()).English()
}

// Future is the future that runs u, by its number in order of creation; 0 for what
// belongs to the root task. Cost: O(1).
func (e *Engine) Future(u reach.Strand) uint32 {
	level, _ := e.strand(u)
	return e.levels.At(level).future()
}
