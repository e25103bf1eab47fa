// Turns starts goroutines at random that take locks, try to, use atomic variables, run
// functions once and send, at lines of which some are declared commutative. They are ordered
// by starts and WaitGroups alone. It prints the reasons why the schedule matters, by looking
// at all pairs of operations:
//
//	turns SEED
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"
)

// maxOps is how many operations a program has at most.
const maxOps = 64

// An operation is one use of an object at a place, and the set of those before it.
type operation struct {
	object *object
	place  place
	before uint64
	index  int
}

// A step is an operation, the start of a task, a wait for those started, or a rest.
type step struct {
	does  *operation
	start *task
	waits bool
	rests time.Duration
}

type task []step

// A plan is a program being made.
type plan struct {
	random  *rand.Rand
	objects []*object
	ops     []*operation
}

// grow makes a task that comes after the operations in before, and what comes after it.
func (p *plan) grow(depth int, before uint64) (t task, after uint64) {
	open := uint64(0)
	for range 2 + p.random.IntN(5) {
		switch n := p.random.IntN(10); {
		case n < 3 && depth > 0:
			child, done := p.grow(depth-1, before)
			t = append(t, step{start: &child})
			open |= done
		case n < 4:
			t = append(t, step{waits: true})
			before |= open
		case n < 6:
			t = append(t, step{rests: time.Duration(p.random.IntN(300)) * time.Microsecond})
		case len(p.ops) < maxOps:
			o := p.objects[p.random.IntN(len(p.objects))]
			op := &operation{object: o, place: o.places[p.random.IntN(len(o.places))], before: before, index: len(p.ops)}
			p.ops = append(p.ops, op)
			t = append(t, step{does: op})
			before |= 1 << op.index
		}
	}
	return append(t, step{waits: true}), before | open
}

func (t task) run() {
	var children sync.WaitGroup
	for _, s := range t {
		switch {
		case s.does != nil:
			s.does.place.use(s.does.object)
		case s.start != nil:
			children.Go(s.start.run)
		case s.waits:
			children.Wait()
		default:
			time.Sleep(s.rests)
		}
	}
}

// reasons are the codes of what the schedule decides.
func (p *plan) reasons() (codes []string) {
	for i, first := range p.ops {
		for _, second := range p.ops[i+1:] {
			if first.object != second.object || second.before>>first.index&1 != 0 || first.before>>second.index&1 != 0 {
				continue
			}
			if first.place.callsOnce() && p.begun(first.object, first.before|second.before) {
				continue
			}
			if code := unordered(first.place, second.place); code != "" && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
	}
	slices.Sort(codes)
	return codes
}

// begun reports whether one of a set of operations uses o.
func (p *plan) begun(o *object, set uint64) bool {
	return slices.ContainsFunc(p.ops, func(op *operation) bool {
		return op.object == o && set>>op.index&1 != 0
	})
}

func main() {
	seed, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, "usage: turns SEED")
		os.Exit(1)
	}
	p := &plan{random: rand.New(rand.NewPCG(seed, 1))}
	for range 1 + p.random.IntN(3) {
		p.objects = append(p.objects, &object{places: kinds[p.random.IntN(len(kinds))], line: make(chan int, maxOps)})
	}
	if p.random.IntN(4) == 0 {
		p.objects = []*object{{places: loads[p.random.IntN(len(loads))]}}
	}
	all, _ := p.grow(3, 0)
	all.run()
	fmt.Println(p.reasons())
}
