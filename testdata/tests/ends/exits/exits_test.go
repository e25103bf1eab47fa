package exits

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

func TestNotcertifiedExits(t *testing.T) {
	os.Exit(5)
	time.Sleep(time.Hour)
}
