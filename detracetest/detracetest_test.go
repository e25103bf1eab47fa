package detracetest_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/detrace/detrace/detracetest"
)

// Without detrace the function is called, once, and its panic passes.
func TestPlain(t *testing.T) {
	if detracetest.Enabled {
		t.Skip("this program was built by detrace")
	}
	calls := 0
	detracetest.Determinate(t, func() { calls++ })
	func() {
		defer func() {
			if recover() != "on purpose" {
				t.Error("the panic is gone")
			}
		}()
		detracetest.Determinate(t, func() { panic("on purpose") })
	}()
	if calls != 1 || t.Failed() {
		t.Errorf("%d calls, failed %t", calls, t.Failed())
	}
}

func ExampleDeterminate() {
	t := new(testing.T) // that of the test
	squares := make([]int, 4)
	detracetest.Determinate(t, func() {
		var wg sync.WaitGroup
		for i := range squares {
			wg.Go(func() { squares[i] = i * i })
		}
		wg.Wait()
	})
	fmt.Println(squares)
	// Output: [0 1 4 9]
}
