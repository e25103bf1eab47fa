package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

var (
	idiomsTable = flag.String("idioms", "", "the file that the table of TestIdioms is written to; with -runs 50 it is that of docs/results/idioms.md")
	raceRuns    = flag.Int("race-runs", 0, "how often TestIdioms runs what go build -race makes of a program, with GOMAXPROCS=1 and with 2 each time; needs a C compiler")
)

// An idiom is a well-known way to be wrong in Go, or right.
type idiom struct {
	id       string
	what     string
	program  string // below testdata, without .go
	measured bool   // go build -race judges it by the schedule, or not at all
}

// The idioms that users of race detectors write about. A program of either/ has a pair that is a
// race or ordered by luck, as the schedule decides; that of tests/ is a test.
var idioms = []idiom{
	{"01", "loop variable shared by the goroutines of a loop", "race_loop_variable", false},
	{"02", "outer err assigned in a goroutine and beside it", "race_outer_err", false},
	{"03", "named result captured, and written by return", "race_named_result", false},
	{"03b", "named result written by a deferred function", "race_named_result_defer", false},
	{"04", "functions of an errgroup assign an outer err", "race_errgroup_outer_err", false},
	{"05", "append to a shared slice", "race_append_shared_slice", false},
	{"06", "slice passed by value at the go statement, append under a lock", "either/header_by_value", true},
	{"07", "append to one base with spare capacity", "race_append_spare_capacity", false},
	{"08", "concurrent write and read of a map", "race_map_read_write", false},
	{"08b", "distinct keys of one map", "race_map_distinct_keys", false},
	{"09", "mutex copied by value", "race_mutex_copied", false},
	{"10", "future and cancelled context, the value comes", "notcertified_future_cancel", true},
	{"10", "the same, the context wins", "race_future_cancel", false},
	{"11", "Add of a WaitGroup inside the goroutine", "race_wg_add_in_task", false},
	{"11", "the same, the goroutine has ended before Wait", "race_wg_add_ended_early", true},
	{"12", "deferred Done before the last write", "race_done_before_write", false},
	{"13", "partial locking, hidden by the order of the lock", "either/partial_locking", true},
	{"14", "write under a lock for reading", "race_write_under_rlock", false},
	{"15", "double-checked initialisation", "race_double_checked_init", false},
	{"16", "atomic on one side, plain on the other", "race_atomic_and_plain", false},
	{"17", "hidden by fmt.Println", "either/println_between", true},
	{"17", "hidden by a sync.Pool", "either/pool_between", true},
	{"17", "hidden by a sync.Once", "either/once_between", true},
	{"18", "reduction without a lock", "race_reduction", false},
	{"19", "chunks of a stencil off by one", "race_chunks_off_by_one", false},
	{"20", "merge sort that shares its temporary slice", "race_mergesort_shared_tmp", false},
	{"21", "buffer reused after it was sent", "race_buffer_reused_after_send", false},
	{"22", "waits for the wrong future", "race_wrong_future", false},
	{"23", "ordered by Sleep", "race_ordered_by_sleep", false},
	{"24", "check without the lock, update under it", "race_unlocked_check_locked_update", false},
	{"25", "hidden by an unrelated channel", "either/unrelated_channel", true},
	{"26", "stray read, many readers in order, then a write", "race_stray_read", true},
	{"27", "parallel table tests that share a variable", "tests/parallel", false},
	{"28", "field of a configuration changed per request", "race_config_field", false},
	{"29", "mutex local to the function", "race_mutex_local", false},
	{"30", "order of appends under a lock", "notcertified_lock_append", true},
	{"31", "fan-in to one channel", "notcertified_fan_in", true},
	{"32", "sum of floating-point numbers under a lock", "notcertified_lock_float_sum", true},
	{"33", "select with both cases ready", "notcertified_select_both_ready", true},
	{"34", "first error of an errgroup", "notcertified_first_error", true},
	{"34", "first of two calls of Once.Do", "notcertified_once_two_functions", true},
	{"40", "disjoint bytes", "determinate_neighbour_bytes", false},
	{"40", "disjoint fields", "determinate_neighbour_fields", false},
	{"40", "disjoint chunks", "determinate_chunks", false},
	{"41", "fib with futures made of channels", "determinate_future_fib", false},
	{"42", "pipeline of three stages", "determinate_pipeline", false},
	{"43", "workers that claim indices by an atomic counter", "notcertified_atomic_claim", false},
	{"44", "workers that range over one channel, results by index", "notcertified_worker_pool", false},
	{"45", "sync.Once", "determinate_once", false},
	{"45", "sync.OnceValue", "determinate_once_value", false},
	{"45", "sync.Map", "notcertified_sync_map", false},
	{"45", "context", "determinate_context_cancel", false},
	{"45", "time.AfterFunc", "determinate_afterfunc", false},
}

// TestIdioms judges the programs of either/. With -idioms it judges all, and writes the table:
// how many runs gave the right verdict, with the right pairs and reasons, and in how many the
// race detector of Go found something.
func TestIdioms(t *testing.T) {
	rows := make([]string, len(idioms))
	t.Run("judge", func(t *testing.T) {
		for i, x := range idioms {
			t.Run(x.id+"_"+filepath.Base(x.program), func(t *testing.T) {
				t.Parallel()
				switch {
				case x.test() && *idiomsTable != "":
					rows[i] = x.row(race.Racy, x.judgeTest(t), "")
				case x.test(): // TestParallelTests judges it
				default:
					p := x.load(t)
					if *idiomsTable != "" || x.either() {
						verdict, right := x.judge(t, p)
						rows[i] = x.row(verdict, right, x.raced(t, p))
					}
				}
			})
		}
	})
	if *idiomsTable == "" {
		return
	}
	text := strings.Join(slices.DeleteFunc(rows, func(s string) bool { return s == "" }), "")
	if err := os.WriteFile(*idiomsTable, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (x idiom) test() bool { return strings.HasPrefix(x.program, "tests/") }

func (x idiom) either() bool { return strings.HasPrefix(x.program, "either/") }

func (x idiom) load(t *testing.T) program {
	path := "./testdata/" + x.program + ".go"
	verdict := race.Racy
	if !x.either() {
		verdict = verdictOf(t, x.program)
	}
	p := newProgram(t, filepath.Base(x.program), path, filepath.Join(root, path), verdict)
	p.either = x.either()
	return p
}

// row is a line of the table.
func (x idiom) row(verdict race.Verdict, right [2]int, raced string) string {
	told := string(verdict)
	if x.either() {
		told = "race or luck"
	}
	link := x.program + ".go"
	if x.test() {
		link = x.program
	}
	return fmt.Sprintf("| %s | %s | [%s](../../testdata/%s) | %s | %d, %d of %d | %s |\n", x.id, x.what, x.program, link, told, right[0], right[1], *runs, raced)
}

// judge counts the runs that were as wanted, with one processor and with two.
func (x idiom) judge(t *testing.T, p program) (verdict race.Verdict, right [2]int) {
	dir := t.TempDir()
	binary := p.build(t, dir)
	for run := range 2 * *runs {
		r := p.run(t, dir, binary, 1+run%2)
		d := p.wants.compare(r)
		if x.either() {
			d = p.wants.compareEither(r)
		}
		if d.empty() {
			right[run%2]++
		} else {
			t.Errorf("run %d, GOMAXPROCS=%d:%v", run, 1+run%2, d)
		}
		verdict = r.Verdict
	}
	return verdict, right
}

// judgeTest does the same with the parallel tests of a table: each must be told to race, with
// another one.
func (x idiom) judgeTest(t *testing.T) (right [2]int) {
	file := filepath.Join(t.TempDir(), "report.json")
	for run := range 2 * *runs {
		out, code := command(t, root, []string{fmt.Sprint("GOMAXPROCS=", 1+run%2)}, detrace, "test", "-format", "json="+file, "./testdata/"+x.program, "--", "-run", "TestRaceTable")
		r := decode(t, file)
		racing := 0
		for i := range r.Tests {
			if r.Tests[i].Verdict == race.Racy && strings.Contains(r.Tests[i].Name, "/") {
				racing++
			}
		}
		if code == 3 && len(r.Races) == 1 && racing == 3 {
			right[run%2]++
		} else {
			t.Errorf("run %d: exit code %d, %d races, %d tests with one\n%s", run, code, len(r.Races), racing, out)
		}
	}
	return right
}

// raced is in how many runs the race detector of Go found something.
func (x idiom) raced(t *testing.T, p program) string {
	if *raceRuns == 0 || !x.measured {
		return ""
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "raced")
	build := exec.Command("go", "build", "-race", "-o", binary, p.path)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build -race: %v\n%s", err, out)
	}
	var found [2]int
	for run := range 2 * *raceRuns {
		// All goroutines have ended when the program does: there is nothing to sleep for.
		env := []string{"GORACE=atexit_sleep_ms=0", fmt.Sprint("GOMAXPROCS=", 1+run%2)}
		if out, _ := command(t, dir, env, binary); strings.Contains(out, "DATA RACE") {
			found[run%2]++
		}
	}
	return fmt.Sprintf("%d, %d of %d", found[0], found[1], *raceRuns)
}

// compareEither holds the report of a program in either/ against the expectation: the pair is
// a race or luck, and no other pair and no other reason is there.
func (e *expectation) compareEither(r *race.Report) (d difference) {
	if r.Verdict == race.Determinate {
		d.other = append(d.other, "verdict determinate")
	}
	seen := map[pair]bool{}
	tell := func(found race.Race) {
		p := e.pairOf(found)
		if !e.races[p] {
			d.falsePositives = append(d.falsePositives, p)
		}
		seen[p] = true
		d.other = append(d.other, e.compareRace(found)...)
	}
	for _, found := range r.Races {
		tell(found)
	}
	for _, reason := range r.Reasons {
		if reason.Pair != nil {
			tell(*reason.Pair)
		} else if at := (access{e.lineOf(reason.Pos), reason.Code}); !e.reasons[at] {
			d.other = append(d.other, fmt.Sprintf("reason %s at line %d is not wanted", at.name, at.line))
		}
	}
	for p := range e.races {
		if !seen[p] {
			d.falseNegatives = append(d.falseNegatives, p)
		}
	}
	return d
}
