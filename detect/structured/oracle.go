package structured

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/detrace/detrace/dag"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/history"
	"github.com/detrace/detrace/reach"
)

// What the oracle takes at most: its costs are quadratic.
const (
	OracleStrands = 1 << 14
	OracleBytes   = 1 << 20 // touched by all accesses together
	OraclePairs   = 1 << 22 // of accesses to one byte
)

// oracle is the closure of the dag and every access: it reports all racing pairs, at
// the end.
type oracle struct {
	dag     *dag.Structured
	made    []made            // by the oracle's number of the access
	touched map[uint64]uint64 // by byte: accesses since the last alloc
	bytes   uint64
	pairs   uint64
}

type made struct {
	event  event.Event
	strand reach.Strand
	id     uint64
}

func newOracle() *oracle {
	return &oracle{dag: dag.NewStructured(), touched: make(map[uint64]uint64)}
}

func (o *oracle) name() string { return Oracle }

func (o *oracle) do(_ *Judge, c *reach.Construct) reach.Refusal {
	if o.dag.Len()+2+len(c.Joined) > OracleStrands {
		return reach.Refusal{Why: fmt.Sprintf("the oracle takes at most %d strands; name an engine", OracleStrands)}
	}
	o.dag.Do(c)
	return reach.Refusal{}
}

func (o *oracle) runs(*Judge, reach.Task) reach.Refusal { return reach.Refusal{} }

func (o *oracle) access(_ *Judge, s reach.Strand, e *event.Event, id uint64) reach.Refusal {
	if e.Size > OracleBytes-o.bytes {
		return reach.Refusal{Why: fmt.Sprintf("the oracle takes accesses to at most %d bytes altogether; name an engine", OracleBytes)}
	}
	o.bytes += e.Size
	for i := range e.Size {
		o.pairs += o.touched[e.Addr+i]
		o.touched[e.Addr+i]++
	}
	if o.pairs > OraclePairs {
		return reach.Refusal{Why: fmt.Sprintf("the oracle compares at most %d pairs of accesses; name an engine", OraclePairs)}
	}
	o.dag.Access(dag.Access{Strand: dag.Strand(s.Index()), Op: graphOps[opOf(e.Kind)], Addr: e.Addr, Size: e.Size})
	o.made = append(o.made, made{*e, s, id})
	return reach.Refusal{}
}

// graphOps are what the graph calls operations.
var graphOps = [...]dag.Op{
	history.Read: dag.Read, history.Write: dag.Write,
	history.AtomicRead: dag.AtomicRead, history.AtomicWrite: dag.AtomicWrite,
}

func (o *oracle) alloc(addr, last uint64) {
	if last-addr < uint64(len(o.touched)) {
		for i := range last - addr + 1 {
			delete(o.touched, addr+i)
		}
	} else {
		maps.DeleteFunc(o.touched, func(a, _ uint64) bool { return a >= addr && a <= last })
	}
	if size := last - addr + 1; size != 0 {
		o.dag.Alloc(addr, size)
		return
	}
	o.dag.Alloc(addr, last-addr)
	o.dag.Alloc(last, 1)
}

// over reports the races, one for each pair and run of bytes.
func (o *oracle) over(j *Judge) {
	races := o.dag.Races()
	slices.SortFunc(races, func(a, b dag.Race) int {
		return cmp.Or(a.Second-b.Second, a.First-b.First, cmp.Compare(a.Addr, b.Addr))
	})
	for i := 0; i < len(races); {
		r, n := races[i], 1
		for i+n < len(races) && races[i+n] == (dag.Race{Addr: r.Addr + uint64(n), First: r.First, Second: r.Second}) {
			n++
		}
		i += n
		first, second := &o.made[r.First], &o.made[r.Second]
		j.report(second.strand, &second.event, []history.Race{{
			First: history.Access{Strand: first.strand, ID: first.id}, Op: opOf(first.event.Kind), Addr: r.Addr, Size: uint64(n),
		}})
	}
}

func (o *oracle) close() {}
