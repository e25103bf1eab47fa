// Two goroutines log to memory: the logger's lock keeps the lines apart, their order is the
// schedule's.
package main

import (
	"bytes"
	"fmt"
	"log"
	"log/slog"
	"sync"
)

func main() {
	var old, structured bytes.Buffer
	first := log.New(&old, "", 0)
	second := slog.New(slog.NewJSONHandler(&structured, nil))
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			first.Println(i)           // want reason(io-order)
			second.Info("n", "one", i) // want reason(io-order)
		})
	}
	wg.Wait()
	fmt.Println(old.Len(), structured.Len() > 0)
}
