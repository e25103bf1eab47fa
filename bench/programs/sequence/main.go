// Sequence starts goroutines one after the other, each joined before the next;
// their number is the argument.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	sum := 0
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { sum += i })
		wg.Wait()
	}
	if sum != n*(n-1)/2 {
		fmt.Println("wrong:", sum)
		os.Exit(1)
	}
	fmt.Println(sum)
}
