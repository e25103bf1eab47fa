package instrument

// Error is why a program was not built: the one kind of error this package
// returns for something the user can act on.
type Error struct {
	// Reason is one line: what failed, where, what to do.
	Reason string
	// Output is what the go command said, verbatim and with its final newline,
	// or empty. Print it before the reason.
	Output string
	// Err is the cause, or nil.
	Err error
}

func (e *Error) Error() string { return e.Reason }

func (e *Error) Unwrap() error { return e.Err }
