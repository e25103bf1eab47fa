package task

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
)

// A PanicError is a panic in a task, as it reaches the task's join: the join
// panics with it. It is not changed once made, and may be shared.
type PanicError struct {
	// Value is what the task panicked with.
	Value any
	// Stack is the stack of the task where it panicked, formatted as a crash of
	// the program would print it.
	Stack []byte
}

// Error is the value and the stack.
func (p *PanicError) Error() string {
	return fmt.Sprintf("panic in a task: %v\n\n%s", p.Value, p.Stack)
}

// Unwrap is the panic value if that is an error, else nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// goexited stands for a task that ended by runtime.Goexit.
var goexited = new(PanicError)

// raise does at the join what the task did. It does nothing to nil.
func (p *PanicError) raise() {
	if p == nil {
		return
	}
	if p == goexited {
		runtime.Goexit()
	}
	panic(p)
}

// guard calls f, then ended with what kept f from returning, nil if it did. After
// runtime.Goexit guard does not return, but ended is called.
func guard(f func(), ended func(*PanicError)) {
	returned := false
	defer func() {
		var failure *PanicError
		if !returned {
			failure = caught(recover())
		}
		ended(failure)
	}()
	f()
	returned = true
}

// caught makes a PanicError of what recover returned in a function that did not
// return. What comes from a join keeps the stack it has.
func caught(value any) *PanicError {
	if value == nil {
		return goexited
	}
	if p, ok := value.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: value, Stack: panicStack()}
}

// panicStack is the stack of the running task down to the call of panic.
func panicStack() []byte {
	stack := debug.Stack()
	header, frames, _ := bytes.Cut(stack, []byte("\n"))
	if i := bytes.Index(frames, []byte("\npanic(")); i >= 0 {
		return bytes.Join([][]byte{header, frames[i+1:]}, []byte("\n"))
	}
	return stack
}
