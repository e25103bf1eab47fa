// Tasks by row, then tasks by column.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	grid := make([][]int, 6)
	for i := range grid {
		grid[i] = make([]int, 6)
	}
	for i := range grid {
		wg.Go(func() {
			for j := range grid[i] {
				grid[i][j] = i * j
			}
		})
	}
	wg.Wait()
	sums := make([]int, 6)
	for j := range sums {
		wg.Go(func() {
			for i := range grid {
				sums[j] += grid[i][j]
			}
		})
	}
	wg.Wait()
	fmt.Println(sums)
}
