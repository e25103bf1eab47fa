package panics

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

func TestNotcertifiedPanics(t *testing.T) {
	if time.Now().After(time.Time{}) {
		panic("on purpose")
	}
}

func TestNever(t *testing.T) { os.Exit(0) }
