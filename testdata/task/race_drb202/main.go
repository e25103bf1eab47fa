// Chunks of 64 elements are changed by one element, which one of the chunks changes.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n, chunk = 1000, 64
	var a [n]int
	var g task.Group
	for start := 0; start < n; start += chunk {
		g.Spawn(func() {
			for i := start; i < min(start+chunk, n); i++ {
				a[i] += a[64] // want race(a)
			}
		})
	}
	g.Sync()
}
