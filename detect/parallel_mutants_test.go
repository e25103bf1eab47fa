package detect

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestParallelMutants shows that the tests of parallel runs notice what a schedule seldom
// shows.
func TestParallelMutants(t *testing.T) {
	mutants.Run(t, "^(TestParallelRuns|TestAdoptedTask|TestLuckBesideARun)$", []mutants.Mutant{
		{Name: "constructs take no lock", File: "parallel.go",
			Old: "	if p.on && !p.lock.TryLock() {\n		offheap.Add64(&p.queued, 1)\n		p.lock.Lock()\n	}\n", New: ""},
		{Name: "the engine goes on beside an adopted task", File: "parallel.go",
			Old: "s.giveUp(reach.Refusal{Why: \"a goroutine that package task did not start uses its constructs\"})", New: "_ = s.giveUp"},
		{Name: "what a lock orders is certain beside a run", File: "edges.go",
			Old: "from != 0 && to != 0 ||", New: "from|to|1 != 0 && d.serial.answers() ||"},
		{Name: "an adopted task goes back", File: "parallel.go",
			Old: "s.run.Adopt(uint32(max(at, 0)))", New: "s.run.Adopt(uint32(at - at))"},
	})
}
