package detect

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestAnswersMutants shows that the tests notice an answer that is not good any more.
func TestAnswersMutants(t *testing.T) {
	mutants.Run(t, "^(TestLuckAgainstVectorClocks|TestAgainstVectorClocks)$", []mutants.Mutant{
		{Name: "answers are good for ever", File: "answers.go",
			Old: "	case a.knows != knows:\n", New: "	case false:\n"},
		{Name: "yes is good for the next strand too", File: "answers.go",
			Old: "return i < a.yes, i < a.yes ||", New: "return i <= a.yes, i <= a.yes ||"},
		{Name: "no is good for the strand before too", File: "answers.go",
			Old: "i >= a.no-1\n", New: "i >= a.no-1 || i+2 == a.no\n"},
		{Name: "both orders have one answer", File: "answers.go",
			Old: "&p.answers[1]", New: "&p.answers[0]"},
		{Name: "certain edges teach nothing certain", File: "answers.go",
			Old: "learned{i, i}", New: "learned{all: i}"},
		{Name: "only news of all edges counts", File: "objects.go",
			Old: "d.learnsIf(t, d.Engine.Strand(t) != d.Local(t).Strand)", New: "d.learnsIf(t, news)"},
		{Name: "an exchange teaches nothing by certain edges alone", File: "objects.go",
			Old: "news || d.Engine.IsSplit()", New: "news"},
		{Name: "an observed acquire teaches nothing", File: "edges.go",
			Old: "d.Engine.AcquireObserved(t, d.object(addr)); ok {\n		d.learnsObserved(t, news)\n", New: "d.Engine.AcquireObserved(t, d.object(addr)); ok {\n"},
		{Name: "an observed exchange teaches nothing", File: "edges.go",
			Old: "d.Engine.ReleaseAcquireObserved(t, d.objectOrNew(addr)); ok {\n		d.learnsObserved(t, news)\n", New: "d.Engine.ReleaseAcquireObserved(t, d.objectOrNew(addr)); ok {\n"},
		{Name: "answers survive a collection", File: "proc.go",
			Old: "	p.answers = [2]answers{} // a task may get the number of another\n", New: ""},
	})
}
