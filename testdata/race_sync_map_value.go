// The map is safe for concurrent use, what its values point to is not.
package main

import "sync"

type session struct{ hits int }

func main() {
	var wg sync.WaitGroup
	var m sync.Map
	m.Store("id", &session{})
	for range 2 {
		wg.Go(func() {
			v, _ := m.Load("id")
			v.(*session).hits++ // want race(hits)
		})
	}
	wg.Wait()
}
