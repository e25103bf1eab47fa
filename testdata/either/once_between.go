// What is done once comes before all who ask for it, but not what the first of them had done
// before: another could have been the first.
package main

import (
	"fmt"
	"sync"
)

var (
	once  sync.Once
	table []int
)

func get() []int {
	once.Do(func() { table = []int{1, 2, 3} })
	return table
}

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() {
		x = 1 // want race(x)
		get()
	})
	wg.Go(func() {
		get()
		x = 2 // want race(x)
	})
	wg.Wait()
	fmt.Println(x > 0, get())
}
