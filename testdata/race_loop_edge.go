// Two tasks fill halves of a table row by row; one goes a row too far.
package main

import "sync"

func main() {
	const rows, width = 40, 25
	table := make([]float64, rows*width)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i <= rows/2; i++ {
			for j := range width {
				table[i*width+j] = float64(i) // want race(table: write)
			}
		}
	})
	wg.Go(func() {
		for i := rows / 2; i < rows; i++ {
			for j := range width {
				table[i*width+j] += 1 // want race(table: write)
			}
		}
	})
	wg.Wait()
}
