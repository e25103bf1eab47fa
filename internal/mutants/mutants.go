// Package mutants shows that a test notices faults: it builds a package with one
// line changed, for each of a list of changes, and the test must fail.
package mutants

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Mutant is a wrong variant of a package that looks right.
type Mutant = struct {
	Name string // what is wrong, in words
	File string // in the package's directory
	Old  string // occurs once there
	New  string
}

// Run builds the package in the current directory with each mutant and runs its
// tests that match the regular expression. A mutant for which they pass, and one that
// does not compile, fails t. Needs the go command; skipped with -short. Of the mutants,
// those of the part that DETRACE_MUTANTS asks for are judged, as in 2/3, else all.
func Run(t *testing.T, tests string, all []Mutant) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the package once for each mutant")
	}
	part, parts := Part(t)
	for i, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(m.File)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(source), m.Old); n != 1 {
				t.Fatalf("%q occurs %d times in %s: the mutant needs a new place", m.Old, n, m.File)
			}
			if i%parts != part-1 {
				t.Skip("not of the part ", part, " of ", parts)
			}
			out, err := testOverlay(t, tests, m.File, strings.Replace(string(source), m.Old, m.New, 1))
			var exit *exec.ExitError
			switch {
			case err == nil:
				t.Errorf("the mutant survives")
			case !errors.As(err, &exit) || strings.Contains(out, "[build failed]"):
				t.Errorf("the mutant was not judged: %v\n%s", err, out)
			}
		})
	}
}

// Part is which part of how many DETRACE_MUTANTS asks for, 1 of 1 if it does not.
func Part(t *testing.T) (part, parts int) {
	t.Helper()
	v := os.Getenv("DETRACE_MUTANTS")
	if v == "" {
		return 1, 1
	}
	if n, err := fmt.Sscanf(v, "%d/%d", &part, &parts); n != 2 || err != nil || part < 1 || part > parts {
		t.Fatalf("DETRACE_MUTANTS is %q, want a part such as 2/3", v)
	}
	return part, parts
}

// testOverlay runs tests with other contents for one file.
func testOverlay(t *testing.T, tests, file, contents string) (output string, err error) {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	mutated, overlay := filepath.Join(dir, filepath.Base(file)), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(mutated, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutated}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, spec, 0o600); err != nil {
		t.Fatal(err)
	}
	// The first test that fails is enough.
	cmd := exec.Command("go", "test", "-overlay", overlay, "-vet=off", "-count=1", "-failfast", "-timeout=60s", "-run="+tests, ".")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
