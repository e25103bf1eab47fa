// A field set by reflection.
package main

import (
	"reflect"
	"sync"
)

type config struct{ Limit int }

func main() {
	var wg sync.WaitGroup
	c := &config{}
	wg.Go(func() {
		reflect.ValueOf(c).Elem().Field(0).SetInt(1) // want race(limit: write)
	})
	use(c.Limit) // want race(limit: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
