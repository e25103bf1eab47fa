// Package invariants is the one place where a broken invariant of detrace
// becomes a panic. It has two homes, like internal/offheap.
package invariants

// Assert panics with msg when ok is false: a bug in detrace, never in the
// judged program. Costly conditions belong behind [Enabled].
func Assert(ok bool, msg string) {
	if !ok {
		panic(msg)
	}
}
