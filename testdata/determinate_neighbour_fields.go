// Neighbouring fields, embedded and of one byte, are different variables.
package main

import (
	"fmt"
	"sync"
)

type flags struct{ a, b, c, d bool }

type document struct {
	flags
	x, y int32
	name string
	size int
}

func main() {
	var wg sync.WaitGroup
	var d document
	wg.Go(func() { d.a = true })
	wg.Go(func() { d.b = true })
	wg.Go(func() { d.c = true })
	wg.Go(func() { d.flags.d = true })
	wg.Go(func() { d.x = 1 })
	wg.Go(func() { d.y = 2 })
	wg.Go(func() { d.name = "n" })
	wg.Go(func() { d.size = 3 })
	wg.Wait()
	fmt.Println(d)
}
