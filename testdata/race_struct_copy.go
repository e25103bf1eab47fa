// Copying a struct reads all its fields.
package main

import "sync"

type record struct {
	id    int
	name  string
	score [6]float64
}

func main() {
	var wg sync.WaitGroup
	r := &record{id: 1}
	wg.Go(func() {
		r.score[5] = 1 // want race(score: write)
	})
	c := *r // want race(score: read)
	use(&c)
	wg.Wait()
}

//go:noinline
func use(*record) {}
