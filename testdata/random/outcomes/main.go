// Outcomes runs a random program of goroutines so many times, resting here and there, and
// prints whether two accesses of its variables are unordered, and how many different ends
// the runs had:
//
//	outcomes SEED RUNS
//
// Goroutines are joined by WaitGroups, by results on channels, by closing one, by a sibling
// or by the whole program. Between that they use variables, most of them in order, and now
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
}

// An actor is a goroutine of a run, and a digest of all that it has seen.
type actor struct {
	*world
	seen     uint64
	children []*child
	group    sync.WaitGroup
	elder    *child // it was started after that one
}

// A child is a goroutine as its parent knows it.
type child struct {
	seen uint64
	done chan uint64
}

func (a *actor) see(v uint64) { a.seen = (a.seen ^ v) * 0x9e3779b97f4a7c15 }

// run runs a plan once and returns a digest of its end.
func (p *plan) run() uint64 {
	w := &world{}
	for i := range w.lines {
		w.lines[i] = make(chan uint64, maxSends)
	}
	root := &actor{world: w}
	for _, s := range p.root {
		s(root)
		rest()
	}
	w.all.Wait()
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
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	runs, err2 := strconv.Atoi(os.Args[2])
	if err != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, "usage: outcomes SEED RUNS")
		os.Exit(1)
	}
	p := newPlan(seed)
	ends := map[uint64]bool{}
	for range runs {
		ends[p.run()] = true
	}
	fmt.Println(p.unordered, len(ends))
}
