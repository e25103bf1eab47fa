//go:build detrace_parallel && detrace_others

package task

// others says that something else in the program makes goroutines or has them wait for each
// other; detrace looks at its source.
const others = true
