// A matrix product by tiles, a task for each row of tiles.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n, tile = 24, 8
	var a, b, c [n][n]int
	for i := range n {
		for j := range n {
			a[i][j], b[i][j] = i+j, i-j
		}
	}
	var g task.Group
	for ti := 0; ti < n; ti += tile {
		g.Spawn(func() {
			for tj := 0; tj < n; tj += tile {
				for tk := 0; tk < n; tk += tile {
					for i := ti; i < ti+tile; i++ {
						for j := tj; j < tj+tile; j++ {
							for k := tk; k < tk+tile; k++ {
								c[i][j] += a[i][k] * b[k][j]
							}
						}
					}
				}
			}
		})
	}
	g.Sync()
	fmt.Println(c[n-1][n-1])
}
