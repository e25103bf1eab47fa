// Requests change a field of the configuration that they share.
package main

import "sync"

type config struct {
	name    string
	retries int
}

func handle(c *config, id int) {
	c.retries = id // want race(retries: write)
}

func main() {
	var wg sync.WaitGroup
	c := &config{name: "shared"}
	for id := range 3 {
		wg.Go(func() { handle(c, id) })
	}
	wg.Wait()
}
