// A promoted field is the field of the embedded struct.
package main

import "sync"

type base struct{ id, version int }

type document struct {
	base
	title string
}

func main() {
	var wg sync.WaitGroup
	d := &document{title: "t"}
	wg.Go(func() {
		d.version = 1 // want race(version: write)
	})
	d.base.version = 2 // want race(version: write)
	wg.Wait()
}
