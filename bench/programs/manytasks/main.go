// Manytasks is a choice of programs with very many tasks, for the limits of detrace. None
// races. The arguments are the program and its size.
package main

import (
	"context"

	"github.com/detrace/detrace/bench/programs/choice"
	"github.com/detrace/detrace/task"
)

var programs = map[string]func(n int) int{
	"leaves":   leaves,
	"readers":  readers,
	"page":     page,
	"futures":  futures,
	"promises": promises,
	"cousins":  cousins,
	"pipeline": pipeline,
}

func main() { choice.Main("manytasks", programs) }

// leaves is a binary tree of tasks with n leaves: 2n-1 tasks.
func leaves(n int) int {
	if n == 1 {
		return 1
	}
	var g task.Group
	var left, right int
	g.Spawn(func() { left = leaves(n / 2) })
	g.Spawn(func() { right = leaves(n - n/2) })
	g.Sync()
	return left + right
}

// readers lets n tasks read one location.
func readers(n int) int {
	x, sums := 1, make([]int, n)
	task.Finish(func(s *task.Scope) {
		for i := range n {
			s.Async(func() { sums[i] = x })
		}
	})
	x = 0
	for _, y := range sums {
		x += y
	}
	return x
}

// page lets 8 tasks write a page at alternating bytes, n times.
func page(n int) int {
	bytes := make([]byte, 4096)
	var g task.Group
	for k := range 8 {
		g.Spawn(func() {
			for range n {
				for i := k; i < len(bytes); i += 8 {
					bytes[i]++
				}
			}
		})
	}
	g.Sync()
	return int(bytes[0])
}

// square is a table of n × n cells, each of which depends on that above it and that
// left of it.
type square struct {
	n     int
	cells []int
}

func newSquare(n int) *square { return &square{n, make([]int, n*n)} }

func (q *square) fill(i, j int) int {
	v := 1
	if i > 0 {
		v += q.cells[(i-1)*q.n+j] & 0xff
	}
	if j > 0 {
		v += q.cells[i*q.n+j-1] & 0xff
	}
	q.cells[i*q.n+j] = v
	return v
}

// futures fills a square of n × n cells, a future each, which gets two others.
func futures(n int) int {
	q, fs := newSquare(n), make([]*task.Future[int], n*n)
	for k := range fs {
		fs[k] = task.Create(func() int {
			i, j := k/n, k%n
			if i > 0 {
				fs[k-n].Get()
			}
			if j > 0 {
				fs[k-1].Get()
			}
			return q.fill(i, j)
		})
	}
	return fs[n*n-1].Get()
}

// promised is a square whose cells are promises.
type promised struct {
	*square
	set []*task.Promise[int]
}

func newPromised(n int) promised {
	p := promised{newSquare(n), make([]*task.Promise[int], n*n)}
	for k := range p.set {
		p.set[k] = task.NewPromise[int]()
	}
	return p
}

// cell waits for two others and fills the cell.
func (p promised) cell(i, j int) {
	if i > 0 {
		p.set[(i-1)*p.n+j].Get()
	}
	if j > 0 {
		p.set[i*p.n+j-1].Get()
	}
	p.set[i*p.n+j].Set(p.fill(i, j))
}

// promises fills a square, a task for each cell.
func promises(n int) int {
	p := newPromised(n)
	var g task.Group
	for k := range n * n {
		g.Spawn(func() { p.cell(k/n, k%n) })
	}
	g.Sync()
	return p.cells[n*n-1]
}

// cousins is promises with a task for each row, which starts those of its cells.
func cousins(n int) int {
	p := newPromised(n)
	var rows task.Group
	for i := range n {
		rows.Spawn(func() {
			var row task.Group
			for j := range n {
				row.Spawn(func() { p.cell(i, j) })
			}
			row.Sync()
		})
	}
	rows.Sync()
	return p.cells[n*n-1]
}

// pipeline takes n items through n stages.
func pipeline(n int) int {
	counts := make([]int, n)
	stages := make([]task.Stage[int], n)
	for s := range stages {
		stages[s] = func(item *task.Item[int]) {
			item.Value++
			counts[s] += item.Value
		}
	}
	err := task.NewPipeline(stages...).Run(context.Background(), func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	})
	if err != nil {
		panic(err)
	}
	return counts[n-1]
}
