package history

import "unsafe"

// segments is a map from every address to a state: a B+ tree of the addresses at
// which another state begins. So memory follows the number of different states side
// by side, whatever the sizes and addresses of the accesses. The zero value must be
// initialised with init.
//
// Every node keeps its first entry, whose key is what the parent has for the node, so
// a leaf never looks to its left. A leaf whose one state has become that of the leaf
// before is dropped. Costs: logarithmic in the number of segments, less where
// accesses are near the one before; linear in the segments that an access covers.
type segments struct {
	chunks [][]node
	free   []uint32
	count  uint32 // of nodes
	root   uint32
	height int // of inner nodes above the leaves

	near finger
	held holder
}

// holder counts who holds a state, so that states can be reclaimed.
type holder interface {
	retain(state uint32)
	release(state uint32)
}

const (
	fan       = 64
	chunkSize = 64
)

// node is a leaf or an inner node.
type node struct {
	n    int
	keys [fan]uint64 // ascending
	vals [fan]uint32 // states; of inner nodes: children
}

// finger is the leaf that was used last and the addresses in it.
type finger struct {
	leaf     *node
	lo, last uint64
}

func (s *segments) init(held holder) {
	s.held = held
	s.root = s.node()
	s.at(s.root).n = 1 // all addresses have state 0
}

// bytes is the memory in use.
func (s *segments) bytes() int { return len(s.chunks) * chunkSize * int(unsafe.Sizeof(node{})) }

func (s *segments) at(id uint32) *node { return &s.chunks[id/chunkSize][id%chunkSize] }

func (s *segments) node() uint32 {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		s.at(id).n = 0
		return id
	}
	if s.count%chunkSize == 0 {
		s.chunks = append(s.chunks, make([]node, chunkSize))
	}
	s.count++
	return s.count - 1
}

// find is the entry that holds addr.
func (n *node) find(addr uint64) int {
	lo, hi := 0, n.n
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; n.keys[mid] <= addr {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// end is the last address of entry i of a node whose own last is last.
func (n *node) end(i int, last uint64) uint64 {
	if i+1 < n.n {
		return n.keys[i+1] - 1
	}
	return last
}

// seek moves the finger to the leaf of addr.
func (s *segments) seek(addr uint64) *node {
	if s.near.leaf != nil && s.near.lo <= addr && addr <= s.near.last {
		return s.near.leaf
	}
	n, last := s.at(s.root), ^uint64(0)
	for range s.height {
		i := n.find(addr)
		last = n.end(i, last)
		n = s.at(n.vals[i])
	}
	s.near = finger{leaf: n, lo: n.keys[0], last: last}
	return n
}

// update replaces the state of every segment of lo to last by what f says: f is given the
// state and the segment's addresses, gives up one hold of that state and has one of
// the state that it returns.
func (s *segments) update(lo, last uint64, f func(state uint32, lo, last uint64) uint32) {
	s.split(lo)
	if last != ^uint64(0) {
		s.split(last + 1)
	}
	if leaf := s.seek(lo); last <= s.near.last {
		s.updateLeaf(leaf, lo, last, s.near.last, f)
		return
	}
	s.updateNode(s.at(s.root), s.height, lo, last, ^uint64(0), f)
}

// split makes a segment begin at addr.
func (s *segments) split(addr uint64) {
	leaf := s.seek(addr)
	i := leaf.find(addr)
	if leaf.keys[i] == addr {
		return
	}
	state := leaf.vals[i]
	s.held.retain(state)
	if leaf.n < fan {
		leaf.insert(i+1, addr, state)
		return
	}
	s.near = finger{}
	key, right := s.insert(s.root, s.height, addr, state)
	if right != 0 {
		left := s.root
		s.root = s.node()
		s.height++
		top := s.at(s.root)
		top.n = 2
		top.keys[0], top.vals[0] = 0, left
		top.keys[1], top.vals[1] = key, right
	}
}

func (n *node) insert(i int, key uint64, val uint32) {
	copy(n.keys[i+1:n.n+1], n.keys[i:n.n])
	copy(n.vals[i+1:n.n+1], n.vals[i:n.n])
	n.keys[i], n.vals[i] = key, val
	n.n++
}

// insert adds an entry below node id. If the node had to be split, right is what was split off and
// key its first address; right is 0 otherwise.
func (s *segments) insert(id uint32, height int, addr uint64, val uint32) (key uint64, right uint32) {
	n := s.at(id)
	i := n.find(addr)
	if height > 0 {
		if addr, val = s.insert(n.vals[i], height-1, addr, val); val == 0 {
			return 0, 0
		}
	}
	if n.n < fan {
		n.insert(i+1, addr, val)
		return 0, 0
	}
	right = s.node()
	r := s.at(right)
	r.n = copy(r.keys[:], n.keys[fan/2:])
	copy(r.vals[:], n.vals[fan/2:])
	n.n = fan / 2
	if i+1 <= fan/2 {
		n.insert(i+1, addr, val)
	} else {
		r.insert(i+1-fan/2, addr, val)
	}
	return r.keys[0], right
}

// updateLeaf is update in a leaf whose addresses end at end. Neighbours with one
// state become one segment.
func (s *segments) updateLeaf(n *node, lo, last, end uint64, f func(uint32, uint64, uint64) uint32) {
	i := n.find(max(lo, n.keys[0]))
	kept := i
	for ; i < n.n && n.keys[i] <= last; i++ {
		key := n.keys[i]
		state := f(n.vals[i], key, n.end(i, end))
		if kept > 0 && n.vals[kept-1] == state {
			s.held.release(state)
			continue
		}
		n.keys[kept], n.vals[kept] = key, state
		kept++
	}
	if kept > 0 && i < n.n && n.vals[i] == n.vals[kept-1] {
		s.held.release(n.vals[i])
		i++
	}
	n.remove(kept, i)
}

// remove drops entries from to to-1.
func (n *node) remove(from, to int) {
	if from != to {
		copy(n.keys[from:], n.keys[to:n.n])
		copy(n.vals[from:], n.vals[to:n.n])
		n.n -= to - from
	}
}

// updateNode is update below a node whose addresses end at end.
func (s *segments) updateNode(n *node, height int, lo, last, end uint64, f func(uint32, uint64, uint64) uint32) {
	if height == 0 {
		s.updateLeaf(n, lo, last, end, f)
		return
	}
	i := n.find(max(lo, n.keys[0]))
	kept := i
	for ; i < n.n && n.keys[i] <= last; i++ {
		key, child := n.keys[i], n.vals[i]
		s.updateNode(s.at(child), height-1, lo, last, n.end(i, end), f)
		if kept > 0 && s.repeats(child, n.vals[kept-1], height-1) {
			s.drop(child, height-1)
			continue
		}
		n.keys[kept], n.vals[kept] = key, child
		kept++
	}
	n.remove(kept, i)
}

// repeats reports whether all that is in a node is one segment with the last state
// of the node before it.
func (s *segments) repeats(id, before uint32, height int) bool {
	n, b := s.at(id), s.at(before)
	for ; n.n == 1 && height > 0; height-- {
		n, b = s.at(n.vals[0]), s.at(b.vals[b.n-1])
	}
	return n.n == 1 && n.vals[0] == b.vals[b.n-1]
}

// drop frees a node that repeats the one before it.
func (s *segments) drop(id uint32, height int) {
	s.near = finger{}
	s.free = append(s.free, id)
	if height > 0 {
		s.drop(s.at(id).vals[0], height-1)
		return
	}
	s.held.release(s.at(id).vals[0])
}
