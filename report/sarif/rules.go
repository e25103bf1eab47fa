package sarif

import (
	"fmt"
	"slices"

	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/report"
)

// descriptors is a list of rules that grows where a report has a code that this
// program does not know.
type descriptors struct{ list []descriptor }

func (d *descriptors) add(r descriptor) { d.list = append(d.list, r) }

func (d *descriptors) reference(id string) reference {
	i := slices.IndexFunc(d.list, func(r descriptor) bool { return r.ID == id })
	if i < 0 {
		i = len(d.list)
		d.add(explained(report.Explanation{Code: id, Detail: "a reason that this detrace does not know", Remedy: "see what the result says"}))
	}
	return reference{id, i}
}

func raceRule(k race.Kind) string { return "race-" + string(k) }

// raceHelp is the same for all kinds.
const raceHelp = "Two tasks touch the same memory, at least one of them writes, and nothing in the program orders the two " +
	"accesses: some schedule runs them the other way round, or at the same time. The thread flows show how the program " +
	"comes to each of them, from main through the go statements. Order them by a join between the two ways, such as " +
	"WaitGroup.Wait or a receive from a channel that is signalled after the access, or give each task memory of its own " +
	"and combine it after the join. A lock keeps the accesses apart, but leaves their order to the schedule."

func raceRules() descriptors {
	var d descriptors
	for _, r := range []struct {
		kind race.Kind
		what string
	}{
		{race.WriteWrite, "two writes"},
		{race.WriteRead, "a write and a later line's read"},
		{race.ReadWrite, "a read and a later line's write"},
	} {
		d.add(descriptor{
			ID:                   raceRule(r.kind),
			ShortDescription:     message{fmt.Sprintf("Determinacy race: %s of the same memory in no order", r.what)},
			FullDescription:      &message{"Nothing orders the two accesses in every schedule: another schedule of the same program on the same input may give another result."},
			Help:                 message{raceHelp},
			DefaultConfiguration: &configuration{"error"},
			Properties:           &descriptorProperties{Tags: []string{"concurrency", "race", "correctness"}, Precision: "very-high"},
		})
	}
	return d
}

func explained(e report.Explanation) descriptor {
	return descriptor{
		ID:                   e.Code,
		ShortDescription:     message{braces("Not certified: " + e.Detail)},
		Help:                 message{braces("The verdict cannot speak for all schedules: " + e.Detail + ". To remove this reason: " + e.Remedy + ".")},
		DefaultConfiguration: &configuration{"warning"},
		Properties:           &descriptorProperties{Tags: []string{"concurrency", "nondeterminism"}},
	}
}
