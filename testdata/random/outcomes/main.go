// Outcomes runs a random program of goroutines so many times, resting here and there, and
// prints whether two accesses of its variables are unordered, and how many different ends
// the runs had:
//
//	outcomes goroutines|tasks SEED RUNS
//
// Goroutines are joined by WaitGroups, by results on channels, by closing one, by a sibling
// or by the whole program; tasks by the constructs of package task. Between that they use variables, most of them in order, and now
// and then what lets the schedule decide: locks, atomic variables, functions that are run
// once, channels of several senders, selects.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/detrace/detrace/task"
)

// A world is what the goroutines of one run share.
type world struct {
	vars   [4]uint64
	mu     sync.Mutex
	rw     sync.RWMutex
	shared uint64 // guarded by mu
	total  uint64 // guarded by mu, only added to
	read   uint64 // guarded by rw
	made   uint64 // once
	word   [2]atomic.Uint64
	once   [2]sync.Once
	lines  [2]chan uint64
	table  sync.Map
	all    sync.WaitGroup
	scope  *task.Scope // of all tasks; nil where actors are goroutines
}

// An actor is a goroutine or a task of a run, and a digest of all that it has seen.
type actor struct {
	*world
	seen     uint64
	children []*child
	group    sync.WaitGroup
	tasks    task.Group
	elder    *child // it was started after that one
}

// A child is an actor as its parent knows it, who waits for one of these.
type child struct {
	seen   uint64
	done   chan uint64
	future *task.Future[uint64]
	set    *task.Promise[uint64]
}

func (a *actor) see(v uint64) { a.seen = (a.seen ^ v) * 0x9e3779b97f4a7c15 }

// run runs a plan once and returns a digest of its end.
func (p *plan) run(tasks bool) (end uint64) {
	w := &world{}
	if !tasks {
		return p.runIn(w)
	}
	task.Finish(func(s *task.Scope) {
		w.scope = s
		end = p.runIn(w)
	})
	return end ^ w.digest()
}

func (p *plan) runIn(w *world) uint64 {
	for i := range w.lines {
		w.lines[i] = make(chan uint64, maxSends)
	}
	root := &actor{world: w}
	for _, s := range p.root {
		s(root)
		rest()
	}
	if w.scope != nil {
		return root.seen // some tasks may still run
	}
	w.all.Wait()
	return root.seen ^ w.digest()
}

// digest is that of all that actors have left.
func (w *world) digest() uint64 {
	root := &actor{world: w}
	for _, v := range w.vars {
		root.see(v)
	}
	root.see(w.shared)
	root.see(w.total)
	root.see(w.read)
	root.see(w.made)
	for i := range w.word {
		root.see(w.word[i].Load())
	}
	w.table.Range(func(k, v any) bool {
		root.seen += k.(uint64) * v.(uint64)
		return true
	})
	return root.seen
}

func rest() {
	switch n := rand.IntN(8); {
	case n < 2:
		runtime.Gosched()
	case n == 2:
		time.Sleep(time.Duration(rand.IntN(80)) * time.Microsecond)
	}
}

func main() {
	seed, err := strconv.ParseUint(os.Args[2], 10, 64)
	runs, err2 := strconv.Atoi(os.Args[3])
	if err != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, "usage: outcomes goroutines|tasks SEED RUNS")
		os.Exit(1)
	}
	p := newPlan(seed)
	ends := map[uint64]bool{}
	for range runs {
		ends[p.run(os.Args[1] == "tasks")] = true
	}
	fmt.Println(p.unordered, len(ends))
}
