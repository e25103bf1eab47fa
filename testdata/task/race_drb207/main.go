// Chunks of 64 iterations write the elements that the next chunk reads.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n, chunk = 1000, 64
	var a, b [n]int
	var g task.Group
	for start := 0; start < n-64; start += chunk {
		g.Spawn(func() {
			for i := start; i < min(start+chunk, n-64); i++ {
				a[i+64] = a[i] + b[i] // want race(a)
			}
		})
	}
	g.Sync()
}
