// Two functions of one errgroup assign the same error variable.
package main

import (
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

func main() {
	var g errgroup.Group
	var err error
	g.Go(func() error {
		err = errors.New("first") // want race(err: write)
		return nil
	})
	g.Go(func() error {
		err = errors.New("second") // want race(err: write)
		return nil
	})
	if g.Wait() == nil {
		fmt.Println(err)
	}
}
