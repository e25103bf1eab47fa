package projection

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestMutants shows that the tests notice a wrong schedule and a cost in the wrong strand.
func TestMutants(t *testing.T) {
	mutants.Run(t, "^(TestDags|TestBounds|TestRead|TestClock)$", []mutants.Mutant{
		{Name: "everybody has the lock", File: "dag.go", Old: "	r.lock = max(r.lock, r.now) + d", New: "	r.lock = r.now + d"},
		{Name: "there are as many processors as strands", File: "dag.go", Old: "			r.free--\n", New: ""},
		{Name: "a strand begins with the first it waits for", File: "dag.go", Old: "if r.left[m] == 0 {", New: "if r.left[m] >= 0 {"},
		{Name: "the span forgets what comes first", File: "dag.go", Old: "ends[n] = max(ends[n], ends[i])", New: "ends[n] = max(ends[n], s.work())"},
		{Name: "waking up comes before the join", File: "costs.go", Old: "	if waited {\n", New: "	if waited && false {\n"},
		{Name: "a join holds the lock before it", File: "costs.go", Old: "after.first += locked", New: "before.last += locked"},
		{Name: "reading the clock is work", File: "costs.go", Old: "-int64(r.clock), 0)", New: ", 0)"},
		{Name: "the end of the process costs nothing", File: "costs.go", Old: "rest > 0 {", New: "rest < 0 {"},
	})
}
