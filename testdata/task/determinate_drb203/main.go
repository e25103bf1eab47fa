// Chunks of 64 elements are changed by a constant.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n, chunk = 1000, 64
	var a [n]int
	var g task.Group
	for start := 0; start < n; start += chunk {
		g.Spawn(func() {
			for i := start; i < min(start+chunk, n); i++ {
				a[i] += 3
			}
		})
	}
	g.Sync()
	fmt.Println(a[n-1])
}
