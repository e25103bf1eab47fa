// Bigmap fills a map with a million entries and reads all of them.
package main

import (
	"fmt"
	"os"
)

const n = 1_000_000

func main() {
	m := map[int]int{}
	for i := range n {
		m[i*7] = i
	}
	sum := 0
	for k, v := range m {
		sum += k - 6*v
	}
	if len(m) != n || sum != n*(n-1)/2 {
		fmt.Println("wrong:", len(m), sum)
		os.Exit(1)
	}
	fmt.Println(len(m), sum)
}
