// Two goroutines hammer one map until the map notices. It may never notice on
// one processor, so the hammering has an end.
//
// exit 0 or 2
package main

import "sync"

func main() {
	var wg sync.WaitGroup
	m := map[int]int{}
	for i := range 2 {
		wg.Go(func() {
			for j := range 20000 {
				m[j&7] = i // want race(m: write)
			}
		})
	}
	wg.Wait()
}
