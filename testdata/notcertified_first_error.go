// Two goroutines fail: Wait returns the error of whoever comes first.
//
// want reason(first-caller)
package main

import (
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

func main() {
	var g errgroup.Group
	for i := range 2 {
		g.Go(func() error { return errors.New(fmt.Sprint("error ", i)) })
	}
	fmt.Println(g.Wait() != nil)
}
