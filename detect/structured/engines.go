package structured

import (
	"fmt"
	"strings"

	"github.com/detrace/detrace/construct"
	"github.com/detrace/detrace/history"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/drdp"
	"github.com/detrace/detrace/reach/forder"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/lattice"
	"github.com/detrace/detrace/reach/multibags"
	"github.com/detrace/detrace/reach/multibagsplus"
	"github.com/detrace/detrace/reach/order"
	"github.com/detrace/detrace/reach/rsketch"
	"github.com/detrace/detrace/reach/sforder"
	"github.com/detrace/detrace/reach/spbags"
	"github.com/detrace/detrace/reach/vclock"
)

// engine is what this package asks of engines.
type engine interface {
	reach.Engine
	Init(maxTasks, maxStrands uint32)
	Close()
}

// entry is an engine that can be asked for by name.
type entry struct {
	name    string
	order   reach.Order
	fresh   func() engine
	history func(reach.Engine) *history.History // the smallest that is sound for its class and order
	// auto: how early an automatic choice tries it, of the engines of its order; 0 never,
	// because another one there takes as much and is no dearer.
	auto int
}

func readerList(e reach.Engine) *history.History { return history.NewReaderList(e) }

// engines are sorted by what they require of the order, then by cost.
var engines = []entry{
	{"spbags", reach.DepthFirst, func() engine { return new(spbags.Engine) },
		func(e reach.Engine) *history.History { return history.NewOneReader(e) }, 0},
	{"lattice", reach.DepthFirst, func() engine { return new(lattice.Engine) },
		func(e reach.Engine) *history.History { return history.NewSuprema(e.(history.Sup)) }, 2},
	{"multibags", reach.DepthFirst, func() engine { return new(multibags.Engine) }, readerList, 1},
	{"multibagsplus", reach.DepthFirst, func() engine { return new(multibagsplus.Engine) }, readerList, 3},
	{"drdp", reach.Stacked, func() engine { return new(drdp.Engine) }, readerList, 1},
	{"order", reach.AnyOrder, func() engine { return new(order.Engine) },
		func(e reach.Engine) *history.History { return history.NewTwoReaders(e.(history.EnglishOrder)) }, 1},
	{"sforder", reach.AnyOrder, func() engine { return new(sforder.Engine) },
		func(e reach.Engine) *history.History { return history.NewTwoPerFuture(e.(history.Futures)) }, 2},
	{"rsketch", reach.AnyOrder, func() engine { return new(rsketch.Engine) }, readerList, 0},
	{"forder", reach.AnyOrder, func() engine { return new(forder.Engine) }, readerList, 3},
	{"jointree", reach.AnyOrder, func() engine { return new(jointree.Structured) }, readerList, 4},
	{"vclock", reach.AnyOrder, func() engine { return new(clocks) }, readerList, 0},
}

// clocks is the engine vclock, whose memory is on the Go heap and needs no room.
type clocks struct{ vclock.Structured }

func (*clocks) Init(_, _ uint32) {}

// Engines are the names of all engines, without Auto and Oracle.
func Engines() []string {
	names := make([]string, len(engines))
	for i, e := range engines {
		names[i] = e.name
	}
	return names
}

func newDecider(c *Config) (decider, error) {
	switch c.Engine {
	case Auto:
		return newAuto(c), nil
	case Oracle:
		return newOracle(), nil
	}
	for i := range engines {
		if e := &engines[i]; e.name == c.Engine {
			o := e.start(c)
			return &fixed{ordered: o, history: e.history(o.engine)}, nil
		}
	}
	return nil, fmt.Errorf("there is no engine %q; there are %s, %s and %s", c.Engine, strings.Join(Engines(), ", "), Auto, Oracle)
}

// ordered is an engine that is told of nothing out of its order.
type ordered struct {
	engine
	name       string
	order      reach.Order
	depthFirst construct.DepthFirst
}

func (e *entry) start(c *Config) *ordered {
	o := &ordered{engine: e.fresh(), name: e.name, order: e.order}
	o.Init(c.Tasks, c.Strands)
	if e.order == reach.DepthFirst {
		o.depthFirst.Init(c.Tasks)
	}
	return o
}

func (o *ordered) Close() {
	o.engine.Close()
	if o.order == reach.DepthFirst {
		o.depthFirst.Close()
	}
}

// Do tells of a construct.
func (o *ordered) Do(c *reach.Construct) reach.Refusal {
	if o.order == reach.DepthFirst {
		if refusal := o.depthFirst.Do(c); refusal.Refused() {
			return o.explain(refusal)
		}
	}
	return o.engine.Do(c)
}

func (o *ordered) explain(r reach.Refusal) reach.Refusal {
	r.Why += "; " + o.name + " takes no other order, forder, jointree and vclock take any"
	return r
}

// stacked is what an engine of the order reach.Stacked has beside the others: it is told
// that a task runs, which a construct of the task would tell too.
type stacked interface {
	Runs(t reach.Task) reach.Refusal
}

// bytes is the memory in use, 0 if the engine does not say.
func (o *ordered) bytes() uint64 {
	if e, ok := o.engine.(interface{ Bytes() uint64 }); ok {
		return e.Bytes()
	}
	return 0
}

// mayAccess refuses an access of a task that does not run.
func (o *ordered) mayAccess(t reach.Task) reach.Refusal {
	switch o.order {
	case reach.DepthFirst:
		if running := o.depthFirst.Running(); running != t {
			return o.explain(reach.Refusal{Why: "the order is not depth-first: another task is running, to its end", Other: running})
		}
	case reach.Stacked:
		return o.engine.(stacked).Runs(t)
	}
	return reach.Refusal{}
}
