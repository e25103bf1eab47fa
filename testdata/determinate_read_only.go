// Everything shared was written before the goroutines were started.
package main

import (
	"fmt"
	"strings"
	"sync"
)

func main() {
	text := strings.Repeat("the quick brown fox ", 20)
	words := strings.Fields(text)
	var wg sync.WaitGroup
	var lengths [4]int
	for w := range lengths {
		wg.Go(func() {
			for i := w; i < len(words); i += len(lengths) {
				lengths[w] += len(words[i])
			}
		})
	}
	wg.Wait()
	fmt.Println(lengths)
}
