// Package goroutines merges trees with a WaitGroup for each left subtree.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/bst"
)

// Run merges the trees of p.
func Run(p *bst.Problem) { p.First = merge(p.First, p.Second, p.Base) }

func merge(a, b *bst.Node, base int) *bst.Node {
	if a == nil || b == nil || a.Size+b.Size <= base {
		return bst.Merge(a, b)
	}
	below, above := bst.Split(b, a.Key)
	first := a.Left
	var left *bst.Node
	var wg sync.WaitGroup
	wg.Go(func() { left = merge(first, below, base) })
	right := merge(a.Right, above, base)
	wg.Wait()
	return a.Join(left, right)
}
