// Smith-Waterman: the cells of a diagonal are computed in parallel, and all of them
// look at where the maximum is and move it.
package main

import "github.com/detrace/detrace/task"

func main() {
	const n = 6
	s, t := "ACGTAC", "ACTTAG"
	var h [n + 1][n + 1]int
	best := 0
	for d := 2; d <= 2*n; d++ {
		var g task.Group
		for i := max(1, d-n); i <= min(n, d-1); i++ {
			g.Spawn(func() {
				j := d - i
				score := h[i-1][j-1] - 1
				if s[i-1] == t[j-1] {
					score += 3
				}
				h[i][j] = max(0, score, h[i-1][j]-1, h[i][j-1]-1)
				best = max(best, h[i][j]) // want race(best)
			})
		}
		g.Sync()
	}
	use(best)
}

//go:noinline
func use(int) {}
