// No race, but the program itself fails.
//
// exit 5
package main

import (
	"fmt"
	"os"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x = 5 })
	wg.Wait()
	fmt.Println(x)
	os.Exit(x)
}
