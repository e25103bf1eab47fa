package detect

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// TestSerialMutants shows that the test of serial runs notices what is easily got wrong
// where two engines number strands side by side.
func TestSerialMutants(t *testing.T) {
	mutants.Run(t, "^(TestSerialRuns|TestReadsOfSiblings)$", []mutants.Mutant{
		{Name: "a release begins no strand", File: "serial.go",
			Old: "	*s.floor.At(n) = s.run.Current(reach.Task(*s.number.At(uint32(t)))).Index()\n	d.Engine.SetIndex(t, n+s.offset)\n", New: "	_ = n\n"},
		{Name: "the strand after a release is a structured one", File: "serial.go",
			Old: "*s.floor.At(n) = s.run.Current(reach.Task(*s.number.At(uint32(t)))).Index()", New: "*s.floor.At(n) = n"},
		{Name: "a construct's strand keeps its native position", File: "serial.go",
			Old: "	d.Engine.SetIndex(t, n.Index()+s.offset)\n	d.moved(t)\n", New: "	d.moved(t)\n"},
		{Name: "what the engine said of a task is good for its later strands", File: "answers.go",
			Old: "if p.d().Serially() {", New: "if false {"},
		{Name: "news from a lock does not matter", File: "serial.go",
			Old: "if news {", New: "if false {"},
		{Name: "an engine that refused goes on", File: "serial.go",
			Old: "s.giveUp(why)", New: "s.why = why"},
		{Name: "a sync is not told to the native engine", File: "serial.go",
			Old: "d.learn(t, s.syncs.At(self))", New: "_ = self"},
		{Name: "an async's end is released to nobody", File: "serial.go",
			Old: "if f := *s.within.At(self); f != 0 {", New: "if f := *s.within.At(self); f == 0 {"},
		{Name: "a get learns nothing", File: "serial.go",
			Old: "d.Engine.Acquire(t, *s.ends.At(uint32(c.Other)))", New: "_ = c.Other"},
		{Name: "an await learns nothing", File: "serial.go",
			Old: "d.Engine.Acquire(t, *s.promises.At(c.Promise))", New: "_ = c.Promise"},
		{Name: "a read is as good as one that a future may precede", File: "serial.go",
			Old: "	default:\n		s.unnest()\n", New: "	default:\n"},
		{Name: "a read is as good as one that a lock may order", File: "serial.go",
			Old: "	s.unnest()\n	n := s.run.Skip()\n", New: "	n := s.run.Skip()\n"},
		{Name: "a read is as good as any", File: "serial.go",
			Old: "	return from != 0 && to != 0 && s.run.Outlasted(reach.Task(from), reach.Task(to))\n", New: "	return from != 0 && to != 0\n"},
		{Name: "a fork moves the parent only", File: "serial.go",
			Old: "s.begin(d, started, c.First)", New: "_ = c.First"},
	})
}
