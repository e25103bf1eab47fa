// Many goroutines format; the printers come out of a pool.
package main

import (
	"fmt"
	"io"
	"sync"
)

type point struct{ X, Y int }

func (p point) String() string { return fmt.Sprintf("<%d %d>", p.X, p.Y) }

func main() {
	var wg sync.WaitGroup
	out := make([]string, 20)
	for i := range out {
		wg.Go(func() {
			fmt.Fprintln(io.Discard, i, point{i, i})
			out[i] = fmt.Sprintf("%v %+v %q", point{i, -i}, []int{i}, "s")
		})
	}
	wg.Wait()
	fmt.Println(out)
}
