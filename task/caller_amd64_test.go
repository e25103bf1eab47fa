package task

import (
	"runtime"
	"testing"
)

// TestCallersCaller compares what is read from frames with what the runtime says,
// however the function is called.
func TestCallersCaller(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("frames are read on amd64 only")
	}
	if !framesAreAsExpected {
		t.Fatal("frames are not what they were, and each set of a promise walks the stack")
	}
	var deep func(n int) (quick, known uintptr)
	deep = func(n int) (quick, known uintptr) {
		if n == 0 {
			return callersBothWays()
		}
		return deep(n - 1)
	}
	for name, call := range map[string]func() (quick, known uintptr){
		"direct":  callersBothWays,
		"closure": func() (uintptr, uintptr) { return callersBothWays() },
		"deep":    func() (uintptr, uintptr) { return deep(10_000) }, // the stack has moved
		"deferred": func() (quick, known uintptr) {
			defer func() { quick, known = callersBothWays() }()
			return 0, 0
		},
		"panicking": func() (quick, known uintptr) {
			defer func() {
				_ = recover()
				quick, known = callersBothWays()
			}()
			panic("on purpose")
		},
		"goroutine": func() (quick, known uintptr) {
			done := make(chan struct{})
			go func() {
				quick, known = callersBothWays()
				close(done)
			}()
			<-done
			return quick, known
		},
	} {
		if quick, known := call(); quick == 0 || quick != known {
			t.Errorf("%s: a frame says %#x, the runtime %#x", name, quick, known)
		}
	}
}
