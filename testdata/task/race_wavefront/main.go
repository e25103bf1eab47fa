// The same grid, but cells of the last row do not await their left neighbour.
package main

import "github.com/detrace/detrace/task"

func main() {
	for i := range n {
		for j := range n {
			ready[i][j] = task.NewPromise[bool]()
		}
	}
	var g task.Group
	for k := n*n - 1; k >= 0; k-- {
		g.Spawn(func() { cell(k/n, k%n) })
	}
	g.Sync()
	use(grid[n-1][n-1])
}

const n = 8

var (
	grid  [n][n]int
	ready [n][n]*task.Promise[bool]
)

func cell(i, j int) {
	v := 1
	if i > 0 {
		ready[i-1][j].Get()
		v += grid[i-1][j]
	}
	if j > 0 {
		if i < n-1 {
			ready[i][j-1].Get()
		}
		v += grid[i][j-1] // want race(grid: read)
	}
	grid[i][j] = v // want race(grid: write)
	ready[i][j].Set(true)
}

//go:noinline
func use(int) {}
