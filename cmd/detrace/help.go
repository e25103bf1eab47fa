package main

import (
	"fmt"
	"io"
	"os"
)

var helpCommand = &command{
	name:    "help",
	summary: "explain a command",
	usage:   "[command]",
	about:   "Help explains one command, or lists them all.\n",
	run: func(_ *command, args []string) (int, error) {
		if len(args) == 0 {
			printUsage(os.Stdout)
			return exitOK, nil
		}
		c := find(args[0])
		if c == nil || len(args) > 1 {
			return exitError, fmt.Errorf("no command %q; see 'detrace help'", args[len(args)-1])
		}
		printHelp(os.Stdout, c)
		return exitOK, nil
	},
}

const intro = `detrace decides by one run of a Go program whether any schedule of it can race
on that input, and names both sides of every pair that can.

`

const verdicts = `
Verdicts and exit codes:
  determinate      no schedule races on this input                          0
  not-certified    no race found, but the schedule decides something   0, or 4 with -strict
  race             at least one racing pair                            3, or 0 if all are known
  1: the command line, the build or the records are at fault
  2: the program itself failed and no race was found
`

func printUsage(w io.Writer) {
	fmt.Fprint(w, intro, "Usage: detrace command [arguments]\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-9s%s\n", c.name, c.summary)
	}
	fmt.Fprint(w, "\nSee 'detrace help command'.\n", verdicts)
}

func printHelp(w io.Writer, c *command) {
	fmt.Fprintf(w, "Usage: detrace %s %s\n\n%s", c.name, c.usage, c.about)
}
