// Half of a table is filled by a rule that reads the row above in odd columns, and the
// column on the left beside each row; other tasks write an element of each.
package main

import "sync"

const n, w = 16, 17

func fill(table []int, even []bool, from int) {
	for i := from; i <= n; i++ {
		for j := 1; j <= n; j++ {
			if even[j] {
				table[i*w+j] = table[(i-1)*w+j-1] + 1
			} else {
				table[i*w+j] = max(table[(i-1)*w+j], table[i*w+j-1]) // want race(above: read) race(left: read)
			}
		}
	}
}

func main() {
	table, even := make([]int, w*w), make([]bool, w)
	for j := range even {
		even[j] = j%2 == 0
	}
	var wg sync.WaitGroup
	wg.Go(func() { fill(table, even, 9) })
	wg.Go(func() {
		table[8*w+15] = 1 // want race(above: write)
	})
	wg.Go(func() {
		table[n*w] = 1 // want race(left: write)
	})
	wg.Wait()
}
