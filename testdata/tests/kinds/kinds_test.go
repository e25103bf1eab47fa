// Package kinds has the same race in all that package testing runs.
package kinds

import (
	"fmt"
	"sync"
	"testing"
)

// both increments n in two goroutines.
func both(n *int) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			*n++ // want
		})
	}
	wg.Wait()
}

// one does it in one.
func one(n *int) {
	var wg sync.WaitGroup
	wg.Go(func() { *n++ })
	wg.Wait()
}

func TestRace(t *testing.T) { both(new(int)) }

func TestDeterminate(t *testing.T) { one(new(int)) }

func TestDeterminateSkipped(t *testing.T) { t.Skip() }

func TestRaceSub(t *testing.T) {
	t.Run("determinate", func(t *testing.T) { one(new(int)) })
	t.Run("race", func(t *testing.T) { both(new(int)) })
}

func TestNotcertified(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			mu.Unlock()
		})
	}
	wg.Wait()
}

func FuzzRace(f *testing.F) {
	f.Add(false)
	f.Add(true)
	f.Fuzz(func(t *testing.T, racy bool) {
		if racy {
			both(new(int))
		} else {
			one(new(int))
		}
	})
}

func ExampleRace() {
	both(new(int))
	fmt.Println("done")
	// Output: done
}

func ExampleDeterminate() {
	one(new(int))
	fmt.Println("done")
	// Output: done
}

// The main goroutine goes from one example to the next.
func ExampleRaceMain() {
	n := 0
	done := make(chan bool)
	go func() {
		n++ // want
		close(done)
	}()
	n++ // want
	<-done
	fmt.Println("done")
	// Output: done
}

var total int

func BenchmarkRaceParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			total++ // want
		}
	})
}

func BenchmarkDeterminateParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		n := 0
		for pb.Next() {
			n++
		}
	})
}
