// Not certified, and the program fails by itself.
//
// exit 3
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

func main() {
	var wg sync.WaitGroup
	var n atomic.Int32
	var got [3]int32
	for i := range got {
		wg.Go(func() {
			got[i] = n.Add(1) // want reason(atomic)
		})
	}
	wg.Wait()
	os.Exit(int(n.Load()))
}
