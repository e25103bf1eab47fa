package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/detrace/detrace/bench/measure"
)

// stress is what the stress tests of the join tree's lock-free queries came to, under
// Go's race detector and on all processors.
type stress struct {
	answers int    // of the engine, each compared with the oracle
	why     string // it was not run; empty if it was
	failed  bool
}

var answersSaid = regexp.MustCompile(`(\d+) answers`)

// stressed runs the test. It needs a C compiler and the module's sources.
func stressed(ctx context.Context, quick bool) stress {
	if quick {
		return stress{why: "not run with -quick"}
	}
	root, err := measure.ModuleRoot(ctx)
	if err != nil {
		return stress{why: err.Error()}
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-race", "-count=1", "-v", "-run", "^Test(Stress|LinkContention|ChainContention)$", "./reach/jointree")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	return stressIn(out, err)
}

// stressIn reads what the test printed.
func stressIn(out []byte, err error) (s stress) {
	for _, found := range answersSaid.FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(found[1])) // digits
		s.answers += n
	}
	switch {
	case err == nil:
	case bytes.Contains(out, []byte("--- FAIL")):
		s.failed = true
	default:
		line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
		s.why = fmt.Sprintf("go test -race: %v: %s", err, line)
	}
	return s
}

// target is the row about it.
func (s stress) target(processors int) target {
	t := target{what: "join tree, lock-free queries under Go's race detector", want: fmt.Sprintf("no report on %d processors", processors)}
	switch {
	case s.why != "":
		t.got, t.verdict = s.why, unknown
	case s.failed:
		t.got, t.verdict = "a race or a wrong answer", missed
	default:
		t.got, t.verdict = fmt.Sprintf("%d answers, all right, no report", s.answers), met
	}
	return t
}
