// Matrix times vector, row after row, each row a reduction: one future for each part.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n, parts = 20, 4
	var a [n][n]int
	var v, out [n]int
	a[3][4], v[4] = 6, 7
	for i := range n {
		var sums [parts]*task.Future[int]
		for p := range parts {
			sums[p] = task.Create(func() int {
				sum := 0
				for j := p; j < n; j += parts {
					sum += a[i][j] * v[j]
				}
				return sum
			})
		}
		for _, s := range sums {
			out[i] += s.Get()
		}
	}
	fmt.Println(out[3])
}
