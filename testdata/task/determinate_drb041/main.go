// Three matrix products, each with a task for each row, one loop after the other.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 12
	type matrix [n][n]int
	a, b, c, d := new(matrix), new(matrix), new(matrix), new(matrix)
	e, f, g := new(matrix), new(matrix), new(matrix)
	var rows task.Group
	for i := range n {
		rows.Spawn(func() {
			for j := range n {
				a[i][j], b[i][j], c[i][j], d[i][j] = i*j, i*(j+1), i*(j+2), i*(j+3)
			}
		})
	}
	rows.Sync()
	multiply := func(to, x, y *matrix) {
		for i := range n {
			rows.Spawn(func() {
				for j := range n {
					for k := range n {
						to[i][j] += x[i][k] * y[k][j] % 7
					}
				}
			})
		}
		rows.Sync()
	}
	multiply(e, a, b)
	multiply(f, c, d)
	multiply(g, e, f)
	fmt.Println(g[n-1][n-1])
}
