//go:build detrace_parallel && !detrace_futures

package task

const futures = false
