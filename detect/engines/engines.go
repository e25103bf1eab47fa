// Package engines makes any engine of structured programs by its name.
package engines

import (
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
)

// ID is an engine. The numbers are part of the record format.
type ID uint32

// The engines that run in both homes. 0 is none.
const (
	SPBags ID = iota + 1
	MultiBags
	MultiBagsPlus
	RSketch
	Lattice
	DRDP
	Order
	SFOrder
	FOrder
	JoinTree
)

var names = [...]string{"", "spbags", "multibags", "multibagsplus", "rsketch", "lattice", "drdp", "order", "sforder", "forder", "jointree"}

// String is the name of the engine's package.
func (id ID) String() string {
	if int(id) < len(names) {
		return names[id]
	}
	return ""
}

// Named is the engine of that name, 0 if there is none.
func Named(name string) ID {
	for id := SPBags; int(id) < len(names); id++ {
		if names[id] == name {
			return id
		}
	}
	return 0
}

// Any has room for one engine of any kind. It must not be copied while one runs.
type Any struct {
	spbags        spbags.Engine
	multibags     multibags.Engine
	multibagsplus multibagsplus.Engine
	rsketch       rsketch.Engine
	lattice       lattice.Engine
	drdp          drdp.Engine
	order         order.Engine
	sforder       sforder.Engine
	forder        forder.Engine
	jointree      jointree.Structured
	made          ID
}

// Engine is one of them.
type Engine interface {
	reach.Engine
	Init(maxTasks, maxStrands uint32)
	Bytes() uint64
}

// Start makes the engine id with room for so many tasks and strands, its root task
// running. nil if there is no such engine.
func (a *Any) Start(id ID, maxTasks, maxStrands uint32) Engine {
	e := a.engine(id)
	if e != nil {
		a.made = id
		e.Init(maxTasks, maxStrands)
	}
	return e
}

// Dear reports whether the engine that was made has found that it had better not go on.
func (a *Any) Dear() bool { return a.made == DRDP && a.drdp.Dear() }

// Parallel reports whether engine id can judge parallel runs: it takes constructs in any
// order, and answers about any two strands meanwhile.
func (a *Any) Parallel(id ID) bool {
	e := a.engine(id)
	return e != nil && e.Traits().Order == reach.AnyOrder && e.Traits().Pairs
}

// Made is the engine that was made, nil if none was.
func (a *Any) Made() Engine { return a.engine(a.made) }

func (a *Any) engine(id ID) Engine {
	switch id {
	case SPBags:
		return &a.spbags
	case MultiBags:
		return &a.multibags
	case MultiBagsPlus:
		return &a.multibagsplus
	case RSketch:
		return &a.rsketch
	case Lattice:
		return &a.lattice
	case DRDP:
		return &a.drdp
	case Order:
		return &a.order
	case SFOrder:
		return &a.sforder
	case FOrder:
		return &a.forder
	case JoinTree:
		return &a.jointree
	}
	return nil
}
