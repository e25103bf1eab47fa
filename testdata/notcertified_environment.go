// The environment is set and looked at in no order.
package main

import (
	"fmt"
	"os"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	set := false
	wg.Go(func() {
		os.Setenv("DETERMINATE", "yes") // want reason(lock-order)
	})
	wg.Go(func() {
		set = os.Getenv("DETERMINATE") != "" // want reason(lock-order)
	})
	wg.Wait()
	fmt.Println(set || true)
}
