// Command detrace judges a Go program by one run on one input: no schedule
// races on that input, or here is the pair of lines that does.
//
//	detrace run ./cmd/app -- args
//
// See "detrace help".
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/detrace/detrace/instrument"
)

// Exit codes, the same for every output format.
const (
	exitOK      = 0
	exitError   = 1 // usage, build or records
	exitProgram = 2 // the judged program itself failed
	exitRace    = 3
	exitStrict  = 4 // not certified, with -strict
)

// command is one subcommand.
type command struct {
	name    string
	summary string // one line for the list of commands
	usage   string // what follows the name
	about   string // paragraphs for "detrace help name"
	// run gets the arguments behind the name; its error means exitError.
	run func(c *command, args []string) (code int, err error)
}

var commands []*command

func init() {
	commands = []*command{runCommand, testCommand, buildCommand, reportCommand, replayCommand, tp3Command, benchCommand, versionCommand, helpCommand}
}

func find(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

func main() { os.Exit(dispatch(os.Args[1:])) }

func dispatch(args []string) int {
	if len(args) == 0 {
		printUsage(os.Stderr)
		return exitError
	}
	name := args[0]
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	c := find(name)
	if c == nil {
		return failed("detrace", fmt.Errorf("unknown command %q; see 'detrace help'", name))
	}
	code, err := c.run(c, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		printHelp(os.Stdout, c)
		return exitOK
	case err != nil && code != exitRace:
		return failed("detrace "+c.name, err)
	case err != nil:
		failed("detrace "+c.name, err)
	}
	return code
}

// failed prints an error as one line. What a failed command printed belongs
// to the error and stands above it.
func failed(prefix string, err error) int {
	var build *instrument.Error
	if errors.As(err, &build) {
		io.WriteString(os.Stderr, build.Output)
	}
	fmt.Fprintf(os.Stderr, "%s: %v\n", prefix, err)
	return exitError
}

// flags is a flag set in the manner of the go command: errors are returned,
// in one line that says where help is.
func (c *command) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(c.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

func (c *command) parse(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return fmt.Errorf("%w; see 'detrace help %s'", err, c.name)
}

// splitDashes cuts args at the first "--": what follows belongs to the program.
func splitDashes(args []string) (own, program []string) {
	for i, a := range args {
		if a == "--" {
			return args[:i], args[i+1:]
		}
	}
	return args, nil
}

// checkPackage wants one package, or the .go files of one.
func checkPackage(c *command, args []string) error {
	files := 0
	for i, a := range args {
		switch {
		case strings.HasPrefix(a, "-"):
			return fmt.Errorf("%s stands behind the package; flags go before it: detrace %s %s", a, c.name, c.usage)
		case strings.HasSuffix(a, ".go"):
			files++
		case i > 0 && c.name == "run":
			return fmt.Errorf("%q is a second package; arguments of the program go behind --: detrace run %s -- %s", a, args[0], strings.Join(args[1:], " "))
		}
	}
	if len(args) > 1 && files < len(args) {
		return fmt.Errorf("%q is a second package; name one", args[1])
	}
	return nil
}
