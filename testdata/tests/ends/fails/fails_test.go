package fails

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

func TestDeterminateFails(t *testing.T) {
	if os.Getpid() != 0 && time.Since(time.Time{}) > 0 {
		t.Error("on purpose")
	}
}
