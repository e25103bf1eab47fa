package jointree_test

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/reachtest"
)

// judged makes the engine a subject of reachtest.
type judged struct {
	*jointree.Engine
	handles []jointree.Handle
}

func newJudged() reachtest.Engine {
	e := new(jointree.Engine)
	e.Init(1024)
	return &judged{Engine: e}
}

func (j *judged) NewObject() uint32                   { return uint32(j.Engine.NewObject()) }
func (j *judged) FreeObject(o uint32)                 { j.Engine.FreeObject(jointree.Object(o)) }
func (j *judged) Release(t reach.Task, o uint32)      { j.Engine.Release(t, jointree.Object(o)) }
func (j *judged) ReleaseMerge(t reach.Task, o uint32) { j.Engine.ReleaseMerge(t, jointree.Object(o)) }
func (j *judged) Acquire(t reach.Task, o uint32)      { j.Engine.Acquire(t, jointree.Object(o)) }
func (j *judged) ReleaseAcquire(t reach.Task, o uint32) {
	j.Engine.ReleaseAcquire(t, jointree.Object(o))
}

func (j *judged) Keep(t reach.Task) int {
	j.handles = append(j.handles, j.Current(t))
	return len(j.handles) - 1
}

func (j *judged) PrecedesKept(u reach.Strand, kept int) bool {
	return j.PrecedesStrand(u, j.handles[kept])
}

func (j *judged) Collect(remembered []reach.Strand) {
	j.BeginMark()
	for _, u := range remembered {
		j.Mark(u)
	}
	j.Sweep()
}

func newCramped() reachtest.Engine {
	j := newJudged()
	j.(*judged).Cramp()
	return j
}

// The engine as it is and with limits so low that small programs meet them.
var subjects = []reachtest.Subject{
	{Name: "jointree", New: newJudged},
	{Name: "jointree, cramped", New: newCramped},
}

func TestConformance(t *testing.T) { reachtest.Conform(t, 10000, 160, subjects...) }

// TestConformanceLarge reaches depths at which ancestors are found by jumps and
// chains of links are shortened.
func TestConformanceLarge(t *testing.T) {
	if reachtest.Race {
		t.Skip("too slow with -race, and not concurrent")
	}
	reachtest.Conform(t, 100, 2000, subjects...)
}

func FuzzConformance(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x09\x03\x11\x04\x01\x08\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := reachtest.Decode(data[:min(len(data), 400)])
		if m := reachtest.Run(p, subjects...); m != nil {
			small, m := reachtest.Shrink(p, m, subjects...)
			t.Fatalf("%v\n%s", m, small)
		}
	})
}
