// Additions of which nobody uses the result commute; who reads the sum waits for all.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var (
		wg   sync.WaitGroup
		sum  atomic.Int64
		bits uint32
	)
	for i := range 8 {
		wg.Go(func() {
			sum.Add(int64(i))
			atomic.OrUint32(&bits, 1<<i)
		})
	}
	wg.Wait()
	fmt.Println(sum.Load(), bits)
}
