// Package bst merges two binary search trees: the second is split by the root of the
// first, and the halves are merged in parallel. N is the number of keys of the first
// tree, the second has half as many; Base is how many keys are merged sequentially.
//
// MultiBags (PPoPP'19) measures it, after Blelloch and Reid-Miller (1997).
package bst

import (
	"errors"
	"fmt"

	"github.com/detrace/detrace/bench/suite/program"
)

// Info describes the program.
var Info = program.Info{
	Name: "bst", Kind: program.Irregular,
	Tiny:   program.Params{N: 512, Base: 16},
	Small:  program.Params{N: 65_536, Base: 128},
	Medium: program.Params{N: 262_144, Base: 128},
	Paper:  program.Params{N: 524_288, Base: 128},
}

// A Node is a tree that is not empty.
type Node struct {
	Key         uint64
	Left, Right *Node
	Size        int // keys in the tree
}

// A Problem is two trees; the first becomes both.
type Problem struct {
	program.Params
	First, Second *Node
	sum           uint64
}

// New makes two balanced trees without a common key.
func New(params program.Params) (*Problem, error) {
	if err := program.Positive(params.N/2, params.Base); err != nil {
		return nil, err
	}
	p := &Problem{Params: params}
	r := program.Rand(params.Seed)
	p.First = p.balanced(&r, 0, uint64(params.N), 1)
	p.Second = p.balanced(&r, 0, uint64(params.N/2), 2)
	return p, nil
}

// balanced makes a tree of keys from low·32·step to high·32·step: one of each range
// of that length, odd or even like step.
func (p *Problem) balanced(r *program.Rand, low, high, step uint64) *Node {
	if low == high {
		return nil
	}
	mid := (low + high) / 2
	n := &Node{Size: int(high - low)}
	n.Left = p.balanced(r, low, mid, step)
	n.Key = mid*32*step + uint64(r.Below(16))*2 + step&1
	p.sum += n.Key
	n.Right = p.balanced(r, mid+1, high, step)
	return n
}

// Count returns the number of keys in a tree.
func (n *Node) Count() int {
	if n == nil {
		return 0
	}
	return n.Size
}

// update sets the number of keys after the subtrees changed.
func (n *Node) update() { n.Size = 1 + n.Left.Count() + n.Right.Count() }

// Split takes a tree apart: keys below and above key, which is not in it.
func Split(n *Node, key uint64) (below, above *Node) {
	if n == nil {
		return nil, nil
	}
	if n.Key < key {
		n.Right, above = Split(n.Right, key)
		n.update()
		return n, above
	}
	below, n.Left = Split(n.Left, key)
	n.update()
	return below, n
}

// Join makes left and right, which were merged, the subtrees of n.
func (n *Node) Join(left, right *Node) *Node {
	n.Left, n.Right = left, right
	n.update()
	return n
}

// Merge merges two trees sequentially.
func Merge(a, b *Node) *Node {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	below, above := Split(b, a.Key)
	return a.Join(Merge(a.Left, below), Merge(a.Right, above))
}

// Serial merges the trees of p.
func Serial(p *Problem) { p.First = Merge(p.First, p.Second) }

// Check walks through the tree: all keys must be there, in order.
func (p *Problem) Check() error {
	count, sum, last := 0, uint64(0), uint64(0)
	err := walk(p.First, func(key uint64) error {
		if count > 0 && key <= last {
			return fmt.Errorf("key %d stands behind %d", key, last)
		}
		count, sum, last = count+1, sum+key, key
		return nil
	})
	if err == nil && (count != p.N+p.N/2 || sum != p.sum || p.First.Count() != count) {
		err = errors.New("the keys are not those of the two trees")
	}
	return err
}

func walk(n *Node, visit func(uint64) error) error {
	if n == nil {
		return nil
	}
	if err := walk(n.Left, visit); err != nil {
		return err
	}
	if err := visit(n.Key); err != nil {
		return err
	}
	return walk(n.Right, visit)
}

// Result is a digest of the keys on the way to the smallest.
func (p *Problem) Result() uint64 {
	var d program.Digest
	for n := p.First; n != nil; n = n.Left {
		d.Add(n.Key)
	}
	return uint64(d)
}
