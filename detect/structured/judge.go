// Package structured judges structured runs: it joins an engine and an access history
// into a detector that takes events and gives races. Package detect does so for native
// execution, with one engine that takes everything; here the engine is chosen by name, or by
// the program.
//
// Racing bytes are exact under every engine: those of the oracle. Pairs are what the
// engine's history names, all of them racing.
package structured

import (
	"fmt"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/history"
	"github.com/detrace/detrace/reach"
)

// Config says how to judge.
type Config struct {
	Engine string // one of Engines, Auto or Oracle
	// Room: how many tasks and strands there may be; 0 for sixteen million tasks and four
	// strands each. It costs address space, and memory only as far as used.
	Tasks, Strands uint32
	// Race is told of every pair, in the order of the second accesses.
	Race func(Race)
}

// The names of what is no engine by itself.
const (
	Auto   = "auto"   // the cheapest engine that takes the run so far, a larger one when it must
	Oracle = "oracle" // the transitive closure and all accesses: exact and slow
)

// Race is a pair of conflicting accesses by parallel strands. First happened earlier in
// the run.
type Race struct {
	First, Second Access
	Addr, Size    uint64 // the bytes that both accessed, from Addr on; Size 0 stands for all 2^64
}

// Access is a read or write.
type Access struct {
	Line int // of the trace
	Op   event.Kind
	Task uint32 // as the trace calls it
	Site string // "" if the trace does not say
}

// Stats are counts of a run.
type Stats struct {
	Engine                    string // that ended the run
	Tasks, Strands            uint32
	Reads, Writes             uint64
	EngineBytes, HistoryBytes uint64 // memory in use at the end; 0 if not known
}

// Refused is the error of a run that the engine does not take, though it is
// possible.
type Refused struct {
	Engine string
	Event  *event.Error
}

func (r *Refused) Error() string { return r.Event.Error() }

// Unwrap is the *event.Error.
func (r *Refused) Unwrap() error { return r.Event }

// Judge judges one run. Not safe for concurrent use.
type Judge struct {
	config Config
	binder *event.Binder
	decider
	line    int // of the event
	refused bool

	sites   []string // by number; 0 is ""
	numbers map[string]uint32
	stats   Stats
	racy    Bytes
}

// decider decides about races.
type decider interface {
	// do is told of the constructs; j knows the line.
	do(j *Judge, c *reach.Construct) reach.Refusal
	// runs is told that a task is about to make an access.
	runs(j *Judge, t reach.Task) reach.Refusal
	// access is told of an access that can be called id.
	access(j *Judge, s reach.Strand, e *event.Event, id uint64) reach.Refusal
	alloc(addr, last uint64)
	// over is told that there is nothing more, and completes the statistics.
	over(j *Judge)
	name() string // of the engine
	close()
}

const (
	defaultTasks   = 1 << 24
	defaultStrands = 1 << 26
)

// New returns a judge of a run whose root task is running. Close must be the last
// call.
func New(c Config) (*Judge, error) {
	if c.Tasks == 0 {
		c.Tasks = defaultTasks
	}
	if c.Strands == 0 {
		c.Strands = defaultStrands
	}
	j := &Judge{config: c, sites: []string{""}, numbers: map[string]uint32{"": 0}}
	var err error
	if j.decider, err = newDecider(&c); err != nil {
		return nil, err
	}
	j.binder = event.NewBinder(c.Tasks)
	return j, nil
}

// Close gives the memory back.
func (j *Judge) Close() {
	j.binder.Close()
	j.decider.close()
}

// Do takes the next event. An error is an *event.Error, if the event is impossible where it
// stands, or a *Refused, if the engine does not take it; then nothing more may follow.
func (j *Judge) Do(e event.Event) error {
	j.line, j.refused = e.Line, false
	if !e.Kind.Access() {
		return j.wrap(j.binder.Control(e, func(c *reach.Construct) reach.Refusal {
			refusal := j.decider.do(j, c)
			j.refused = refusal.Refused()
			return refusal
		}))
	}
	s, err := j.binder.Access(e)
	if err != nil {
		return err
	}
	refusal := j.access(s, &e)
	if !refusal.Refused() {
		return nil
	}
	j.refused = true
	return j.wrap(j.binder.Refuse(e, refusal))
}

func (j *Judge) access(s reach.Strand, e *event.Event) reach.Refusal {
	if refusal := j.runs(j, s.Task()); refusal.Refused() {
		return refusal
	}
	if e.Kind == event.Alloc {
		j.alloc(e.Addr, e.Addr+(e.Size-1))
		return reach.Refusal{}
	}
	if uint64(e.Line) > maxLine {
		return reach.Refusal{Why: fmt.Sprintf("races are reported by line up to %d only; cut the trace", uint64(maxLine))}
	}
	if e.Kind.Writes() {
		j.stats.Writes++
	} else {
		j.stats.Reads++
	}
	return j.decider.access(j, s, e, uint64(j.site(e.Site))<<32|uint64(e.Line))
}

const maxLine = 1<<32 - 1

// site is the number of a site.
func (j *Judge) site(site string) uint32 {
	n, ok := j.numbers[site]
	if !ok {
		n = uint32(len(j.sites))
		j.sites, j.numbers[site] = append(j.sites, site), n
	}
	return n
}

// wrap marks the error of an engine.
func (j *Judge) wrap(err error) error {
	if wrong, ok := err.(*event.Error); ok && j.refused {
		return &Refused{Engine: j.decider.name(), Event: wrong}
	}
	return err
}

// operations are what histories call kinds of events.
var operations = [...]struct {
	kind event.Kind
	op   history.Op
}{
	{event.Read, history.Read}, {event.Write, history.Write},
	{event.AtomicRead, history.AtomicRead}, {event.AtomicWrite, history.AtomicWrite},
}

func kindOf(op history.Op) event.Kind { return operations[op-history.Read].kind }

func opOf(kind event.Kind) history.Op {
	for _, o := range operations {
		if o.kind == kind {
			return o.op
		}
	}
	return 0
}

// report tells of races of an access with earlier ones.
func (j *Judge) report(s reach.Strand, e *event.Event, races []history.Race) {
	for _, r := range races {
		first := Access{Line: int(uint32(r.First.ID)), Op: kindOf(r.Op), Task: j.binder.Name(r.First.Strand.Task()), Site: j.sites[r.First.ID>>32]}
		second := Access{Line: e.Line, Op: e.Kind, Task: j.binder.Name(s.Task()), Site: e.Site}
		j.racy.add(r.Addr, r.Addr+(r.Size-1))
		if j.config.Race != nil {
			j.config.Race(Race{First: first, Second: second, Addr: r.Addr, Size: r.Size})
		}
	}
}

// End says that the run is over. An error is an *event.Error about a task that has not
// ended.
func (j *Judge) End() error {
	j.over(j)
	return j.binder.Finish()
}

// Stats are the counts so far.
func (j *Judge) Stats() Stats {
	j.stats.Engine = j.decider.name()
	j.stats.Tasks, j.stats.Strands = j.binder.Run.Tasks(), j.binder.Run.Strands()
	return j.stats
}

// Escalations are the exchanges of engines that Auto made, in their order.
func (j *Judge) Escalations() []Escalation {
	if a, ok := j.decider.(*auto); ok {
		return a.steps
	}
	return nil
}

// Racy is the set of bytes that race. It is complete after End.
func (j *Judge) Racy() *Bytes { return &j.racy }
