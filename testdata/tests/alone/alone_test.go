// While a test has no goroutine beside it, what it releases begins nothing new; from its go
// statement on, and beside what another test has left, it does again.
package alone

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// busy releases and acquires, with a printer of package fmt.
func busy(x *int) {
	for range 100 {
		*x++
		fmt.Sprint(*x)
	}
}

// send lets a goroutine read x after a message, which is sent before or after x is written.
func send(x *int, late bool) {
	busy(x)
	messages, done := make(chan int, 1), make(chan int)
	go func() {
		<-messages
		_ = *x // want
		done <- 0
	}()
	if late {
		messages <- 1
	}
	*x = 1 // want
	if !late {
		messages <- 1
	}
	<-done
	busy(x)
}

func TestRaceSent(t *testing.T) { send(new(int), true) }

func TestDeterminateSent(t *testing.T) { send(new(int), false) }

func TestRaceInner(t *testing.T) {
	busy(new(int))
	t.Run("inner", func(t *testing.T) { send(new(int), true) })
	busy(new(int))
}

// Only who was first to the lock orders the two, and the second access inside of it excuses none
// outside.
func TestNotCertifiedEnded(t *testing.T) {
	var mu sync.Mutex
	x := 0
	go func() {
		mu.Lock()
		x = 1
		mu.Unlock()
	}()
	time.Sleep(10 * time.Millisecond)
	mu.Lock()
	_ = x
	mu.Unlock()
	busy(new(int))
	_ = x
}

var left int

// What it leaves behind is beside the next test, though that is alone by then.
func TestRaceLeaves(t *testing.T) {
	go func() { left = 1 }() // want
}

func TestRaceBeside(t *testing.T) {
	busy(new(int))
	left = 2 // want
	busy(new(int))
}
