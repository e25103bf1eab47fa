package conformance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

var (
	modules     = flag.String("modules", "", "\"all\", or module paths separated by commas: runs their own tests under detrace; needs a module proxy")
	writeResult = flag.String("modules-table", "", "the file that the table of -modules all is written to")
)

// moduleTests are modules whose own tests are run, with their dependencies, under
// detrace test. The standard library's have no version. Those of a package that was published
// without its tests are in testdata.
var moduleTests = []struct {
	path, version string
	packages      []string
	flags         string
	what          string
}{
	{"golang.org/x/sync", "v0.24.0", []string{"golang.org/x/sync/..."}, "-short", "errgroup, semaphore, singleflight"},
	{"github.com/sourcegraph/conc", "v0.3.0", []string{"github.com/sourcegraph/conc/..."}, "-short", "structured concurrency"},
	// A hundred thousand tasks that sleep for a microsecond take minutes; and a test that
	// reads a counter too early fails under go test -race as well, in 6 runs of 300.
	{"github.com/alitto/pond/v2", "v2.7.1", []string{"github.com/alitto/pond/v2/..."}, "-short -skip TestSubpoolStopAndWait|TestPoolWithQueueSizeZero|TestResultPoolSubmitContextCanceled", "worker pools"},
	{"github.com/gammazero/workerpool", "v1.3.0", []string{"github.com/gammazero/workerpool"}, "-short", "a worker pool"},
	{"github.com/gammazero/deque", "v1.2.3", []string{"github.com/gammazero/deque"}, "-short", "a queue"},
	{"github.com/samber/lo", "v1.53.0", []string{"github.com/samber/lo/mutable"}, "-short", "helpers for slices"},
	{"github.com/samber/lo/parallel", "v1.53.0", []string{"./loparallel"}, "-bench . -benchtime 100x", "the same in parallel, tests of ours"},
	{"github.com/patrickmn/go-cache", "v2.1.0+incompatible", []string{"github.com/patrickmn/go-cache"}, "-short", "a cache with expiry"},
	{"github.com/jellydator/ttlcache/v3", "v3.4.1", []string{"github.com/jellydator/ttlcache/v3"}, "-short", "a cache with expiry"},
	// A test of its package expirable depends on the time it takes, also without detrace.
	{"github.com/hashicorp/golang-lru/v2", "v2.0.7", []string{"github.com/hashicorp/golang-lru/v2", "github.com/hashicorp/golang-lru/v2/simplelru"}, "-short", "an LRU cache"},
	// The tests with G are the same once more, and long.
	{"github.com/google/btree", "v1.1.3", []string{"github.com/google/btree"}, "-short -skip G$", "sorted maps"},
	{"github.com/tidwall/gjson", "v1.20.0", []string{"github.com/tidwall/gjson"}, "-short -skip TestRandomValidStrings", "a JSON parser"},
	{"github.com/BurntSushi/toml", "v1.6.0", []string{"github.com/BurntSushi/toml"}, "-short", "a TOML parser"},
	{"std", "", []string{"sort", "strings", "encoding/json", "compress/flate", "net/http/httptest"}, "-short", "the standard library"},
}

// moduleFindings are the races that these tests have, by fingerprint, with why they are
// real. There is none so far.
var moduleFindings = map[string]string{}

// TestModules runs the tests of modules as they are, and under detrace: they must end
// alike, and every race must be one that is explained.
func TestModules(t *testing.T) {
	if *modules == "" {
		t.Skip("it downloads modules and takes several minutes: go test ./conformance -run TestModules -timeout 1h -args -modules all")
	}
	command := filepath.Join(t.TempDir(), "detrace")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/detrace/detrace/cmd/detrace").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var table bytes.Buffer
	fmt.Fprintf(&table, "| module | version | tests | as without detrace | race | not certified | determinate |\n|---|---|---|---|---|---|---|\n")
	for _, m := range moduleTests {
		if *modules != "all" && !slices.Contains(strings.Split(*modules, ","), m.path) {
			continue
		}
		t.Run(m.path, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/judge\n\ngo 1.25\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			if m.version != "" {
				get := exec.Command("go", "get", "-t", m.path+"/...@"+m.version)
				get.Dir = dir
				if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
					t.Fatal(err)
				}
				if out, err := get.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			flags := strings.Fields(m.flags)
			plain := plainOutcomes(t, dir, m.packages, flags)
			judged := judgedOutcomes(t, command, dir, m.packages, flags)
			same, counts := 0, map[race.Verdict]int{}
			for i := range judged.Tests {
				test := &judged.Tests[i]
				counts[test.Verdict]++
				switch want := plain[test.ID()]; {
				case want == string(test.Outcome) || want == "" && test.Outcome == race.Pass:
					same++
				default:
					t.Errorf("%v %s, without detrace %s", test.ID(), test.Outcome, want)
				}
			}
			version := m.version
			if version == "" {
				version = runtime.Version()
			}
			explain(t, judged)
			fmt.Fprintf(&table, "| %s (%s) | %s | %d | %d | %d | %d | %d |\n", m.path, m.what, version, len(judged.Tests),
				same, counts[race.Racy], counts[race.NotCertified], counts[race.Determinate])
		})
	}
	t.Logf("\n%s", &table)
	if *writeResult != "" {
		if err := os.WriteFile(*writeResult, table.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// plainOutcomes is how tests end under go test.
func plainOutcomes(t *testing.T, dir string, packages, flags []string) map[race.TestName]string {
	t.Helper()
	cmd := exec.Command("go", append(append([]string{"test", "-json", "-count=1", "-vet=off"}, packages...), flags...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	outcomes := map[race.TestName]string{}
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test string }
		if json.Unmarshal(line, &e) == nil && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
			outcomes[race.TestName{Package: e.Package, Name: e.Test}] = e.Action
		}
	}
	if len(outcomes) == 0 {
		t.Fatalf("go test: %v\n%s", err, tail(out))
	}
	return outcomes
}

// judgedOutcomes is the report of detrace test. The tests run with -v, as they do with
// -json: some look at it.
func judgedOutcomes(t *testing.T, command, dir string, packages, flags []string) *race.Report {
	t.Helper()
	file := filepath.Join(dir, "report.json")
	cmd := exec.Command(command, append(append([]string{"test", "-format", "json=" + file}, packages...), append([]string{"--", "-v"}, flags...)...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	f, openErr := os.Open(file)
	if openErr != nil {
		t.Fatalf("detrace test: %v\n%s", err, tail(out))
	}
	defer f.Close()
	r, err := race.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// explain wants a reason for every race.
func explain(t *testing.T, r *race.Report) {
	t.Helper()
	for i := range r.Races {
		found := &r.Races[i]
		if moduleFindings[found.Fingerprint] == "" {
			t.Errorf("race %s: %s at %s:%d and %s:%d, in %v", found.Fingerprint, found.Location.Name,
				found.First.Pos.File, found.First.Pos.Line, found.Second.Pos.File, found.Second.Pos.Line, found.Tests)
		}
	}
}
