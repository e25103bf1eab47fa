// Chunks of 64 iterations write every other element and read 64 further.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n, chunk = 1000, 64
	var a, b [2 * n]int
	var g task.Group
	for start := 0; start < n; start += chunk {
		g.Spawn(func() {
			for i := start; i < min(start+chunk, n); i++ {
				a[2*i] = a[i+64] + b[i] // want race(a)
			}
		})
	}
	g.Sync()
}
