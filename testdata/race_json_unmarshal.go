// The target of Unmarshal is read too early.
package main

import (
	"encoding/json"
	"sync"
)

type config struct{ Limit int }

func main() {
	var wg sync.WaitGroup
	c := &config{}
	wg.Go(func() {
		if err := json.Unmarshal([]byte(`{"Limit": 3}`), c); err != nil { // want race(limit: write)
			panic(err)
		}
	})
	use(c.Limit) // want race(limit: read)
	wg.Wait()
}

//go:noinline
func use(int) {}
