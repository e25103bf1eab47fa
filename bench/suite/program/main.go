package program

import (
	"flag"
	"fmt"
	"os"
)

// Main is the main function of a style: it runs the program that the first argument
// names with the flags behind it, and exits. The exit code is 1 for a wrong result or
// wrong arguments.
func Main(programs []Program) {
	line, err := run(programs, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(line)
}

// run returns the line that a run prints, which is the same in every style.
func run(programs []Program, args []string) (string, error) {
	p, err := find(programs, args)
	if err != nil {
		return "", err
	}
	params, peak, err := p.parse(args[1:])
	if err != nil {
		return "", err
	}
	digest, err := p.Run(params)
	if err == nil && peak {
		err = printPeak(os.Stderr)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s n=%d base=%d steps=%d seed=%d result=%016x", p.Name, params.N, params.Base, params.Steps, params.Seed, digest), nil
}

func find(programs []Program, args []string) (*Program, error) {
	if len(args) > 0 {
		for i := range programs {
			if programs[i].Name == args[0] {
				return &programs[i], nil
			}
		}
	}
	names := ""
	for _, p := range programs {
		names += " " + p.Name
	}
	return nil, fmt.Errorf("name a program first:%s", names)
}

// parse reads the flags: a size, what differs from it, and whether to print the peak of
// memory.
func (p *Program) parse(args []string) (params Params, peak bool, err error) {
	fs := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	size := fs.String("size", "tiny", "tiny, small, medium or paper")
	var own Params
	fs.IntVar(&own.N, "n", 0, "problem size, 0 for that of -size")
	fs.IntVar(&own.Base, "base", 0, "size of what runs sequentially, 0 for that of -size")
	fs.IntVar(&own.Steps, "steps", 0, "number of steps, 0 for that of -size")
	fs.Uint64Var(&own.Seed, "seed", 1, "what the input is made from")
	fs.BoolVar(&own.General, "general", false, "use general futures")
	fs.BoolVar(&own.Racy, "racy", false, "leave out an order that is needed")
	fs.BoolVar(&peak, "peak", false, "print the peak of resident memory on standard error")
	if err := fs.Parse(args); err != nil {
		return own, false, err
	}
	if fs.NArg() > 0 {
		return own, false, fmt.Errorf("%q is no flag of %s", fs.Arg(0), p.Name)
	}
	params, err = p.Sized(*size)
	return params.with(own), peak, err
}

// with is p with what own sets.
func (p Params) with(own Params) Params {
	own.N = either(own.N, p.N)
	own.Base = either(own.Base, p.Base)
	own.Steps = either(own.Steps, p.Steps)
	return own
}

func either(first, otherwise int) int {
	if first != 0 {
		return first
	}
	return otherwise
}
