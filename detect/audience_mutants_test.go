package detect

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestAudienceMutants shows that the tests notice what is wrong about bytes with audiences.
func TestAudienceMutants(t *testing.T) {
	mutants.Run(t, "^(TestSeatsOfFreedReaders|TestCountsOfRanges)$", []mutants.Mutant{
		{Name: "seats survive a collection", File: "proc.go",
			Old: "	p.seats = [seatsSize]seat{}\n", New: ""},
		{Name: "a seat is anybody's", File: "proc.go",
			Old: "s.at == at && s.strand == u &&", New: "s.at == at &&"},
		{Name: "what is counted of a byte is that of the next", File: "query.go",
			Old: "q.addr, q.counts, q.handed, q.told = addr, 0, 0, false", New: "q.addr = addr"},
	})
}
