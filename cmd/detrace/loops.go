package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/detrace/detrace/instrument/coalesce"
)

// explainLoops prints what became of each loop, a line each, and below those whose
// accesses are checked together what was proven.
func explainLoops(w io.Writer, loops []coalesce.Loop) {
	together := 0
	for _, l := range loops {
		at := fmt.Sprintf("%s:%d:%d", shortName(l.File), l.Line, l.Column)
		switch {
		case l.Inside:
			fmt.Fprintf(w, "%s: together, as a part of the loop around it\n", at)
		case l.Coalesced:
			fmt.Fprintf(w, "%s: together\n", at)
			for _, what := range l.Proven {
				fmt.Fprintf(w, "\t%s\n", what)
			}
		default:
			fmt.Fprintf(w, "%s: one by one: %s\n", at, l.Why)
		}
		if l.Coalesced {
			together++
		}
	}
	fmt.Fprintf(w, "loops: %d, of which the accesses of %d are checked together\n", len(loops), together)
}

// shortName is a file's name relative to the working directory, if it is below.
func shortName(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return name
}
