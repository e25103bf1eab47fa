//go:build detrace_parallel && !detrace_others

package task

const others = false
