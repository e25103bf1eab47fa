// Package program is what every program of the suite has in common: a name, sizes,
// an input made from a seed, a result that checks itself, and a command line.
//
// A program is one directory below bench/suite. The directory's own package has the
// input, the sequential parts and the check, and no concurrency; tasks and goroutines
// below it hold the two parallel forms.
package program

import "fmt"

// A Kind says what a program's memory accesses are like.
type Kind string

// The kinds.
const (
	Dense     Kind = "dense"     // loops over blocks of matrices
	Sort      Kind = "sort"      // divide and conquer over one array
	Wavefront Kind = "wavefront" // blocks that read what their neighbours wrote
	Irregular Kind = "irregular" // pointers and computed indices
	Pipeline  Kind = "pipeline"  // items through stages
	Spawn     Kind = "spawn"     // tasks with next to no work
	Sharing   Kind = "sharing"   // channels, locks and atomics, and little else
)

// Params say how large a run is. What N, Base and Steps count is the program's own:
// see its package comment.
type Params struct {
	N, Base, Steps int
	Seed           uint64
	// General asks for the variant whose futures are got more than once, Racy for
	// the one that lacks an order it needs.
	General, Racy bool
}

// Info describes a program without running it.
type Info struct {
	Name string
	Kind Kind
	// Tiny is for tests, Small for a quick look, Medium for measuring in minutes, and
	// Paper what the papers used.
	Tiny, Small, Medium, Paper Params
	// General and Racy say which variants there are.
	General, Racy bool
	// OnlyGo says that there is only the form in goroutines.
	OnlyGo bool
}

// Sized returns the parameters of a size: tiny, small, medium or paper.
func (i Info) Sized(size string) (Params, error) {
	switch size {
	case "tiny":
		return i.Tiny, nil
	case "small":
		return i.Small, nil
	case "medium":
		return i.Medium, nil
	case "paper":
		return i.Paper, nil
	}
	return Params{}, fmt.Errorf("there is no size %q; there are tiny, small, medium and paper", size)
}

// A Problem is one input and, after the run, its result.
type Problem interface {
	// Check compares the result with what a different, cheaper computation says.
	Check() error
	// Result is a digest of the result, the same in every style.
	Result() uint64
}

// A Program is an Info with one style of solving it.
type Program struct {
	Info
	// Start returns the problem of these parameters and what solves it.
	Start func(Params) (Problem, func(), error)
}

// Of makes a Program. made returns the problem of these parameters or says what is
// wrong with them, and run solves it.
func Of[P Problem](info Info, made func(Params) (P, error), run func(P)) Program {
	return Program{info, func(p Params) (Problem, func(), error) {
		problem, err := made(p)
		return problem, func() { run(problem) }, err
	}}
}

// Run solves the problem of these parameters and returns the digest of its result.
// The error says what is wrong with the parameters or the result.
func (p *Program) Run(params Params) (uint64, error) {
	switch {
	case params.General && !p.Info.General:
		return 0, fmt.Errorf("%s has no variant with general futures", p.Name)
	case params.Racy && !p.Info.Racy:
		return 0, fmt.Errorf("%s has no racy variant", p.Name)
	}
	problem, run, err := p.Start(params)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.Name, err)
	}
	run()
	if err := problem.Check(); err != nil {
		return 0, fmt.Errorf("%s: wrong result: %w", p.Name, err)
	}
	return problem.Result(), nil
}
