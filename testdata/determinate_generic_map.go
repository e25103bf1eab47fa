// A generic parallel map writes one element per goroutine.
package main

import (
	"fmt"
	"strings"
	"sync"
)

func parallelMap[T, U any](in []T, f func(T) U) []U {
	var wg sync.WaitGroup
	out := make([]U, len(in))
	for i, v := range in {
		wg.Go(func() { out[i] = f(v) })
	}
	wg.Wait()
	return out
}

func main() {
	words := []string{"a", "bb", "ccc"}
	fmt.Println(parallelMap(words, strings.ToUpper))
	fmt.Println(parallelMap(words, func(s string) int { return len(s) }))
}
