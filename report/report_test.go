package report

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/internal/golden"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/record/recordtest"
	"github.com/detrace/detrace/race"
)

const app = "testdata/app/main.go"

// at is the frame of a function at the line with a mark.
func at(fn, mark string) record.Frame {
	return record.Frame{Func: "main." + fn, File: app, Line: line(mark), StartLine: lineOf("func " + strings.Split(fn, ".")[0] + "(")}
}

func std(fn string) record.Frame {
	return record.Frame{Func: fn, File: "/go/src/std.go", Line: 1, StartLine: 1, Std: true}
}

func line(mark string) int { return lineOf("//: " + mark + "\n") }

func lineOf(text string) int {
	src, err := os.ReadFile(app)
	if err != nil {
		panic(err)
	}
	before, _, ok := strings.Cut(string(src), text)
	if !ok {
		panic("no line with " + text)
	}
	return strings.Count(before, "\n") + 1
}

// errgroupGo stands between a function and the go statement that errgroup runs
// for it.
var errgroupGo = record.Frame{Func: "golang.org/x/sync/errgroup.(*Group).Go", File: "/mod/errgroup.go", Line: 80, StartLine: 70}

var newproc = std("runtime.newproc")

// program starts the records of a program in which main is task 1.
func program() *recordtest.Builder {
	b := recordtest.New()
	b.Writer.Header64(record.OffTasks, 9)
	b.Writer.Header64(record.OffReads, 100)
	b.Writer.Header64(record.OffWrites, 50)
	b.Writer.Header64(record.OffChecked, 25)
	b.Writer.Header64(record.OffStart, 0)
	b.Writer.Header64(record.OffEnd, 1_500_000_000)
	b.Task(1, 0, 0, 0)
	return b
}

var mainFrames = []record.Frame{at("main", "spawn child"), std("runtime.main"), std("runtime.goexit")}

func siblings(b *recordtest.Builder) {
	b.Stack(1, newproc, std("sync.(*WaitGroup).Go"), at("siblings", "spawn siblings"), mainFrames[0], mainFrames[1])
	b.Task(2, 1, 1, 1)
	b.Task(3, 1, 2, 1)
	b.Stack(2, at("siblings.func1", "count"), std("sync.(*WaitGroup).Go.func1"), std("runtime.goexit"))
	b.Race(record.Race{Count: 3, Addr: 0xc000012010, ObjBase: 0xc000012000, ObjSize: 24,
		First: access(2, record.OpWrite, 2), Second: access(3, record.OpRead, 2)})
	b.Race(record.Race{Count: 4, Addr: 0xc000012010, ObjBase: 0xc000012000, ObjSize: 24,
		First: access(2, record.OpWrite, 2), Second: access(3, record.OpWrite, 2)})
}

func parentAndChild(b *recordtest.Builder) {
	b.Stack(11, newproc, at("parent", "spawn child"), mainFrames[0])
	b.Task(12, 1, 5, 11)
	b.Stack(12, at("parent.func1", "child writes"))
	b.Stack(13, at("parent", "parent reads"), mainFrames[0], mainFrames[1], mainFrames[2])
	b.Race(record.Race{Count: 1, Addr: 0xc000014000, ObjBase: 0xc000014000, ObjSize: 8,
		First: access(1, record.OpRead, 13), Second: access(12, record.OpWrite, 12)})
}

// timers are two goroutines that the scheduler starts for nobody: what set them is known.
// One races with main, both with each other.
func timers(b *recordtest.Builder) {
	b.Stack(41, std("runtime.(*timers).run"), std("runtime.schedule"))
	b.Stack(42, std("time.AfterFunc"), at("parent", "spawn child"), mainFrames[0])
	b.Task(41, 0, 3, 41)
	b.Task(42, 41, 0, 42)
	b.Task(43, 41, 1, 42)
	b.Stack(43, at("parent.func1", "child writes"))
	b.Stack(44, at("parent", "parent reads"), mainFrames[0], mainFrames[1], mainFrames[2])
	b.Race(record.Race{Count: 1, Addr: 0xc000014000, ObjBase: 0xc000014000, ObjSize: 8,
		First: access(42, record.OpWrite, 43), Second: access(1, record.OpRead, 44)})
	b.Race(record.Race{Count: 1, Addr: 0xc000014000, ObjBase: 0xc000014000, ObjSize: 8,
		First: access(42, record.OpWrite, 43), Second: access(43, record.OpWrite, 43)})
}

func nested(b *recordtest.Builder) {
	b.Stack(21, newproc, errgroupGo, at("nested", "spawn left"), mainFrames[0])
	b.Stack(22, newproc, errgroupGo, at("nested", "spawn right"), mainFrames[0])
	b.Stack(23, newproc, at("nested.func1", "spawn leaf"), errgroupGo)
	b.Task(21, 1, 7, 21)
	b.Task(22, 1, 8, 22)
	b.Task(23, 21, 0, 23)
	b.Stack(24, std("internal/runtime/maps.(*Iter).Next"), std("runtime.mapIterNext"), at("nested.func2", "right iterates"), errgroupGo)
	b.Stack(25, std("runtime.mapassign_faststr"), at("nested.func1.1", "leaf writes"), std("runtime.goexit"))
	b.Race(record.Race{Count: 1, Addr: 0xc000016000, ObjBase: 0xc000016000, ObjSize: 48,
		First: access(22, record.OpRead, 24), Second: access(23, record.OpWrite, 25)})
}

func access(task uint32, op record.Op, stack uint32) record.Access {
	return record.Access{Task: task, Index: 1000, Op: op, Stack: stack}
}

func reasons(b *recordtest.Builder) {
	b.Stack(31, std("sync.(*Mutex).Lock"), at("locked", "lock"))
	b.Stack(35, std("sync.(*Mutex).Unlock"), at("locked", "unlock"))
	b.Stack(32, std("runtime.selectgo"), at("locked", "select"))
	b.Stack(33, std("runtime.chansend1"), at("locked", "send one"))
	b.Stack(34, std("runtime.chansend1"), at("locked", "send two"))
	b.Reason(record.Reason{Count: 2, Code: record.ReasonChannelOrder, Stack: 34, Stack2: 33})
	b.Reason(record.Reason{Count: 1, Code: record.ReasonSelect, Stack: 32})
	b.Reason(record.Reason{Count: 1, Code: record.ReasonLockOrder, Stack: 31})
	b.Reason(record.Reason{Count: 6, Code: record.ReasonLockOrder, Stack: 31, Stack2: 35})
	b.Reason(record.Reason{Count: 3, Code: record.ReasonAtomic, Stack: 31, Stack2: 31})
}

// tests is what a test binary records: siblings that race, a seed that ran twice, a test
// that met a lock and left goroutines behind, and one that the end of the program cut off.
func tests(b *recordtest.Builder) {
	b.Test(1, record.Test{Name: "TestTable", Outcome: record.Pass, Elapsed: 30 * time.Millisecond})
	b.Test(2, record.Test{Name: "TestTable/one", Outcome: record.Pass, Elapsed: 10 * time.Millisecond})
	b.Test(3, record.Test{Name: "TestTable/two", Outcome: record.Fail, Elapsed: 20 * time.Millisecond})
	b.Test(4, record.Test{Name: "FuzzParse", Outcome: record.Pass})
	b.Test(5, record.Test{Name: "FuzzParse/seed#0", Outcome: record.Skip})
	b.Test(6, record.Test{Name: "FuzzParse/seed#0", Outcome: record.Pass, Elapsed: time.Millisecond})
	b.Test(7, record.Test{Name: "TestLock", Outcome: record.Pass})
	b.Test(8, record.Test{Name: "TestHangs"})
	b.Test(9, record.Test{Name: "TestTable/two", Part: true})
	b.Stack(1, newproc, std("testing.(*T).Run"), at("siblings", "spawn siblings"), mainFrames[0])
	b.Task(2, 1, 1, 1)
	b.Task(3, 1, 2, 1)
	b.Stack(2, at("siblings.func1", "count"), std("testing.tRunner"))
	one, two := access(2, record.OpWrite, 2), access(3, record.OpWrite, 2)
	one.Test, two.Test = 2, 9
	b.Race(record.Race{Count: 3, Addr: 0xc000012010, ObjBase: 0xc000012000, ObjSize: 24, First: one, Second: two})
	b.Race(record.Race{Count: 1, Addr: 0xc000012010, ObjBase: 0xc000012000, ObjSize: 24, First: one, Second: one})
	b.Stack(31, std("sync.(*Mutex).Lock"), at("locked", "lock"))
	b.Reason(record.Reason{Count: 1, Code: record.ReasonLockOrder, Stack: 31, Test: 7})
	b.Left(record.Left{Test: 7, ForkStack: 1})
	b.Left(record.Left{Test: 7, ForkStack: 1})
}

// Each scenario is one program's records and, in testdata, its report as text
// and as JSON.
var scenarios = []struct {
	name    string
	records func(b *recordtest.Builder)
	options Options
}{
	{"determinate", func(b *recordtest.Builder) { b.Finish(0) }, Options{}},
	{"siblings", func(b *recordtest.Builder) { siblings(b); b.Finish(0) }, Options{}},
	{"parent", func(b *recordtest.Builder) { parentAndChild(b); b.Finish(0) }, Options{}},
	{"timers", func(b *recordtest.Builder) { timers(b); b.Finish(0) }, Options{}},
	{"nested", func(b *recordtest.Builder) { nested(b); b.Finish(0) }, Options{}},
	{"reasons", func(b *recordtest.Builder) { reasons(b); b.Finish(0) }, Options{Uninstrumented: []string{"example.com/asm", "internal/abi", "runtime"}}},
	{"everything_and_failed", func(b *recordtest.Builder) { siblings(b); parentAndChild(b); nested(b); reasons(b); b.Finish(7) }, Options{}},
	{"killed", func(b *recordtest.Builder) {}, Options{Program: &race.Program{ExitCode: -1, Signal: "SIGKILL"}}},
	{"crashed_with_race", func(b *recordtest.Builder) { parentAndChild(b) }, Options{Program: &race.Program{ExitCode: 2}}},
	{"observed", func(b *recordtest.Builder) { b.Finish(0) }, Options{ObservedEdges: true}},
	{"full", func(b *recordtest.Builder) { b.Writer.Header32(record.OffFlags, record.FlagDropped); b.Finish(0) }, Options{}},
	{"tests", func(b *recordtest.Builder) { tests(b); b.Finish(1) }, Options{Package: "example.com/app"}},
	{"damaged", func(b *recordtest.Builder) { b.Task(5, 3, 0, 0); b.Finish(0) }, Options{}},
}

func build(t *testing.T, b *recordtest.Builder, o Options) *race.Report {
	f, err := record.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	o.Engine = native
	return New(f, o)
}

func TestGolden(t *testing.T) {
	for _, s := range scenarios {
		b := program()
		s.records(b)
		r := build(t, b, s.options)
		var text, json bytes.Buffer
		if err := Text(&text, r, "/nowhere"); err != nil {
			t.Fatal(err)
		}
		if err := r.Encode(&json); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, filepath.Join("testdata", s.name+".txt"), text.Bytes())
		golden.Check(t, filepath.Join("testdata", s.name+".json"), json.Bytes())
	}
}

// Nothing but a complete, undamaged run without reasons is determinate.
func TestVerdict(t *testing.T) {
	want := map[string]race.Verdict{
		"determinate": race.Determinate, "siblings": race.Racy, "parent": race.Racy, "timers": race.Racy, "nested": race.Racy,
		"reasons": race.NotCertified, "everything_and_failed": race.Racy, "killed": race.NotCertified,
		"crashed_with_race": race.Racy, "observed": race.NotCertified, "full": race.NotCertified, "damaged": race.NotCertified, "tests": race.Racy,
	}
	for _, s := range scenarios {
		b := program()
		s.records(b)
		if got := build(t, b, s.options).Verdict; got != want[s.name] {
			t.Errorf("%s: got %s, want %s", s.name, got, want[s.name])
		}
	}
}

// Two runs that met the same pairs in another order, and each pair from the
// other side, print the same report.
// native names the engine of native runs.
func native(uint32) string { return "jointree" }

// A run that was only measured is no certificate, and says what it was.
func TestUnjudged(t *testing.T) {
	for config, want := range map[uint32]string{
		record.ConfigFull:  "",
		record.ConfigReach: "DETRACE_CONFIG=reach",
		record.ConfigInstr: "DETRACE_CONFIG=instr",
		17:                 "configuration (17)",
	} {
		f := &record.File{Header: record.Header{Finished: true, Config: config}}
		err := Unjudged(f)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("configuration %d: %v", config, err)
		}
		r := New(f, Options{Engine: func(uint32) string { return "" }})
		if got := r.Verdict == race.Determinate; got != (config == record.ConfigFull) {
			t.Errorf("configuration %d: %s", config, r.Verdict)
		}
	}
}

func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	b := program()
	siblings(b)
	parentAndChild(b)
	nested(b)
	reasons(b)
	b.Finish(0)
	f, err := record.Parse(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	render := func() string {
		var out bytes.Buffer
		if err := Text(&out, New(f, Options{Engine: native}), "/"); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := render()
	rng := rand.New(rand.NewSource(1))
	for range 20 {
		rng.Shuffle(len(f.Races), func(i, j int) { f.Races[i], f.Races[j] = f.Races[j], f.Races[i] })
		rng.Shuffle(len(f.Reasons), func(i, j int) { f.Reasons[i], f.Reasons[j] = f.Reasons[j], f.Reasons[i] })
		for i := range f.Races {
			if r := &f.Races[i]; rng.Intn(2) == 0 {
				r.First, r.Second = r.Second, r.First
			}
		}
		if got := render(); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestFingerprint(t *testing.T) {
	one := record.Frame{Func: "main.f", File: "/a/x.go", Line: 12, StartLine: 10}
	two := record.Frame{Func: "main.g", File: "/a/x.go", Line: 30, StartLine: 20}
	moved := func(f record.Frame, by int) record.Frame {
		f.Line += by
		f.StartLine += by
		return f
	}
	want := fingerprint(one, two)
	if got := fingerprint(two, one); got != want {
		t.Errorf("other order: got %s, want %s", got, want)
	}
	if got := fingerprint(moved(one, 5), moved(two, 9)); got != want {
		t.Errorf("moved functions: got %s, want %s", got, want)
	}
	elsewhere := one
	elsewhere.File = "/home/other/checkout/x.go"
	if got := fingerprint(elsewhere, two); got != want {
		t.Errorf("other directory: got %s, want %s", got, want)
	}
	edited := one
	edited.Line++
	if got := fingerprint(edited, two); got == want {
		t.Error("another line of the function has the same fingerprint")
	}
}

func TestSite(t *testing.T) {
	user := record.Frame{Func: "main.f", File: "f.go", Line: 1}
	for _, tt := range []struct {
		name   string
		stack  record.Stack
		site   string
		action string
		shown  string
	}{
		{"plain", record.Stack{user, std("runtime.main"), std("runtime.goexit")}, "main.f", "", "main.f"},
		{"map", record.Stack{std("runtime.mapassign_fast64"), user}, "main.f", "map write", "main.f"},
		{"map internals", record.Stack{std("internal/runtime/maps.(*Map).PutSlot"), std("runtime.mapassign"), user}, "main.f", "map write", "main.f"},
		{"sort", record.Stack{std("slices.insertionSortOrdered[...]"), std("slices.Sort[...]"), user}, "main.f", "", "slices.insertionSortOrdered[...] slices.Sort[...] main.f"},
		{"atomic", record.Stack{std("sync/atomic.AddInt64"), user}, "main.f", "", "main.f"},
		{"typed atomic", record.Stack{std("sync/atomic.(*Int64).Add"), user}, "main.f", "", "main.f"},
		{"only library", record.Stack{std("runtime.mapaccess1"), std("net/http.(*conn).serve"), std("runtime.goexit")}, "net/http.(*conn).serve", "map read", "net/http.(*conn).serve"},
		{"only runtime", record.Stack{std("runtime.bgsweep"), std("runtime.goexit")}, "runtime.bgsweep", "", "runtime.bgsweep"},
		{"go statement with arguments", record.Stack{user, {Func: "main.main.gowrap1", File: "f.go", Line: 9}}, "main.f", "", "main.f"},
		{"access in the wrapper itself", record.Stack{{Func: "main.main.gowrap1", File: "f.go", Line: 9}}, "main.main.gowrap1", "", "main.main.gowrap1"},
		{"empty", nil, "", "", ""},
	} {
		var shown []string
		for _, f := range framesOf(tt.stack) {
			shown = append(shown, f.Func)
		}
		if got := siteOf(tt.stack).Func; got != tt.site {
			t.Errorf("%s: site %q, want %q", tt.name, got, tt.site)
		}
		if got := actionOf(tt.stack); got != tt.action {
			t.Errorf("%s: action %q, want %q", tt.name, got, tt.action)
		}
		if got := strings.Join(shown, " "); got != tt.shown {
			t.Errorf("%s: frames %q, want %q", tt.name, got, tt.shown)
		}
	}
}

// A join belongs into the function from which both ways lead.
func TestBetween(t *testing.T) {
	fr := func(fn string, line int) record.Frame { return record.Frame{Func: fn, File: "f.go", Line: line} }
	for _, tt := range []struct {
		name          string
		fork, stack   record.Stack
		at            int
		after, before int
	}{
		{"both in main", record.Stack{newproc, fr("main", 5)}, record.Stack{fr("main", 9)}, 0, 5, 9},
		{"access in a function called later", record.Stack{fr("main", 5)}, record.Stack{fr("f", 50), fr("main", 9)}, 0, 5, 9},
		{"started by a function called earlier", record.Stack{newproc, fr("start", 20), fr("main", 5)}, record.Stack{fr("main", 9)}, 0, 5, 9},
		{"both in functions", record.Stack{fr("start", 20), fr("run", 5), fr("main", 1)}, record.Stack{fr("f", 50), fr("run", 9), fr("main", 1)}, 0, 5, 9},
		{"recursion", record.Stack{fr("sort", 17), fr("sort", 18), fr("main", 1)}, record.Stack{fr("merge", 30), fr("sort", 20), fr("sort", 18), fr("main", 1)}, 0, 17, 20},
		{"loop", record.Stack{newproc, errgroupGo, fr("f", 3), fr("main", 1)}, record.Stack{newproc, errgroupGo, fr("f", 3), fr("main", 1)}, 2, 3, 3},
		{"nothing in common", record.Stack{fr("f", 3)}, record.Stack{fr("g", 8)}, 0, 3, 8},
		{"common only in the library", record.Stack{fr("f", 3), std("lib")}, record.Stack{fr("g", 8), {Func: "lib", Std: true, Line: 2}}, 0, 3, 8},
		{"no fork stack", nil, record.Stack{fr("g", 8)}, 0, 0, 0},
	} {
		after, before := between(tt.fork, tt.stack, tt.at)
		if after.Line != tt.after || before.Line != tt.before {
			t.Errorf("%s: got %d and %d, want %d and %d", tt.name, after.Line, before.Line, tt.after, tt.before)
		}
	}
}

func TestRemedyForEveryReason(t *testing.T) {
	codes := []string{codeUnfinished, codeFull, codeDamaged, codeObserved}
	for _, r := range rules {
		codes = append(codes, r.code)
	}
	for _, code := range codes {
		if Remedy(code) == "" {
			t.Errorf("%s: no remedy", code)
		}
	}
}

// The symbol of a global variable comes from the executable.
func TestGlobals(t *testing.T) {
	dir := t.TempDir()
	src := "package main\n\nvar table = make([]int, 3)\n\nfunc main() { table[0]++ }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", "app", "main.go")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	g := readGlobals(filepath.Join(dir, "app"))
	var table symbol
	if g != nil {
		for _, s := range g.syms {
			if s.name == "main.table" {
				table = s
			}
		}
	}
	if table.size != 24 {
		t.Fatalf("got %+v, want the 24 bytes of a slice header", table)
	}
	for _, tt := range []struct {
		off uint64
		ok  bool
	}{{0, true}, {23, true}, {24, false}} {
		if got, ok := g.find(table.addr + tt.off); (ok && got == table) != tt.ok {
			t.Errorf("offset %d: got %+v, want found=%t", tt.off, got, tt.ok)
		}
	}
	if _, ok := g.find(1); ok {
		t.Error("address 1 belongs to no variable")
	}
	for _, other := range []string{"", "/nowhere", "report_test.go"} {
		if _, ok := readGlobals(other).find(table.addr); ok {
			t.Errorf("%q has variables", other)
		}
	}
}

func TestVariable(t *testing.T) {
	for sym, want := range map[string]string{
		"main.counter": "main.counter", "example.com/x.y/cache.table": "example.com/x.y/cache.table",
		"main..stmp_1": "", "go:string.*": "", "example.com/a.init.0": "",
	} {
		if got := variable(sym); got != want {
			t.Errorf("%s: got %q, want %q", sym, got, want)
		}
	}
}

func ExampleText() {
	b := program()
	b.Finish(0)
	f, err := record.Parse(b.Bytes())
	if err != nil {
		fmt.Println(err)
		return
	}
	Text(os.Stdout, New(f, Options{Engine: native}), "/")
	// Output:
	// verdict: determinate: no schedule of this program races on this input, and none changes its result
	//   judged: 9 goroutines, 100 reads, 50 writes, 1.50 seconds, engine jointree
}
