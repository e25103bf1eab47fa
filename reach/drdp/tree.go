package drdp

// node is an async, a finish or a sync block in the DPST; strands are its leaves.
// The root of the whole is node 0: under it are the trees of the root task and of
// the futures, between which it orders nothing.
type node struct {
	parent uint32
	jump   uint32 // an ancestor, skew-binary: levels are climbed in logarithmic time
	key    uint32 // number of the first strand below it: siblings, strands too, ascend
	level  uint32 // depth<<1 | 1 for an async
}

func (n *node) depth() uint32 { return n.level >> 1 }

func (n *node) async() bool { return n.level&1 != 0 }

func (e *Engine) newNode(parent, key uint32, async bool) uint32 {
	e.nodeCount++
	p := e.nodes.At(parent)
	n := node{parent: parent, jump: parent, key: key, level: (p.depth() + 1) << 1}
	if async {
		n.level |= 1
	}
	if j := e.nodes.At(p.jump); p.depth()-j.depth() == j.depth()-e.nodes.At(j.jump).depth() {
		n.jump = j.jump
	}
	*e.nodes.At(e.nodeCount) = n
	return e.nodeCount
}

// ancestor is the ancestor of x, or x, at the given depth, which is not below x.
func (e *Engine) ancestor(x, depth uint32) uint32 {
	for {
		n := e.nodes.At(x)
		if n.depth() == depth {
			return x
		}
		x = n.parent
		if e.nodes.At(n.jump).depth() >= depth {
			x = n.jump
		}
	}
}

// inTree reports whether strand a is left of strand b in the DPST and the child of
// their least common ancestor that holds a is not an async; then a precedes b.
// Cost: logarithmic in the depth.
func (e *Engine) inTree(a, b uint32) bool {
	x, y := *e.leaves.At(a), *e.leaves.At(b)
	if x == y {
		return a < b
	}
	dx, dy := e.nodes.At(x).depth(), e.nodes.At(y).depth()
	switch {
	case dx > dy:
		x = e.ancestor(x, dy+1)
		n := e.nodes.At(x)
		if n.parent == y {
			return n.key < b && !n.async()
		}
		x = n.parent
	case dy > dx:
		n := e.nodes.At(e.ancestor(y, dx+1))
		if n.parent == x {
			return a < n.key
		}
		y = n.parent
	}
	for {
		n, o := e.nodes.At(x), e.nodes.At(y)
		switch {
		case n.parent == o.parent:
			return n.key < o.key && !n.async()
		case n.jump != o.jump:
			x, y = n.jump, o.jump
		default:
			x, y = n.parent, o.parent
		}
	}
}
