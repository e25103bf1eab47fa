package task

import "runtime"

// callersCaller is where the function that calls it returns to, a program counter, for a
// tenth of what a walk of the stack costs. Only functions that are not inlined may call
// it, and only if framesAreAsExpected.
func callersCaller() uintptr

// framesAreAsExpected is whether callersCaller can be trusted: the layout of frames is
// the compiler's own affair.
var framesAreAsExpected = func() bool {
	quick, known := callersBothWays()
	return quick == known
}()

//go:noinline
func callersBothWays() (quick, known uintptr) {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	return callersCaller(), pc[0]
}
