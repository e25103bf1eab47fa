package tp3

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func mustParse(t testing.TB, src string) *Program {
	t.Helper()
	p, err := Parse("p.tp3", src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"x", `1:2: the end of the file where = or . is expected behind x; statements are`},
		{"x = alloc y = alloc", `1:11: "y" where the statement should end; put the next statement on a new line or behind ;`},
		{"x = 1\nx = 2", `2:1: x has its value since 1:1; a local is assigned once`},
		{"x = y", `1:5: the name y has no value here; assign it before, in this block or one around it`},
		{"x = x", `1:5: the name x has no value here`},
		{"p.set", `1:1: the name p has no value here`},
		{"x = alloc\nwhile (0 != load x) { k = 1 }\nstore k to x", `3:7: the name k has no value here`},
		{"async { k = 1 }; j = k", `1:22: the name k has no value here`},
		{"x = alloc; store 1 x", `1:20: "x" where "to" is expected; a store is written store e to y`},
		{"x = alloc; store 1 to 2", `1:23: "2" where a value is expected`},
		{"x = alloc; while (1 != load x) { }", `1:19: "1" where 0 is expected; a loop is written`},
		{"x = alloc; while (0 == load x) { }", `1:21: "=" where != is expected`},
		{"x = alloc; while (0 ! load x) { }", `1:21: the character '!' has no meaning here; a loop is written`},
		{"x = alloc; while 0 != load x { }", `1:18: "0" where "(" is expected`},
		{"async\n x = 1", `2:2: "x" where "{" is expected; a block in braces follows`},
		{"async { x = 1", `1:7: this block is not closed; close it with }`},
		{"x = 1 }", `1:7: } closes no block`},
		{"return; x = 1", `1:9: this statement can never run: the task has returned at 1:1`},
		{"x = 1 - 1", `1:7: a minus sign without a number behind it; there is no subtraction: write a + -1`},
		{"x = 1 -1", `1:7: "-1" where the statement should end; there is no subtraction: write a + -1`},
		{"x = 5y", `1:5: "5y" is neither a number nor a name`},
		{"x = 9223372036854775808", `1:5: the number 9223372036854775808 is out of range; integers have 64 bits`},
		{"x = alloc; x.wait", `1:14: "wait" where set or get is expected`},
		{"load = 1", `1:1: "load" does not start a statement`},
		{"x = to", `1:5: "to" where a value is expected`},
		{"x ← alloc", `1:3: the character '←' has no meaning here; assign with =`},
		{"// x", `1:1: the character '/' has no meaning here; comments start with #`},
		{"x = alloc\n\xff", `2:1: the byte 0xff is not UTF-8`},
		{"(x)", `1:1: "(" where a statement is expected`},
		{strings.Repeat("async {\n", 5000), `1001:8: blocks are nested more than 1000 deep`},
	} {
		_, err := Parse("p.tp3", tt.src)
		var e *Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), "p.tp3:"+tt.want) || e.Do == "" {
			t.Errorf("%.40q: got %v, want %s", tt.src, err, tt.want)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	for _, src := range []string{
		"", "\n;;\n", "return", "return;", "# nothing", "async { }", "async{};async{return}", "async\n{\n}",
		"x = alloc; while(0!=load x){}", "x=-5+3", "set = new_promise; set.set; get = set",
		"x = 1 # a comment; y\r\ny = x\r\n",
		"x = 1; async { x = x + 1; y = x }; y = x", // a block may hide a name
		strings.Repeat("async { ", 1000) + strings.Repeat("}", 1000),
		"x = 1" + strings.Repeat(" + 0", 100_000),
	} {
		if _, err := Parse("p.tp3", src); err != nil {
			t.Errorf("%.60q: %v", src, err)
		}
	}
}

// FuzzProgram: whatever is parsed can be run, explored and drawn, and keeps
// the theorem.
func FuzzProgram(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(generate(seed))
	}
	f.Add("x = alloc; while (0 != load x) { async { store -1 to x }; return }")
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Parse("p.tp3", src)
		if err != nil {
			var e *Error
			if !errors.As(err, &e) || e.Pos.Line < 1 || e.Pos.Col < 1 || e.What == "" || e.Do == "" {
				t.Fatalf("error %#v", err)
			}
			return
		}
		limits := Limits{RunSteps: 200, Steps: 2000, Ideals: 1000}
		x, out := mustExplore(t, p, limits), mustRun(t, p, limits)
		if msg := brokenTheorem(x, out); msg != "" {
			t.Fatal(msg)
		}
		var drawn strings.Builder
		if err := out.Graph.SVG(&drawn); err != nil {
			t.Fatal(err)
		}
		checkDrawing(t, drawn.String())
	})
}

func TestCancelled(t *testing.T) {
	p := mustParse(t, "x = alloc; store 1 to x; while (0 != load x) { }")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Run(ctx, Limits{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("run: %v", err)
	}
	if _, err := p.Explore(ctx, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("explore: %v", err)
	}
}

func BenchmarkExplore(b *testing.B) {
	p := mustParse(b, strings.Repeat("async { x = alloc }\n", 2)+
		"x = alloc\n"+strings.Repeat("async { a = load x; store a + 1 to x }\n", 4))
	steps := 0
	for b.Loop() {
		steps += mustExplore(b, p, Limits{Ideals: 1}).Steps
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
}

func BenchmarkRun(b *testing.B) {
	p := mustParse(b, "x = alloc; store 1000 to x; while (0 != load x) { k = load x; store k + -1 to x }")
	for b.Loop() {
		mustRun(b, p, Limits{})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/3002, "ns/step")
}
