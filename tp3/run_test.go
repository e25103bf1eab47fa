package tp3

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// tracer writes events down in the manner of the text trace.
type tracer struct {
	strings.Builder
	stopAt int
	seen   int
}

var errStop = errors.New("enough")

func (tr *tracer) Event(e Event) error {
	if tr.seen++; tr.seen == tr.stopAt {
		return errStop
	}
	switch e.Kind {
	case EventAsync:
		fmt.Fprintf(tr, "async %d %d; ", e.Task, e.Child)
	case EventPromise, EventSet, EventBlock, EventAwait:
		fmt.Fprintf(tr, "%s %d %d; ", e.Kind, e.Task, e.Promise)
	case EventEnd:
		fmt.Fprintf(tr, "end %d; ", e.Task)
	default:
		fmt.Fprintf(tr, "%s %d %#x %d; ", e.Kind, e.Task, e.Addr, e.Size)
	}
	return nil
}

// The order of events is that of the scheduling rule of DRDP.
func TestRunSchedulesByTheRule(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"a child runs at once", "async { x = alloc }; y = alloc",
			"async 0 1; alloc 1 0x1000 8; end 1; alloc 0 0x1008 8; end 0; "},
		{"accesses have the address of their location", "x = alloc; store 2 to x; a = load x; b = a; while (0 != load x) { return }",
			"alloc 0 0x1000 8; write 0 0x1000 8; read 0 0x1000 8; read 0 0x1000 8; end 0; "},
		{"a set wakes its waiters before the setter goes on, the first to have blocked first",
			"p = new_promise; x = alloc; async { p.get; a = load x }; async { p.get; a = load x }; p.set; b = load x",
			"promise 0 0; alloc 0 0x1000 8; async 0 1; block 1 0; async 0 2; block 2 0; set 0 0; " +
				"await 1 0; read 1 0x1000 8; end 1; await 2 0; read 2 0x1000 8; end 2; read 0 0x1000 8; end 0; "},
		{"a blocked task gives way to the one below, not to its parent",
			// Task 2 wakes task 1, which blocks again: task 2 goes on.
			"p = new_promise; q = new_promise; async { p.get; q.get }; async { p.set; x = alloc }; q.set",
			"promise 0 0; promise 0 1; async 0 1; block 1 0; async 0 2; set 2 0; await 1 0; block 1 1; " +
				"alloc 2 0x1000 8; end 2; set 0 1; await 1 1; end 1; end 0; "},
		{"the root can be woken by its child",
			"p = new_promise; async { q = new_promise; async { q.get; p.set; x = alloc }; q.set; y = alloc }; p.get; z = alloc",
			"promise 0 0; async 0 1; promise 1 1; async 1 2; block 2 1; set 1 1; await 2 1; set 2 0; alloc 2 0x1000 8; end 2; " +
				"alloc 1 0x1008 8; end 1; await 0 0; alloc 0 0x1010 8; end 0; "},
		{"a deadlock leaves tasks without an end", "p = new_promise; async { p.get }; x = alloc",
			"promise 0 0; async 0 1; block 1 0; alloc 0 0x1000 8; end 0; "},
		{"a failure stops the run", "async { x = 1; x.set }; y = alloc", "async 0 1; "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tr tracer
			if _, err := mustParse(t, tt.src).Run(t.Context(), Limits{}, &tr); err != nil {
				t.Fatal(err)
			}
			if tr.String() != tt.want {
				t.Errorf("got  %s\nwant %s", tr.String(), tt.want)
			}
		})
	}
}

func TestSinkErrorEndsTheRun(t *testing.T) {
	_, err := mustParse(t, "x = alloc; y = alloc; z = alloc").Run(t.Context(), Limits{}, &tracer{stopAt: 2})
	if !errors.Is(err, errStop) {
		t.Errorf("got %v", err)
	}
}

// Each rule, by the memory at the end.
func TestRules(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"a location starts as 0", "x = alloc", "main.r1=0"},
		{"store and load", "x = alloc; y = alloc; store 3 to x; a = load x; store a + a + -1 to y", "main.r1=3 main.r2=5"},
		{"memory holds locations and promises", "x = alloc; p = new_promise; store p to x; y = alloc; store x to y", "main.r1=main.p1 main.r2=main.r1"},
		{"an async inherits locals", "x = alloc; a = 7; async { store a to x }", "main.r1=7"},
		{"names tell who created what", "async { x = alloc; async { y = alloc } }; async { x = alloc }; z = alloc", "main.r1=0 main.t1.r1=0 main.t1.t1.r1=0 main.t2.r1=0"},
		{"numbers in names sort as numbers", strings.Repeat("async { x = alloc }\n", 11), "main.t1.r1=0 main.t2.r1=0 main.t3.r1=0 main.t4.r1=0 main.t5.r1=0 main.t6.r1=0 main.t7.r1=0 main.t8.r1=0 main.t9.r1=0 main.t10.r1=0 main.t11.r1=0"},
		{"a loop runs while it is not 0", "x = alloc; y = alloc; store 3 to x; while (0 != load x) { a = load x; store a + -1 to x; b = load y; store b + 2 to y }", "main.r1=0 main.r2=6"},
		{"a location is not 0", "x = alloc; store x to x; y = alloc; while (0 != load x) { store 1 to y; store 0 to x }", "main.r1=0 main.r2=1"},
		{"return ends the task inside a loop", "x = alloc; store 1 to x; while (0 != load x) { store 2 to x; return }; store 3 to x", "main.r1=2"},
		{"a hidden name is itself again", "x = alloc; a = 1; store 1 to x; while (0 != load x) { a = 5; store 0 to x }; store a to x", "main.r1=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := mustParse(t, tt.src)
			if got := mustRun(t, p, Limits{}).Memory.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if x := mustExplore(t, p, Limits{Ideals: 1}); len(x.States) != 1 || x.States[0].String() != tt.want {
				t.Errorf("explored: got %v, want %s", x.States, tt.want)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct{ src, pos, want string }{
		{"p = new_promise\nasync { p.set }\np.set", "3:1", "the promise main.p1 (new_promise at 1:1) is set a second time; main.t1 set it at 2:9"},
		{"a = 5\nb = load a", "2:1", "a is the integer 5 here"},
		{"p = new_promise; store 1 to p", "1:18", "p is the promise main.p1 here"},
		{"x = alloc; x.get", "1:12", "x is the location main.r1 here"},
		{"x = 1; x.set", "1:8", "x is the integer 1 here"},
		{"x = alloc; a = load x; while (0 != load a) { }", "1:24", "a is the integer 0 here"},
		{"x = alloc; a = x + 1", "1:12", "x is the location main.r1 here"},
		{"x = alloc; p = new_promise; store 1 + p to x", "1:29", "p is the promise main.p1 here"},
		{"a = 9223372036854775807; b = a + 1", "1:26", "the sum overflows at its term 2: 9223372036854775807 + 1"},
		{"a = -9223372036854775808; b = a + -1", "1:27", "the sum overflows at its term 2: -9223372036854775808 + -1"},
	} {
		p := mustParse(t, tt.src)
		f := mustRun(t, p, Limits{}).Failure
		if f == nil || f.Pos.String() != tt.pos || f.What != tt.want || f.Do == "" || f.Task != "main" {
			t.Errorf("%q: got %+v, want %s: %s", tt.src, f, tt.pos, tt.want)
		}
		if x := mustExplore(t, p, Limits{}); len(x.Failures) == 0 {
			t.Errorf("%q: exploration finds no failure", tt.src)
		}
	}
}

func TestDeadlockNamesWhoCouldSet(t *testing.T) {
	out := mustRun(t, mustParse(t, `
p = new_promise
q = new_promise
r = new_promise
async {
  p.get
  async { q.set }
}
async { r.get }
q.get
p.set`), Limits{})
	var got []string
	for _, b := range out.Blocked {
		got = append(got, fmt.Sprintf("%s %v", b, b.Setters))
	}
	want := []string{
		"main waits at 10:1 for main.p2 [{main.t1 7:11}]",
		"main.t1 waits at 6:3 for main.p1 [{main 11:1}]",
		"main.t2 waits at 9:9 for main.p3 []",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A local that gets its slot later is not the promise that is awaited.
func TestDeadlockKnowsLocalsByValue(t *testing.T) {
	out := mustRun(t, mustParse(t, "x = alloc; store 1 to x; while (0 != load x) { p = new_promise; p.get; store 0 to x }; q = new_promise; q.set"), Limits{})
	if len(out.Blocked) != 1 || len(out.Blocked[0].Setters) != 0 {
		t.Errorf("got %+v", out.Blocked)
	}
}

func TestRunIsCut(t *testing.T) {
	out := mustRun(t, mustParse(t, "x = alloc; store 1 to x; while (0 != load x) { }"), Limits{RunSteps: 50})
	if v, why := out.Verdict(); !out.Cut || out.Steps != 50 || v != NotCertified {
		t.Errorf("got cut %v after %d steps, %s: %s", out.Cut, out.Steps, v, why)
	}
}
