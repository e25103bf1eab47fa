package hangs

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

func TestNotcertifiedHangs(t *testing.T) {
	time.Sleep(time.Hour)
	os.Exit(0)
}
