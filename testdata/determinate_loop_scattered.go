// Letters are counted by a table, as far as there are any: the loop stops half-way. What it
// does not come to changes meanwhile.
package main

import (
	"fmt"
	"sync"
)

func weigh(letters []byte, weights []int) (sum int) {
	for i := range letters {
		sum += weights[letters[i]]
	}
	return sum
}

func try(letters []byte, weights []int) (sum int, problem any) {
	defer func() { problem = recover() }()
	return weigh(letters, weights), nil
}

func main() {
	letters, weights := make([]byte, 200), make([]int, 64)
	for i := range letters {
		letters[i] = byte(i % 40)
	}
	letters[150] = 90 // not in the table
	var wg sync.WaitGroup
	wg.Go(func() { fmt.Println(try(letters, weights[:60])) })
	wg.Go(func() {
		for i := 40; i < 64; i++ {
			weights[i] = i
		}
		letters[199]++
	})
	wg.Wait()
}
