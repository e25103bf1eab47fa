package tp3

import (
	"encoding/binary"
	"math/big"
)

// countSchedules counts the sequences of steps that are the current run up to
// the order of independent steps: the linear extensions of its dependencies.
// It goes through the sets of steps that can have been made at some moment
// (ideals), by size, with the number of ways to get there. When x.ideals of
// them do not suffice, the number is a lower bound: 1.
// Cost: O(tasks²) per ideal.
func (x *explorer) countSchedules() (n *big.Int, exact bool) {
	chains := make([][]*event, len(x.c.tasks))
	for i := range x.events {
		e := &x.events[i]
		chains[e.task] = append(chains[e.task], e)
	}
	level := map[string]*ideal{"": {done: make(clock, len(chains)), ways: big.NewInt(1)}}
	for range x.events {
		next := map[string]*ideal{}
		for _, from := range level {
			if x.ideals == 0 {
				return big.NewInt(1), false
			}
			x.ideals--
			from.extend(chains, next)
		}
		level = next
	}
	for _, all := range level {
		return all.ways, true
	}
	return big.NewInt(1), true
}

// ideal is a set of steps: the first done[t] of each task t.
type ideal struct {
	done clock
	ways *big.Int // to make these steps
}

// extend adds to next every ideal that has one step more.
func (d *ideal) extend(chains [][]*event, next map[string]*ideal) {
	var key []byte
	for t, chain := range chains {
		if int(d.done[t]) == len(chain) || !d.done.covers(chain[d.done[t]].before) {
			continue
		}
		d.done[t]++
		key = key[:0]
		for _, n := range d.done {
			key = binary.AppendUvarint(key, uint64(n))
		}
		if same := next[string(key)]; same != nil {
			same.ways.Add(same.ways, d.ways)
		} else {
			next[string(key)] = &ideal{append(clock(nil), d.done...), new(big.Int).Set(d.ways)}
		}
		d.done[t]--
	}
}

// covers reports whether c counts at least what d does.
func (c clock) covers(d clock) bool {
	for t, n := range d {
		if n > c[t] {
			return false
		}
	}
	return true
}
