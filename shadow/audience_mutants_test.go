package shadow

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestAudienceMutants shows that the tests of audiences notice what is easily got wrong.
func TestAudienceMutants(t *testing.T) {
	mutants.Run(t, "^Test(AudiencesAreLists|ConcurrentAudience|AudienceIsFull|ContextOfWhoJoins)$", []mutants.Mutant{
		{Name: "an ordered reader does not matter", File: "audience.go",
			Old: "if s.order.Precedes(u) {", New: "if false {"},
		{Name: "a write that races does not matter", File: "audience.go",
			Old: "before != r.access().Op.Writes() || ", New: "before && !r.access().Op.Writes() || "},
		{Name: "an ordered read in the list does not matter", File: "audience.go",
			Old: "before != r.access().Op.Writes() || ", New: "!before && r.access().Op.Writes() || "},
		{Name: "a list has nothing of the strand itself", File: "audience.go",
			Old: "if s.history.states.repeats(list, s.access, ownSearch) {", New: "if false {"},
		{Name: "of audiences behind one another the last is looked at", File: "audience.go",
			Old: "switch s.beside(t.audience(rest).readers[i], m) {", New: "switch role(i | 64) {"},
		{Name: "an audience is not closed", File: "audience.go",
			Old: "	behind[0].close()\n", New: ""},
		{Name: "of the readers the last is lost", File: "audience.go",
			Old: "if r == closed {\n				break", New: "if r == closed || i == len(behind[n].readers)-1 {\n				break"},
		{Name: "readers are not marked", File: "audience.go",
			Old: "			r.mark = t.mark\n", New: ""},
		{Name: "the context of who joins is not remembered", File: "history.go",
			Old: "		if s.joined {\n			c.remember(", New: "		if false {\n			c.remember("},
	})
}
