package vclock_test

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/reachtest"
	"github.com/detrace/detrace/reach/vclock"
)

// judged makes the engine a subject of reachtest.
type judged struct {
	vclock.Engine
	handles []vclock.Handle
}

func (j *judged) Keep(t reach.Task) int {
	j.handles = append(j.handles, j.Current(t))
	return len(j.handles) - 1
}

func (j *judged) PrecedesKept(u reach.Strand, kept int) bool {
	return j.PrecedesStrand(u, j.handles[kept])
}

func (j *judged) Collect([]reach.Strand) {}
func (j *judged) Close()                 {}

func TestConformance(t *testing.T) {
	reachtest.Conform(t, 3000, 160, reachtest.Subject{Name: "vclock", New: func() reachtest.Engine { return new(judged) }})
}
