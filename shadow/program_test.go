package shadow

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/detrace/detrace/dag"
)

// A program is what the tests of the history run: strands in a partial order,
// and what they did to memory in an order in which it could have happened.
type program struct {
	preds  [][]int // preds[u] are the strands before strand u; strands count from 1
	events []event
}

type eventKind int

const (
	access  eventKind = iota
	forget            // the bytes are new
	collect           // everything not remembered is freed
)

type event struct {
	kind    eventKind
	strand  int
	op      Op
	addr    uintptr
	size    uintptr
	site    uint32
	context uint32
}

func (e event) String() string {
	switch e.kind {
	case forget:
		return fmt.Sprintf("forget %#x %d", e.addr, e.size)
	case collect:
		return "collect"
	}
	return fmt.Sprintf("%d: op %d %#x %d site %d context %d", e.strand, e.op, e.addr, e.size, e.site, e.context)
}

func (p program) String() string {
	var b strings.Builder
	for u := 1; u < len(p.preds); u++ {
		fmt.Fprintf(&b, "strand %d after %v\n", u, p.preds[u])
	}
	for _, e := range p.events {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// graph is the partial order with its closure.
func (p program) graph() *dag.Graph {
	g := new(dag.Graph)
	for u := 1; u < len(p.preds); u++ {
		preds := make([]dag.Strand, len(p.preds[u]))
		for i, v := range p.preds[u] {
			preds[i] = dag.Strand(v)
		}
		g.Add(preds...)
	}
	return g
}

// strandOf is what the history is told of strand u.
func strandOf(u int) Strand { return Strand(u)<<32 | 5 }

func (e event) access() Access {
	return Access{Strand: strandOf(e.strand), Place: e.site + 100, Context: e.context, Site: e.site, Op: e.op}
}

// The windows of all tests here; the second shows that both are looked at.
const (
	low      = uintptr(0x40000)
	lowSize  = uintptr(3 << 20)
	high     = uintptr(0x7000000)
	highSize = uintptr(0x3000)
)

// hot are the places at which accesses meet: inside a chunk, across chunks, far
// apart, at both ends of a window.
var hot = []uintptr{low, low + 16, low + chunk - 8, low + 1<<20 - 8, low + 2<<20, low + lowSize - 16, high, high + highSize - 8}

// shape says what random programs are like.
type shape struct {
	strands, accesses int
	density           float64 // of the partial order
	sites, contexts   int
	spread            int // in bytes, of the accesses at a hot place
	plain             bool
	ranges            bool
	disturbed         bool // with Forget and Collect
}

func randomProgram(r *rand.Rand, s shape) program {
	p := program{preds: make([][]int, s.strands+1)}
	for u := 2; u <= s.strands; u++ {
		for v := 1; v < u; v++ {
			if r.Float64() < s.density {
				p.preds[u] = append(p.preds[u], v)
			}
		}
	}
	places := []uintptr{hot[r.IntN(len(hot))], hot[r.IntN(len(hot))]}
	left := make([][]event, s.strands+1)
	for range s.accesses {
		u := 1 + r.IntN(s.strands)
		left[u] = append(left[u], randomAccess(r, s, u, places[r.IntN(2)]))
	}
	p.events = deliver(r, p.preds, left)
	if s.disturbed {
		p.disturb(r, places)
	}
	return p
}

func randomAccess(r *rand.Rand, s shape, u int, place uintptr) event {
	e := event{strand: u, op: Op(1 + r.IntN(4)), size: 1, addr: place + uintptr(r.IntN(s.spread)), site: uint32(1 + r.IntN(s.sites)), context: uint32(1 + r.IntN(s.contexts))}
	if s.plain {
		e.op = Op(1 + r.IntN(2))
	}
	if r.IntN(4) == 0 { // one variable for all kinds of widths
		e.addr = place
	}
	if s.ranges && r.IntN(3) == 0 {
		e.op = Op(1 + r.IntN(2))
		e.size = uintptr(1 + r.IntN(40))
		if r.IntN(30) == 0 {
			e.size += chunk
		}
	}
	return e
}

// deliver puts the accesses in an order that the partial order of the strands
// allows, each strand's in their own.
func deliver(r *rand.Rand, preds [][]int, left [][]event) []event {
	left = slices.Clone(left)
	var out []event
	for {
		var ready []int
		for u := 1; u < len(left); u++ {
			if len(left[u]) != 0 && !slices.ContainsFunc(before(preds, u), func(v int) bool { return len(left[v]) != 0 }) {
				ready = append(ready, u)
			}
		}
		if len(ready) == 0 {
			return out
		}
		u := ready[r.IntN(len(ready))]
		for n := 1 + r.IntN(3); n > 0 && len(left[u]) != 0; n-- {
			out = append(out, left[u][0])
			left[u] = left[u][1:]
		}
	}
}

// before is all strands with a path to u.
func before(preds [][]int, u int) []int {
	var all []int
	for todo := slices.Clone(preds[u]); len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !slices.Contains(all, v) {
			all = append(all, v)
			todo = append(todo, preds[v]...)
		}
	}
	return all
}

func (p *program) disturb(r *rand.Rand, places []uintptr) {
	for range r.IntN(6) {
		e := event{kind: collect}
		if r.IntN(3) != 0 {
			e = event{kind: forget, addr: places[r.IntN(2)] + uintptr(r.IntN(20)), size: uintptr(r.IntN(20))}
			switch r.IntN(6) {
			case 0:
				e.size += chunk
			case 1:
				e.size += bigRange + uintptr(r.IntN(2*chunk))
			}
		}
		p.events = slices.Insert(p.events, r.IntN(len(p.events)+1), e)
	}
}

// shrink returns a program that still fails, with as few events as removing runs
// of them can leave.
func shrink(p program, fails func(program) error) (program, error) {
	err := fails(p)
	for size := len(p.events); size > 0; {
		smaller := false
		for at := 0; at < len(p.events); {
			q := program{p.preds, slices.Concat(p.events[:at], p.events[min(at+size, len(p.events)):])}
			if e := fails(q); e != nil {
				p, err, smaller = q, e, true
			} else {
				at += size
			}
		}
		if !smaller {
			size /= 2
		}
	}
	return p, err
}
