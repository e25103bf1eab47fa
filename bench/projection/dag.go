// Package projection says how long a program would take on more processors than there are:
// the dag of its strands, as recorded in one run, what each of them cost there, and a
// greedy scheduler that is simulated.
package projection

import (
	"container/heap"
	"time"
)

// A Dag is the strands of a run and what precedes what. The zero Dag is empty.
type Dag struct{ strands []strand }

// strand is work of its own, before and after which it may hold the detector's lock of
// constructs, which one strand at a time can.
type strand struct {
	first, own, last time.Duration
	next             []int32 // begin when this one and others are over
	preds            int32
}

func (s *strand) work() time.Duration { return s.first + s.own + s.last }

// Add adds a strand and returns its number, counted from 1: under the lock for first, then
// on its own, then under the lock for last. preds are those that it waits for.
func (d *Dag) Add(first, own, last time.Duration, preds ...int) int {
	n := int32(len(d.strands))
	d.strands = append(d.strands, strand{first: first, own: own, last: last})
	for _, p := range preds {
		d.strands[p-1].next = append(d.strands[p-1].next, n)
	}
	d.strands[n].preds = int32(len(preds))
	return int(n) + 1
}

// Len is the number of strands.
func (d *Dag) Len() int { return len(d.strands) }

// Work is what all strands take together: the time on one processor.
func (d *Dag) Work() (sum time.Duration) {
	for i := range d.strands {
		sum += d.strands[i].work()
	}
	return sum
}

// Locked is the part of the work under the lock.
func (d *Dag) Locked() (sum time.Duration) {
	for i := range d.strands {
		sum += d.strands[i].first + d.strands[i].last
	}
	return sum
}

// Span is what the longest path takes: no number of processors is faster.
func (d *Dag) Span() (longest time.Duration) {
	ends := make([]time.Duration, len(d.strands)) // first: when what comes before a strand is over
	for i := range d.strands {                    // a strand comes after all that it waits for
		s := &d.strands[i]
		ends[i] += s.work()
		longest = max(longest, ends[i])
		for _, n := range s.next {
			ends[n] = max(ends[n], ends[i])
		}
	}
	return longest
}

// Unlocked is the same dag without the lock, its strands made longer or shorter by one factor
// so that its work is the one given.
func (d *Dag) Unlocked(work time.Duration) *Dag {
	own := d.Work() - d.Locked()
	to := &Dag{strands: make([]strand, len(d.strands))}
	for i, s := range d.strands {
		if own > 0 {
			s.own = time.Duration(float64(s.own) * float64(work) / float64(own))
		}
		s.first, s.last = 0, 0
		to.strands[i] = s
	}
	return to
}

// Time is how long the dag takes on so many processors under a greedy scheduler: whenever one
// is free and a strand waits for nothing any more, the first such strand begins. Who wants the
// lock gets it in turn, and keeps its processor meanwhile.
func (d *Dag) Time(processors int) time.Duration {
	r := &schedule{dag: d, free: processors, left: make([]int32, len(d.strands))}
	for i := range d.strands {
		r.left[i] = d.strands[i].preds
		if r.left[i] == 0 {
			r.ready = append(r.ready, int32(i))
		}
	}
	for {
		r.begin()
		if len(r.events) == 0 {
			return r.now
		}
		e := heap.Pop(&r.events).(step)
		r.now = e.at
		r.step(e)
	}
}

// schedule is a run of a dag.
type schedule struct {
	dag    *Dag
	now    time.Duration
	free   int           // processors
	lock   time.Duration // when it is free
	ready  []int32       // strands that wait for a processor, those from head on
	head   int
	left   []int32 // by strand: what it waits for
	events events
	steps  int
}

// begin gives free processors to strands. Those that take no time need none.
func (r *schedule) begin() {
	for r.head < len(r.ready) {
		n := r.ready[r.head]
		if r.dag.strands[n].work() > 0 {
			if r.free == 0 {
				return
			}
			r.free--
			r.step(step{strand: n, at: r.now})
		} else {
			r.over(n)
		}
		r.head++
	}
}

// step begins the next part of a strand that has a processor.
func (r *schedule) step(e step) {
	s := &r.dag.strands[e.strand]
	e.part++
	switch e.part {
	case 1:
		e.at = r.locked(s.first)
	case 2:
		e.at += s.own
	case 3:
		e.at = r.locked(s.last)
	default:
		r.free++
		r.over(e.strand)
		return
	}
	r.steps++
	e.order = r.steps
	heap.Push(&r.events, e)
}

// locked is when somebody who wants the lock now, for so long, gives it back.
func (r *schedule) locked(d time.Duration) time.Duration {
	if d == 0 {
		return r.now
	}
	r.lock = max(r.lock, r.now) + d
	return r.lock
}

// over lets those go on that waited for strand n.
func (r *schedule) over(n int32) {
	for _, m := range r.dag.strands[n].next {
		r.left[m]--
		if r.left[m] == 0 {
			r.ready = append(r.ready, m)
		}
	}
}

// step is that a strand comes to the end of a part at some time; of those at one time, the
// one that was known of first comes first.
type step struct {
	at     time.Duration
	order  int
	strand int32
	part   int8 // 1: under the lock; 2: on its own; 3: under the lock
}

type events []step

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(step)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
