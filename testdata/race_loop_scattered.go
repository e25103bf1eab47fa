// Prices are looked up by what each order names, and one of those changes meanwhile.
package main

import (
	"fmt"
	"sync"
)

func total(prices, orders []int) (sum int) {
	for i := range orders {
		sum += orders[i] *
			prices[orders[i]] // want race(prices: read)
	}
	return sum
}

func main() {
	prices, orders := make([]int, 100), make([]int, 90)
	for i := range orders {
		orders[i] = i * 7 % 50
	}
	var wg sync.WaitGroup
	sum := 0
	wg.Go(func() { sum = total(prices[50:], orders) })
	wg.Go(func() {
		prices[49] = 3 // of which there are none
		prices[99] = 3 // want race(prices: write)
	})
	wg.Wait()
	fmt.Println(sum)
}
