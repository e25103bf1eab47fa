//go:build judged

package runtime

import (
	"github.com/detrace/detrace/detect"
	"github.com/detrace/detrace/reach"
	_ "unsafe" // for go:linkname
)

// What follows is called by package task, when it runs the program's tasks in
// parallel; detraceTask and the functions below it in task.go serve it too.

//go:linkname detraceEnter
//go:linkname detraceGo

// detraceEnter takes the calling goroutine's task away and returns it. A task that
// does not belong to the parallel run does from then on. others says that not only package
// task makes goroutines or has them wait. If it alone does, tasks run in the order in which they
// became ready: Go mixes that in programs with raceenabled, so that luck shows, but in such a run
// there is none, and tasks that follow each other find in the caches what they share.
func detraceEnter(futures, others bool) (self uint32) {
	gp := getg()
	t := reach.Task(gp.racectx)
	if !det.Serially() || !det.Structured(t) {
		randomizeScheduler = randomizeScheduler && others
		racecall(detop_parallel, uintptr(t), uintptr(bool2int(futures)), 0, 0)
	}
	gp.racectx = 0
	if detcosts.On() {
		systemstack(func() { dethalted(dettasknumber(t)) })
	}
	return uint32(t)
}

func detparallel(p *detect.Proc, t reach.Task, futures bool, gp *g, bp uintptr) {
	if detout.engine != 0 && !det.CanParallel(detout.engine) {
		print("detrace: engine ", detout.engine.String(), " (DETRACE_ENGINE) judges serial runs only, and this program was built to run in parallel\n")
		exit(1)
	}
	det.Parallel(t, detout.engine, futures)
	detexchange(p, t, 0, gp, bp)
}

// detheir is the bit of a racectx that is the task of the goroutine started next.
const detheir = 1 << 63

// detraceGo makes child the task of the goroutine that the calling one, which has no
// task, starts next.
func detraceGo(child uint32) { getg().racectx = uintptr(child) | detheir }
