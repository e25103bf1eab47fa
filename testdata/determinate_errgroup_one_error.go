// Only one function can fail, so it does not matter who is first.
package main

import (
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

func main() {
	var g errgroup.Group
	for i := range 4 {
		g.Go(func() error {
			if i == 2 {
				return errors.New("task 2 failed")
			}
			return nil
		})
	}
	fmt.Println(g.Wait())
}
