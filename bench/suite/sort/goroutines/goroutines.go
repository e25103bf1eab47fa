// Package goroutines sorts with a WaitGroup for each division.
package goroutines

import (
	"sync"

	"github.com/detrace/detrace/bench/suite/sort"
)

// Run sorts p.A.
func Run(p *sort.Problem) { (&sorter{p}).sort(p.A, p.Tmp) }

type sorter struct{ *sort.Problem }

func (s *sorter) sort(a, tmp []int) {
	if len(a) <= s.Base {
		sort.Leaf(a)
		return
	}
	q := sort.Quarters(len(a))
	var sorted, last, merged sync.WaitGroup
	for i := range 3 {
		wg := &sorted
		if s.Racy && i == 2 {
			wg = &last
		}
		wg.Go(func() { s.sort(a[q[i]:q[i+1]], tmp[q[i]:q[i+1]]) })
	}
	s.sort(a[q[3]:], tmp[q[3]:])
	sorted.Wait()
	merged.Go(func() { s.merge(tmp[:q[2]], a[:q[1]], a[q[1]:q[2]]) })
	s.merge(tmp[q[2]:], a[q[2]:q[3]], a[q[3]:])
	merged.Wait()
	last.Wait()
	s.merge(a, tmp[:q[2]], tmp[q[2]:])
}

func (s *sorter) merge(to, a, b []int) {
	if len(to) <= s.Base {
		sort.Merge(to, a, b)
		return
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	i, j := sort.Cut(a, b)
	var wg sync.WaitGroup
	wg.Go(func() { s.merge(to[:i+j], a[:i], b[:j]) })
	s.merge(to[i+j:], a[i:], b[j:])
	wg.Wait()
}
