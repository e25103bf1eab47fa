// Package outlive has a goroutine that races when its test is over.
package outlive

import (
	"runtime"
	"testing"
	"time"
)

var late = make(chan bool)

func TestRaceOutlives(t *testing.T) {
	n := new(int)
	go func() {
		time.Sleep(500 * time.Millisecond)
		*n++ // want
		close(late)
	}()
	*n++ // want
}

func TestRaceTimer(t *testing.T) {
	n := new(int)
	time.AfterFunc(10*time.Millisecond, func() {
		*n++ // want
	})
	*n++ // want
}

type large [64]int

// It starts the goroutine of all finalizers.
func TestDeterminateFinalizer(t *testing.T) {
	runtime.SetFinalizer(new(large), func(*large) {})
	runtime.GC()
	time.Sleep(10 * time.Millisecond)
}

func TestRaceFinalizer(t *testing.T) {
	n := new(int)
	runtime.SetFinalizer(new(large), func(*large) {
		*n++ // want
	})
	runtime.GC()
	time.Sleep(50 * time.Millisecond)
	*n++ // want
}

func TestDeterminateInnocent(t *testing.T) {
	time.Sleep(time.Millisecond)
}

func TestDeterminateWaits(t *testing.T) {
	<-late
}

// The goroutine outlives all tests, so that what it would do is not judged.
func TestNotcertifiedAsleep(t *testing.T) {
	n := new(int)
	go func() {
		time.Sleep(time.Hour)
		*n++
	}()
	*n++
}
