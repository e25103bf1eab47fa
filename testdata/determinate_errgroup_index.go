// Every function of the group writes its own element.
package main

import (
	"fmt"

	"golang.org/x/sync/errgroup"
)

func main() {
	var g errgroup.Group
	out := make([]string, 5)
	for i := range out {
		g.Go(func() error {
			out[i] = fmt.Sprint("task ", i)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		panic(err)
	}
	fmt.Println(out)
}
