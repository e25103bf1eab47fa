// The functions of the group append to one slice.
package main

import (
	"fmt"

	"golang.org/x/sync/errgroup"
)

func main() {
	var g errgroup.Group
	var out []int
	for i := range 5 {
		g.Go(func() error {
			out = append(out, i) // want race(out)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		panic(err)
	}
	fmt.Println(len(out) <= 5)
}
