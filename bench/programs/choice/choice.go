// Package choice is the command line of a program that is a choice of several: which, and its size.
package choice

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Main runs the one of programs that the first argument names with the size that the second one
// says, and prints its result. Without both it prints how the command of that name is used, and
// exits with code 2.
func Main(command string, programs map[string]func(n int) int) {
	if len(os.Args) == 3 {
		n, err := strconv.Atoi(os.Args[2])
		if run := programs[os.Args[1]]; run != nil && err == nil && n > 0 {
			fmt.Println(run(n))
			return
		}
	}
	names := slices.Sorted(maps.Keys(programs))
	fmt.Fprintf(os.Stderr, "usage: %s %s size\n", command, strings.Join(names, "|"))
	os.Exit(2)
}
