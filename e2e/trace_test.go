package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// traced are programs whose traces are replayed, but for the examples.
var traced = []string{
	// Goroutines: what they share and what orders them.
	"race_atomic_and_plain.go", "race_append_shared_slice.go", "race_different_locks.go", "race_map_write_write.go",
	"race_chan_capacity_edge.go", "race_mutex_local.go", "race_done_before_write.go", "race_goroutine_leak.go",
	"race_three_writers.go", "race_mergesort_shared_tmp.go", "race_then_kill.go", "race_then_close_all_files.go",
	"determinate_memory_reuse.go", "determinate_finalizer.go", "determinate_ping_pong.go", "determinate_wg_two_waiters.go",
	"determinate_zero_size_tokens.go", "notcertified_rwmutex.go", "notcertified_sync_map.go", "notcertified_deadlock.go",
	// Constructs of package task.
	"task/race_drb001", "task/race_finish", "task/race_future", "task/race_group", "task/race_line", "task/race_pipeline",
	"task/race_promise", "task/race_wavefront", "task/determinate_finish", "task/determinate_line", "task/determinate_promise",
	"task/determinate_future_tree", "task/determinate_panics_recovered", "task/notcertified_panics",
}

// smallest has arguments for the examples with which their traces are short.
var smallest = map[string][]string{
	"wordfreq":  {"-size", "20000"},
	"mergesort": {"-n", "5000"},
	"matmul":    {"-n", "16"},
	"blur":      {"-size", "16"},
	"pipeline":  {"-n", "20"},
	"walk":      {"-depth", "2"},
}

// TestTraces writes a trace of programs and wants replay to find the races that the run
// has found: bytes that race, the same under all engines, and pairs of lines that the
// oracle knows, who knows all. Which of them a history tells of depends on what it keeps
// of accesses that later, ordered ones cover, and in which order they came.
func TestTraces(t *testing.T) {
	var programs []program
	for _, name := range traced {
		programs = append(programs, program{name: strings.TrimSuffix(filepath.Base(name), ".go"), path: "./testdata/" + name})
	}
	for _, p := range examples(t) {
		name, _, _ := strings.Cut(p.name, "-")
		programs = append(programs, program{name: p.name, path: p.path, args: smallest[name]})
	}
	for i, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			trace, rendered := filepath.Join(dir, "trace.txt"), filepath.Join(dir, "report.json")
			if i%2 == 1 {
				trace = filepath.Join(dir, "trace.dtrace")
			}
			args := append([]string{"run", "-format", "json=" + rendered, "-trace", trace, p.path, "--"}, p.args...)
			out, _ := command(t, root, nil, detrace, args...)
			if strings.Contains(out, "detrace run:") {
				t.Fatal(out)
			}
			compareReplays(t, p, trace, decode(t, rendered))
		})
	}
}

func compareReplays(t *testing.T, p program, trace string, r *race.Report) {
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, x := range r.Races {
		found[sites(site(here, x.First.Pos), site(here, x.Second.Pos))] = true
	}
	auto := replay(t, trace, "auto")
	all := replay(t, trace, "oracle")
	if all == nil && !strings.HasPrefix(p.path, "./examples/") {
		t.Error("the oracle refuses a small trace")
	}
	for engine, got := range map[string]*replayed{"auto": auto, "jointree": replay(t, trace, "jointree"), "oracle": all} {
		if got == nil {
			continue
		}
		if all != nil {
			within(t, engine, got.pairs, all.pairs)
			within(t, "run", found, all.pairs)
		}
		if (len(got.pairs) > 0) != (len(found) > 0) {
			t.Errorf("%s: %d races in the trace, %d in the run", engine, len(got.pairs), len(found))
		}
		for _, x := range r.Races {
			if addr, err := strconv.ParseUint(x.Location.Addr, 0, 64); err != nil || !got.bytes[addr] {
				t.Errorf("%s: %s does not race in the trace, %v", engine, x.Location.Addr, err)
			}
		}
		if len(got.bytes) != len(auto.bytes) {
			t.Errorf("%s: %d bytes race, %d under auto", engine, len(got.bytes), len(auto.bytes))
		}
	}
}

// within wants every pair that who tells of to be one that the oracle knows.
func within(t *testing.T, who string, pairs, all map[string]bool) {
	for pair := range pairs {
		if !all[pair] {
			t.Errorf("%s: the oracle knows of no race %s", who, pair)
		}
	}
}

func site(dir string, p race.Pos) string {
	file := p.File
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return fmt.Sprint(file, ":", p.Line)
}

// sites is a pair of sites, in one order.
func sites(a, b string) string { return min(a, b) + " and " + max(a, b) }

// replayed is what replay says of a trace.
type replayed struct {
	pairs map[string]bool
	bytes map[uint64]bool
}

// replay judges a trace; nil if the oracle refuses it because of its size.
func replay(t *testing.T, trace, engine string) *replayed {
	out, code := command(t, root, nil, detrace, "replay", "-engine", engine, "-format", "json", trace)
	if engine == "oracle" && code == 1 && strings.Contains(out, "name an engine") {
		return nil
	}
	var report struct {
		Races []struct {
			First, Second struct{ Site string }
			Addr          string
			Size          uint64
		}
	}
	_, out, _ = strings.Cut("\n"+out, "\n{") // engines that auto exchanged stand before
	if err := json.Unmarshal([]byte("{"+out), &report); err != nil || (code == 3) != (len(report.Races) > 0) {
		t.Fatalf("replay -engine %s: exit code %d, %v\n%s", engine, code, err, out)
	}
	r := &replayed{make(map[string]bool), make(map[uint64]bool)}
	for _, x := range report.Races {
		r.pairs[sites(x.First.Site, x.Second.Site)] = true
		addr, err := strconv.ParseUint(x.Addr, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		for b := range x.Size {
			r.bytes[addr+b] = true
		}
	}
	return r
}
