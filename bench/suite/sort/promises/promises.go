// Package promises sorts with a promise for each part that another task waits for.
package promises

import (
	"github.com/detrace/detrace/bench/suite/sort"
	"github.com/detrace/detrace/task"
)

type none = struct{}

// Run sorts p.A.
func Run(p *sort.Problem) {
	task.Finish(func(scope *task.Scope) { (&sorter{scope, p.Base}).sort(p.A, p.Tmp) })
}

type sorter struct {
	scope *task.Scope
	base  int
}

// start runs f as a task and returns the promise that it sets at its end.
func (s *sorter) start(f func()) *task.Promise[none] {
	done := task.NewPromise[none]()
	s.scope.Async(func() {
		f()
		done.Set(none{})
	})
	return done
}

func (s *sorter) sort(a, tmp []int) {
	if len(a) <= s.base {
		sort.Leaf(a)
		return
	}
	q := sort.Quarters(len(a))
	var sorted [4]*task.Promise[none]
	for i := range sorted {
		sorted[i] = s.start(func() { s.sort(a[q[i]:q[i+1]], tmp[q[i]:q[i+1]]) })
	}
	low := s.start(func() {
		sorted[0].Get()
		sorted[1].Get()
		s.merge(tmp[:q[2]], a[:q[1]], a[q[1]:q[2]])
	})
	sorted[2].Get()
	sorted[3].Get()
	s.merge(tmp[q[2]:], a[q[2]:q[3]], a[q[3]:])
	low.Get()
	s.merge(a, tmp[:q[2]], tmp[q[2]:])
}

func (s *sorter) merge(to, a, b []int) {
	if len(to) <= s.base {
		sort.Merge(to, a, b)
		return
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	i, j := sort.Cut(a, b)
	low := s.start(func() { s.merge(to[:i+j], a[:i], b[:j]) })
	s.merge(to[i+j:], a[i:], b[j:])
	low.Get()
}
