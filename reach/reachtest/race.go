//go:build race

package reachtest

// Race is true in builds with Go's race detector: programs run some ten times
// slower, and it is for concurrent tests.
const Race = true
