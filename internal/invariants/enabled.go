//go:build invariants

package invariants

// Enabled is true in builds with the tag "invariants": expensive checks run.
const Enabled = true
