// Chunks of 64 iterations write every other element.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n, chunk = 1000, 64
	var a, b [2 * n]int
	var g task.Group
	for start := 0; start < n; start += chunk {
		g.Spawn(func() {
			for i := start; i < min(start+chunk, n); i++ {
				a[2*i] += b[i]
			}
		})
	}
	g.Sync()
	fmt.Println(a[0])
}
