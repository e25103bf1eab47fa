package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// The flags of test binaries that go test knows without their prefix "test.".
var (
	testBools  = []string{"artifacts", "benchmem", "failfast", "fullpath", "short", "v"}
	testValues = []string{"bench", "benchtime", "blockprofile", "blockprofilerate", "count", "cpu", "cpuprofile",
		"fuzzminimizetime", "fuzztime", "list", "memprofile", "memprofilerate", "mutexprofile", "mutexprofilefraction",
		"outputdir", "parallel", "run", "shuffle", "skip", "timeout", "trace"}
	profiles = []string{"blockprofile", "cpuprofile", "memprofile", "mutexprofile", "trace"}

	// testRefused are flags that cannot be had behind --, with what to do.
	testRefused = map[string]string{
		"c": "detrace test runs what it builds; leave it out", "cover": "its counters would be reported as races; leave it out",
		"coverprofile": "its counters would be reported as races; leave it out",
		"covermode":    "its counters would be reported as races; leave it out",
		"exec":         "detrace starts the tests itself; leave it out",
		"fuzz":         "fuzzing runs its inputs in other processes; leave it out, and the seeds are judged",
		"json":         "it is a flag of detrace test itself and goes before --",
		"race":         "detrace takes its place; leave it out",
		"tags":         "it is a flag of detrace test itself and goes before --",
		"vet":          "detrace runs no vet; leave it out",
	}
)

// defaultTimeout is that of go test.
const defaultTimeout = 10 * time.Minute

// testArgs is what go test would make of the arguments behind --.
type testArgs struct {
	binary  []string // for the test binary
	timeout time.Duration
	verbose bool // the output of tests that pass is wanted too
}

// parseTestArgs gives the flags of go test their prefix and leaves those of the
// package's own as they are.
func parseTestArgs(args []string) (*testArgs, error) {
	t := &testArgs{timeout: defaultTimeout, binary: []string{"-test.paniconexit0"}}
	given := map[string]bool{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		switch {
		case !strings.HasPrefix(arg, "-"):
			t.binary = append(t.binary, arg)
			continue
		case name == "args":
			t.binary = append(t.binary, args[i+1:]...)
			i = len(args)
			continue
		case testRefused[name] != "":
			return nil, fmt.Errorf("-%s cannot be combined with detrace test: %s", name, testRefused[name])
		case slices.Contains(testBools, name):
			if !hasValue {
				value = "true"
			}
		case !slices.Contains(testValues, name):
			t.binary = append(t.binary, arg)
			continue
		case !hasValue && i+1 == len(args):
			return nil, fmt.Errorf("the value of -%s is missing; see 'go help testflag'", name)
		case !hasValue:
			i++
			value = args[i]
		}
		if err := t.note(name, value); err != nil {
			return nil, err
		}
		given[name] = true
		t.binary = append(t.binary, "-test."+name+"="+value)
	}
	return t, t.complete(given)
}

// note keeps what detrace itself must know of a flag.
func (t *testArgs) note(name, value string) error {
	switch name {
	case "timeout":
		d, err := time.ParseDuration(value)
		if value != "0" && err != nil {
			return fmt.Errorf("-timeout %s is no duration, such as 30s", value)
		}
		t.timeout = d
	case "v":
		t.verbose = value != "false" && value != "0"
	case "bench", "list":
		t.verbose = true
	}
	return nil
}

// complete adds what go test adds. Flags of the package's own may end the list, so
// these come first.
func (t *testArgs) complete(given map[string]bool) error {
	first := []string{}
	if !given["timeout"] {
		first = append(first, "-test.timeout="+defaultTimeout.String())
	}
	if slices.ContainsFunc(profiles, func(name string) bool { return given[name] }) && !given["outputdir"] {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		first = append(first, "-test.outputdir="+dir)
	}
	t.binary = append(first, t.binary...)
	return nil
}
