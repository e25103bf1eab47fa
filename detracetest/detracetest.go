// Package detracetest lets a test demand that a function is determinate.
//
//	func TestSum(t *testing.T) {
//		detracetest.Determinate(t, func() { Sum(numbers) })
//	}
//
// Under plain go test the function is called, and nothing else happens. In a test
// binary that detrace built, the test fails if any schedule of the function can race
// on its input, and the log has both sides of each pair.
package detracetest

// TB is what of a *testing.T, *testing.B or *testing.F Determinate needs.
type TB interface {
	Helper()
	Name() string
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// Determinate calls f. Under detrace it then fails t once for each pair of call stacks
// that race, of which one at least is f's or that of a goroutine that f started,
// directly or not, as far as it was found when f has returned and the goroutines that it
// left behind have ended or wait: those may go on for a second, so f should wait for its
// goroutines. A race between f and an earlier part of the test counts too. What keeps f from
// being certified without a race, such as the order of locks, is logged.
//
// Calls may be nested; a race belongs to the innermost. If f panics or ends the test
// by t.FailNow, what was found is told all the same. The message has the stacks as the
// program knows them; the report of detrace test names variables and the missing join.
//
// Cost without detrace: that of the call.
func Determinate(t TB, f func()) {
	t.Helper()
	determinate(t, f)
}
