//go:build detrace_parallel && detrace_futures

package task

// futures says that the program may create some; detrace looks at its source.
const futures = true
