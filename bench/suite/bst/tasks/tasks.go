// Package tasks merges trees with a future for each left subtree.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/bst"
	"github.com/detrace/detrace/task"
)

// Run merges the trees of p.
func Run(p *bst.Problem) { p.First = merge(p.First, p.Second, p.Base) }

func merge(a, b *bst.Node, base int) *bst.Node {
	if a == nil || b == nil || a.Size+b.Size <= base {
		return bst.Merge(a, b)
	}
	below, above := bst.Split(b, a.Key)
	first := a.Left
	left := task.Create(func() *bst.Node { return merge(first, below, base) })
	right := merge(a.Right, above, base)
	return a.Join(left.Get(), right)
}
