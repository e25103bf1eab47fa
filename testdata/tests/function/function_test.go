// Package function demands of functions that they are determinate.
package function

import (
	"sync"
	"testing"
	"time"

	"github.com/detrace/detrace/detracetest"
)

func sum(shared bool) int {
	n, m := 0, 0
	var wg sync.WaitGroup
	wg.Go(func() {
		n++ // want
	})
	wg.Go(func() {
		if shared {
			n++ // want
		} else {
			m++
		}
	})
	wg.Wait()
	return n + m
}

func TestDeterminate(t *testing.T) {
	detracetest.Determinate(t, func() { sum(false) })
}

func TestRace(t *testing.T) {
	detracetest.Determinate(t, func() { sum(true) })
	t.Log("goes on")
}

// A race outside of the function is not the function's.
func TestRaceElsewhere(t *testing.T) {
	sum(true)
	detracetest.Determinate(t, func() { sum(false) })
}

// One with an earlier part of the test is, if it is found before the function returns.
func TestRaceEarlier(t *testing.T) {
	n := 0
	done := make(chan bool)
	go func() {
		n++ // want
		close(done)
	}()
	time.Sleep(100 * time.Millisecond) // for the goroutine to come first
	detracetest.Determinate(t, func() {
		n++ // want
	})
	<-done
}

// Subtests that run beside it have races of their own.
func TestRaceBeside(t *testing.T) {
	t.Run("race", func(t *testing.T) {
		t.Parallel()
		sum(true)
	})
	t.Run("determinate", func(t *testing.T) {
		t.Parallel()
		detracetest.Determinate(t, func() { sum(false) })
	})
}

func TestNotcertified(t *testing.T) {
	var mu sync.Mutex
	detracetest.Determinate(t, func() {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				mu.Lock()
				mu.Unlock()
			})
		}
		wg.Wait()
	})
}

func TestRacePanics(t *testing.T) {
	defer func() {
		recover()
		if t.Failed() != detracetest.Enabled {
			t.Error("a function that panics is not told of")
		}
	}()
	detracetest.Determinate(t, func() {
		sum(true)
		panic("on purpose")
	})
}

// Nobody waits for the goroutine, which mostly has not begun when the function returns.
func TestRaceLeftBehind(t *testing.T) {
	n := new(int)
	detracetest.Determinate(t, func() {
		go func() {
			*n++ // want
		}()
		*n++ // want
	})
}

// It sleeps when the function returns: what it would do is not judged.
func TestNotcertifiedLeftBehind(t *testing.T) {
	n := new(int)
	detracetest.Determinate(t, func() {
		go func() {
			time.Sleep(time.Hour)
			*n++
		}()
		*n++
	})
}
