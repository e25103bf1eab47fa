// Package tasks sorts with futures.
package tasks

import (
	"github.com/detrace/detrace/bench/suite/sort"
	"github.com/detrace/detrace/task"
)

type none = struct{}

// Run sorts p.A.
func Run(p *sort.Problem) { (&sorter{p}).sort(p.A, p.Tmp) }

type sorter struct{ *sort.Problem }

func (s *sorter) sort(a, tmp []int) {
	if len(a) <= s.Base {
		sort.Leaf(a)
		return
	}
	q := sort.Quarters(len(a))
	var sorted [3]*task.Future[none]
	for i := range sorted {
		sorted[i] = task.Create(func() (_ none) {
			s.sort(a[q[i]:q[i+1]], tmp[q[i]:q[i+1]])
			return
		})
	}
	s.sort(a[q[3]:], tmp[q[3]:])
	wait := len(sorted)
	if s.Racy {
		wait--
	}
	for _, f := range sorted[:wait] {
		f.Get()
	}
	low := task.Create(func() (_ none) {
		s.merge(tmp[:q[2]], a[:q[1]], a[q[1]:q[2]])
		return
	})
	s.merge(tmp[q[2]:], a[q[2]:q[3]], a[q[3]:])
	low.Get()
	if s.Racy {
		sorted[wait].Get()
	}
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
	low := task.Create(func() (_ none) {
		s.merge(to[:i+j], a[:i], b[:j])
		return
	})
	s.merge(to[i+j:], a[i:], b[j:])
	low.Get()
}
