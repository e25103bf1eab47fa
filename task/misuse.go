package task

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

// A MisuseError is the use of a construct against its rules. It is what the
// offending call panics with.
type MisuseError struct {
	// Misuse says what was done.
	Misuse string
	// At is the place of the offending call, file:line.
	At string
	// Other is the place that it contradicts, file:line: of the first set, the
	// body of the Finish, the function of the Line's task. It is empty where
	// there is none.
	Other string
}

// Error names both places.
func (m *MisuseError) Error() string { return "task: " + m.Misuse }

// misuse makes the error of the call that is being made from outside this
// package. If there is no other place, reason is all there is to say; else it ends
// in the word before that place.
func misuse(call, reason, other string) *MisuseError {
	at := here()
	text := call + " at " + at + ": " + reason
	if other != "" {
		text += " " + other
	}
	return &MisuseError{Misuse: text, At: at, Other: other}
}

// here is the innermost place of the running task outside this package.
func here() string {
	pcs := make([]uintptr, 32)
	return place(pcs[:runtime.Callers(2, pcs)]...)
}

// place is the innermost of the frames that is not in this package.
func place(pcs ...uintptr) string {
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.File != "" && !strings.HasPrefix(f.Function, ownFunctions) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// ownFunctions is what the names of this package's functions begin with.
var ownFunctions = reflect.TypeFor[Scope]().PkgPath() + "."

// A codePointer is the entry of a function: a place that costs nothing to keep.
type codePointer uintptr

// codeOf is for functions only.
func codeOf(f any) codePointer { return codePointer(reflect.ValueOf(f).Pointer()) }

func (c codePointer) place() string {
	f := runtime.FuncForPC(uintptr(c))
	if f == nil {
		return "an unknown place"
	}
	file, line := f.FileLine(uintptr(c))
	return fmt.Sprintf("%s:%d", file, line)
}
