package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/detrace/detrace/bench/measure"
)

// A result is all runs of a workload, by tool; a tool without a binary has none.
type result struct {
	workload
	runs [measure.Tools]measure.Runs
}

var toolNames = [measure.Tools]string{"plain", "-race", "detrace"}

// compare runs the binaries in turn, rounds times, so that whatever else the machine
// does meets all of them. It fails when one crashes, reports a race, or prints another
// result than the plain program.
func compare(ctx context.Context, w workload, binaries measure.Binaries, rounds int) (result, error) {
	r := result{workload: w}
	var want []byte
	for range rounds {
		for tool, binary := range binaries {
			if binary == "" {
				continue
			}
			out, one, err := measure.Execute(ctx, binary, w.args)
			if err != nil {
				return r, fmt.Errorf("%s, %s: %w", w.name, toolNames[tool], err)
			}
			if measure.Tool(tool) == measure.Plain {
				want = out.Stdout
			}
			if !bytes.Equal(out.Stdout, want) {
				return r, fmt.Errorf("%s, %s: the result is %q, plain it is %q", w.name, toolNames[tool], out.Stdout, want)
			}
			r.runs[tool] = append(r.runs[tool], one)
		}
	}
	return r, nil
}
