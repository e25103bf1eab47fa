package conformance

import (
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/detrace/detrace"
	"github.com/detrace/detrace/internal/record"
)

var packages = flag.String("packages", "", "\"all\" tests every package of the list, not only the quick ones")

// stdPackages are packages of the standard library whose tests use goroutines,
// or memory in ways that are hard on a detector.
var stdPackages = []struct {
	name string
	slow bool // to build or to run
}{
	{"bufio", false},
	{"bytes", false},
	{"container/list", false},
	{"context", false},
	{"encoding/json", false},
	{"errors", false},
	{"internal/poll", false},
	{"io", false},
	{"iter", false},
	{"log", false},
	{"maps", false},
	{"math/rand/v2", false},
	{"net/textproto", false},
	{"os/signal", false},
	{"slices", false},
	{"sort", false},
	{"sync", false},
	{"sync/atomic", false}, // see spinning
	{"text/template", false},
	{"unique", false},

	{"archive/zip", true},
	{"compress/gzip", true},
	{"crypto/tls", true},
	{"database/sql", true},
	{"encoding/gob", true},
	{"expvar", true},
	{"fmt", true},
	{"html/template", true},
	{"internal/singleflight", true},
	{"internal/sync", true},
	{"log/slog", true},
	{"mime/multipart", true},
	{"net", true},
	{"net/http", true},
	{"net/http/httptest", true},
	{"net/rpc", true},
	{"os", true},
	{"os/exec", true},
	{"path/filepath", true},
	{"reflect", true},
	{"regexp", true},
	{"strconv", true},
	{"strings", true},
	{"testing", true},
	{"testing/synctest", true},
	{"time", true},
	{"weak", true},
}

// spinning is a test of ten goroutines that try again until it is their turn, which takes longer than
// all of the rest of the quick packages. Others of its package use the same operations.
const spinning = "^TestValueCompareAndSwapConcurrent$"

// TestStandardLibrary runs tests of the standard library. They are known to be
// free of races, and must come out as without the detector.
func TestStandardLibrary(t *testing.T) {
	src := filepath.Join(goroot(t), "src")
	for _, p := range stdPackages {
		if p.slow && *packages != "all" {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			dir := filepath.Join(src, filepath.FromSlash(p.name))
			binary := buildTests(t, detrace.Sources, userCache(t), dir, ".")
			// Quiet, because tests start themselves as children and look at
			// what those print.
			records := filepath.Join(t.TempDir(), "records")
			env := []string{"DETRACE_RECORDS=" + records, "DETRACE_QUIET=1"}
			args := []string{"-test.short", "-test.timeout=5m"}
			if *packages != "all" {
				args = append(args, "-test.skip", spinning)
			}
			out, err := execute(t, 5*time.Minute, dir, env, binary, args...)
			found, readErr := record.ReadFile(records)
			if readErr != nil {
				t.Fatal(readErr)
			}
			for _, r := range found.Races {
				t.Errorf("race reported:\n%v\n%v", found.Stacks[r.First.Stack], found.Stacks[r.Second.Stack])
			}
			if err != nil {
				compareWithPlain(t, dir, out, err)
			}
		})
	}
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// compareWithPlain fails unless all tests that failed fail without the detector
// too, as some do in unusual environments.
func compareWithPlain(t *testing.T, dir string, out []byte, err error) {
	t.Helper()
	cmd := exec.Command("go", "test", "-short", "-count=1", "-vet=off", ".")
	cmd.Dir = dir
	plain, plainErr := cmd.CombinedOutput()
	fails, plainFails := failures(out), failures(plain)
	judgedOnly := slices.DeleteFunc(slices.Clone(fails), func(test string) bool {
		return slices.Contains(plainFails, test)
	})
	if len(fails) == 0 || len(judgedOnly) > 0 {
		t.Errorf("%v; failed only with the detector: %q (without: %v)\n%s", err, judgedOnly, plainErr, tail(out))
	}
}

// failures are the names of the failed tests, without subtests.
func failures(out []byte) (names []string) {
	for _, m := range failedTest.FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	return names
}
