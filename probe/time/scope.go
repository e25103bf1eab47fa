//go:build judged

// This is a new file of package time: what a timer does belongs to who made the timer, and
// to its test, though the goroutine that does it is started by nobody's.
package time

import _ "unsafe" // for linkname

// detraceOrigin is the scope of the calling goroutine, 0 for none, and its call stack, 0
// where nothing is seen.
//
//go:linkname detraceOrigin runtime.detraceOrigin
func detraceOrigin() (scope, stack uint32)

// detraceFrom makes the calling goroutine one that was started at an origin.
//
//go:linkname detraceFrom runtime.detraceFrom
func detraceFrom(scope, stack uint32)

// detraceSet is f as the timer runs it that the caller of the caller sets.
func detraceSet(f func()) func() {
	scope, stack := detraceOrigin()
	if f == nil || scope|stack == 0 {
		return f
	}
	return func() {
		detraceFrom(scope, stack)
		f()
	}
}
