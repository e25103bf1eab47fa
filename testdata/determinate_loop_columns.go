// Tasks by column, each in steps of a row, with the bytes of other columns between.
package main

import (
	"fmt"
	"sync"
)

func main() {
	const width = 7
	table := make([]byte, 50*width)
	var wg sync.WaitGroup
	for c := range width {
		wg.Go(func() {
			for i := range 50 {
				table[i*width+c] = byte(c)
			}
			for i := 49 * width; i >= 0; i -= width {
				table[i+c]++
			}
		})
	}
	wg.Wait()
	sum := 0
	for i := range table {
		sum += int(table[i])
	}
	fmt.Println(sum)
}
