// A level and flags are set beside those who log: the schedule decides what they write.
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
	var level slog.LevelVar
	first := log.New(&old, "", 0)
	second := slog.New(slog.NewTextHandler(&structured, &slog.HandlerOptions{Level: &level}))
	var wg sync.WaitGroup
	wg.Go(func() {
		first.Println("one")  // want reason(io-order)
		second.Debug("other") // want reason(atomic)
	})
	first.SetFlags(log.Lmsgprefix) // want reason(io-order)
	level.Set(slog.LevelDebug)     // want reason(atomic)
	wg.Wait()
	fmt.Println(old.Len() > 0)
}
