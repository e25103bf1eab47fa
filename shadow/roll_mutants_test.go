package shadow

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestRollMutants shows that the tests of rolls notice what is easily got wrong.
func TestRollMutants(t *testing.T) {
	mutants.Run(t, "^Test(RollsAgainstAllPairs|ConcurrentRolls|RollIsFull|OrderedReadersHaveNoRoll|HotLinesHaveNoRoll|ForgetRolled|RollsAreSwept|UnrollWithoutRoom|SheetSlots|Scatters|StaleRolls|UnrollsToRun|ContextOfRolled|Stretches)$", []mutants.Mutant{
		{Name: "who makes a roll does not look at the list", File: "scatter.go",
			Old: " || !s.comes(rest) {", New: " {"},
		{Name: "who comes to a roll does not look at the list", File: "scatter.go",
			Old: "	if !s.comes(t.At(id).rest) {", New: "	if false {"},
		{Name: "a write is a read", File: "scatter.go",
			Old: "s.access.Op != Read || bytes", New: "bytes"},
		{Name: "bytes without a history are read too", File: "scatter.go",
			Old: "s.access.Op != Read || bytes&^l.bytes() != 0 ||", New: "s.access.Op != Read ||"},
		{Name: "who reads does not look whether the line was closed", File: "scatter.go",
			Old: "return mine.reads(r.places(p, bytes)) && r.open(p)", New: "return mine.reads(r.places(p, bytes))"},
		{Name: "the fast path does not look whether the line was closed", File: "join.go",
			Old: "reads(r.place(addr)) && r.open(addr)", New: "reads(r.place(addr))"},
		{Name: "a line comes back to a roll that it left", File: "scatter.go",
			Old: "t.roll(state).open(p) && ", New: ""},
		{Name: "a line that leaves is not closed", File: "unroll.go",
			Old: "		r.close(r.line(addr))\n", New: ""},
		{Name: "of the sheets the first is not looked at", File: "unroll.go",
			Old: "	n := uint32(0)\n	for id := r.first; id", New: "	n := uint32(0)\n	for id := t.rolls.sheets.At(r.first).next; id"},
		{Name: "readers of a part of a line have read all of it", File: "unroll.go",
			Old: "		default:\n			return false\n		case all:", New: "		default:"},
		{Name: "a strand that was two readers is two", File: "unroll.go",
			Old: " || t.attending(s, t.audiences.readers.At(e.reader).strand) {", New: " {"},
		{Name: "an audience has room for any number", File: "unroll.go",
			Old: "if n%room != 0 {", New: "if n != 0 {"},
		{Name: "of few readers all are lost", File: "unroll.go",
			Old: "			s, latest, same = t.listed(e.reader, s, latest)\n", New: ""},
		{Name: "of many readers those with an audience are lost", File: "unroll.go",
			Old: "n/room > deepest", New: "false"},
		{Name: "the context in front is that of the list", File: "unroll.go",
			Old: "		latest = t.audiences.readers.At(e.reader).context\n", New: ""},
		{Name: "rolls of other lists are taken", File: "roll.go",
			Old: "r.rest == rest && ", New: ""},
		{Name: "rolls of other elements are taken", File: "roll.go",
			Old: "r.shift == shift && ", New: ""},
		{Name: "rolls of other stretches are taken", File: "roll.go",
			Old: " && r.base == base", New: ""},
		{Name: "readers are not marked", File: "roll.go",
			Old: "		e.mark = t.mark\n", New: ""},
		{Name: "the list behind a roll is not marked", File: "roll.go",
			Old: "	return r.rest\n}\n\n// sweepRolls", New: "	return 0\n}\n\n// sweepRolls"},
		{Name: "slots lead to sheets that were freed", File: "roll.go",
			Old: "	p.slots.clear()", New: "	"},
		{Name: "sheets of a roll that is freed are not", File: "roll.go",
			Old: "			p.tear(r)\n", New: ""},
		{Name: "forgotten lines are not closed", File: "roll.go",
			Old: "				r.close(r.line(addr))\n", New: ""},
		{Name: "what is lost is not told", File: "history.go",
			Old: "s.full || offheap.Load32(&h.states.rolls.lost) != 0", New: "s.full"},
		{Name: "hot lines stay", File: "roll.go",
			Old: "return p.again <= mostAgain", New: "return true"},
		{Name: "ordered readers come to a roll", File: "scatter.go",
			Old: "			r.full = true\n", New: ""},
		{Name: "columns are scattered", File: "scatter.go",
			Old: " || d == m.strides[i]", New: ""},
		{Name: "a line in a roll is split at a glance", File: "group.go",
			Old: "if l.isRolled() || !p.lock", New: "if !p.lock"},
	})
}
