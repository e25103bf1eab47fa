package invariants_test

import (
	"testing"

	"github.com/detrace/detrace/internal/invariants"
)

func TestAssert(t *testing.T) {
	invariants.Assert(true, "nothing is wrong")
	defer func() {
		if got := recover(); got != "broken" {
			t.Errorf("panic with %v, want the message", got)
		}
	}()
	invariants.Assert(false, "broken")
}
