package leaks

import (
	"os"
	"sync"
	"testing"
	"time"
)

func TestRace(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			n++ // want
		})
	}
	wg.Wait()
}

var block = make(chan bool)

func TestDeterminateLeaks(t *testing.T) {
	go func() {
		<-block // for ever
		os.Exit(0)
	}()
	time.Sleep(time.Millisecond)
}
