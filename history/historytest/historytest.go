// Package historytest makes random structured programs with accesses, for tests of
// access histories and of what joins them with engines.
package historytest

import (
	"math/rand/v2"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/structtest"
)

// FromSeed returns the random program of a seed, as structtest does, in which whoever
// may run makes accesses of some twenty bytes, in a third of the programs atomic ones too.
func FromSeed(seed uint64, events int, class structtest.Class, order reach.Order) structtest.Program {
	r := rand.New(rand.NewPCG(seed, 2))
	m := maker{Rand: r, size: 1 + r.IntN(24), reads: 1 + r.IntN(9), rate: 1 + r.IntN(3), atomic: r.IntN(3) / 2 * r.IntN(8), order: order}
	m.Binder = event.NewBinder(uint32(8*events) + 64)
	defer m.Close()
	m.live = []uint32{0}
	for _, e := range structtest.FromSeed(seed, events, class, order) {
		if m.running == e.Task || !joins(e.Kind) {
			for range m.IntN(m.rate + 1) {
				m.access(e.Task)
			}
		}
		m.control(e)
	}
	return m.out
}

// joins reports whether a task may have waited for what k is.
func joins(k event.Kind) bool {
	switch c, _ := k.Construct(); c {
	case reach.Sync, reach.EndFinish, reach.Get, reach.Await:
		return true
	}
	return false
}

const nobody = ^uint32(0)

// maker runs the program that it makes.
type maker struct {
	*rand.Rand
	*event.Binder
	out    structtest.Program
	live   []uint32
	order  reach.Order
	size   int // of the memory
	reads  int // in ten accesses
	rate   int // of accesses
	atomic int // in ten accesses

	running uint32 // in a serial order: who goes on after the last event; nobody if another may
}

func (m *maker) emit(e event.Event) {
	e.Line = len(m.out) + 2
	m.out = append(m.out, e)
}

func (m *maker) control(e event.Event) {
	if err := m.Control(e, func(*reach.Construct) reach.Refusal { return reach.Refusal{} }); err != nil {
		panic(err)
	}
	m.emit(e)
	m.running = e.Task
	switch c, _ := e.Kind.Construct(); {
	case c == reach.Set, c == reach.Block:
		m.running = nobody
	case c.Forks():
		m.running = e.Arg
		m.live = append(m.live, e.Arg)
	case c == reach.End:
		m.running = nobody
		for i, t := range m.live {
			if t == e.Task {
				m.live = append(m.live[:i], m.live[i+1:]...)
				break
			}
		}
	}
}

// access is one by the task whose turn it is, or in any order by one that lives.
func (m *maker) access(running uint32) {
	e := event.Event{Kind: event.Write, Task: running}
	if m.order == reach.AnyOrder {
		e.Task = m.live[m.IntN(len(m.live))]
	}
	switch n := m.IntN(40); {
	case n == 0:
		e.Kind = event.Alloc
	case n%10 < m.reads:
		e.Kind = event.Read
	}
	if m.IntN(10) < m.atomic {
		switch e.Kind {
		case event.Read:
			e.Kind = event.AtomicRead
		case event.Write:
			e.Kind = event.AtomicWrite
		}
	}
	addr := m.IntN(m.size)
	e.Addr = 0x1000 + uint64(addr)
	e.Size = 1 + uint64(m.IntN(min(m.size-addr, 1<<m.IntN(5))))
	m.emit(e)
}
