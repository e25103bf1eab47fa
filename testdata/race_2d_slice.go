// Tasks by row, but each also writes the first element of the next row.
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	grid := make([][]int, 5)
	for i := range grid {
		grid[i] = make([]int, 4)
	}
	for i := range len(grid) - 1 {
		wg.Go(func() {
			for j := range grid[i] {
				grid[i][j] = j // want race(grid: write)
			}
			grid[i+1][0] = i // want race(grid: write)
		})
	}
	wg.Wait()
}
