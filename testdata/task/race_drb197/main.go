// Diffusion between two views of one slice that overlap by two elements.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n = 20
	b := make([]float64, 2*n-2)
	u := [2][]float64{b[:n], b[n-2:]}
	for t := range 4 {
		from, to := u[t%2], u[(t+1)%2]
		var g task.Group
		for k := range n - 2 {
			g.Spawn(func() {
				i := k + 1
				to[i] = from[i] + 0.1*(from[i-1]+from[i+1]-2*from[i]) // want race(b)
			})
		}
		g.Sync()
	}
}
