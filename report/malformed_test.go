package report

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// Every comment in the source that was meant as a directive and says nothing has one word
// of what is told of it behind FAULT, on its own line or on the one before.
func TestMalformed(t *testing.T) {
	for _, tt := range []struct{ name, source string }{
		{"unknown", `
func f() {
	x++ //detrace:ignroe a typo // FAULT ignroe.is.no.directive:.write.//detrace:ignore.or.//detrace:commutative,.and.why
	x++ //detrace: // FAULT //detrace:.is.no
	x++ //detrace:ignored a verb // FAULT ignored.is.no
}`},
		{"no reason", `
func f() {
	x++ //detrace:ignore // FAULT ignore.gives.no.reason
	mu.Lock() //detrace:commutative // FAULT commutative.gives.no.reason
}

//detrace:commutative // FAULT gives.no.reason
func g() { mu.Lock() }`},
		{"no directive", `
func f() {
	x++ // detrace:ignore a space // FAULT with.no.space
	x++ //	detrace:ignore a tab // FAULT with.no.space
	x++ //Detrace:Ignore a capital // FAULT write.//detrace:ignore,.in.small.letters
	x++ /* detrace:ignore a comment of the other kind */ // FAULT write.//detrace:ignore
	x++ // as detrace:ignore says
	x++ // detrace: says nothing
}`},
		{"ignore in its place", `
var y = x + 1 //detrace:ignore an initial value

var z = func() int {
	return x //detrace:ignore in a literal
}

func f() { x++ } //detrace:ignore in one line

//detrace:ignore the comment of a function in one line
func g() { x++ }

func h() {
	//detrace:ignore alone
	x++
	//detrace:ignore before more comments
	// of one group
	x++
	x++ //detrace:ignore	a tab behind the word
	if x > 0 { //detrace:ignore a condition
		x = max(
			x, //detrace:ignore an argument
			y,
		) //detrace:ignore the end of a call
	} //detrace:ignore the end of a block
}`},
		{"ignore out of place", `
//detrace:ignore an import // FAULT is.about.line
import "time"

type T struct {
	n int //detrace:ignore a field // FAULT nothing.runs
}

var w int //detrace:ignore no value // FAULT nothing.runs

const c = 1 //detrace:ignore a constant // FAULT nothing.runs

// f has a comment.
//
//detrace:ignore the whole function // FAULT in.the.comment.of.a.function
func f() {
	x++
}

func g() { //detrace:ignore the header of a function // FAULT nothing.runs
	//detrace:ignore an empty line follows // FAULT nothing.runs

	x++
}

//detrace:ignore the end of the file // FAULT nothing.runs`},
		{"commutative in its place", `
// f has a comment.
//
//detrace:commutative a function
func f() {
	mu.Lock()
	defer mu.Unlock()
}

func g(c chan int, next func(func(int) bool)) {
	mu.Lock() //detrace:commutative a lock
	//detrace:commutative alone
	n.Add(1)
	c <- 1 //detrace:commutative a message
	x += <-c //detrace:commutative a receive
	for range c { //detrace:commutative messages
	}
	for range next { //detrace:commutative an iterator
	}
	select { //detrace:commutative a select
	case x = <-c: //detrace:commutative a case
	case c <- 1: //detrace:commutative another
	}
	defer n.
		Add(1) //detrace:commutative a call over two lines
	go func() {
		defer n.Add(1)
	}() //detrace:commutative the end of a goroutine
	return //detrace:commutative deferred calls run here
}

func h() {
	defer n.Add(1)
	x++
} //detrace:commutative or here`},
		{"commutative out of place", `
//detrace:commutative a mutex // FAULT nothing.runs
var m sync.Mutex

// T has a comment.
//
//detrace:commutative a type // FAULT nothing.runs
type T struct{}

func f() {
	mu.Lock()
	x++ //detrace:commutative an addition // FAULT no.lock,.atomic.operation.or.message
	mu.Unlock()
	go func() {
		x++ //detrace:commutative within the lines of a call // FAULT no.lock
	}()
}`},
		{"no Go", "\nfunc f( {\n x++ //detrace:ignore\n}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.go")
			source := "package p\n" + tt.source + "\n"
			if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
				t.Fatal(err)
			}
			wants := map[race.Pos]string{}
			for i, line := range strings.Split(source, "\n") {
				if _, want, ok := strings.Cut(line, "// FAULT "); ok {
					wants[race.Pos{File: file, Line: i + 1}] = want
				}
			}
			for _, w := range Malformed([]string{file, filepath.Join(t.TempDir(), "none.go")}) {
				want, ok := wants[w.Pos]
				if !ok || !regexp.MustCompile(want).MatchString(w.Detail) {
					t.Errorf("line %d: got %q, want %q", w.Pos.Line, w.Detail, want)
				}
				if strings.Contains(w.Detail, "\n") {
					t.Errorf("line %d: %q is more than a line", w.Pos.Line, w.Detail)
				}
				delete(wants, w.Pos)
			}
			for pos, want := range wants {
				t.Errorf("line %d: nothing, want %q", pos.Line, want)
			}
		})
	}
}

// In a file in which something was found it is a reason, else a warning, and never both.
func TestWarnings(t *testing.T) {
	dir := t.TempDir()
	write := func(name string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("package p\n\nvar x int //detrace:ignore\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	seen, other := write("seen.go"), write("other.go")
	d := newDirectives()
	d.of(seen)
	if got := fmt.Sprint(d.unseen([]string{seen, other})); strings.Contains(got, "seen.go") || !strings.Contains(got, "other.go") {
		t.Errorf("got %s", got)
	}
	warnings := Malformed([]string{seen, other})
	one := &race.Report{Verdict: race.Determinate, Warnings: warnings, Program: &race.Program{}}
	two := &race.Report{Verdict: race.NotCertified, Warnings: warnings[:1], Reasons: []race.Reason{{Code: Directive, Pos: warnings[1].Pos}}, Program: &race.Program{}}
	if m := Merge([]*race.Report{one, two}); fmt.Sprint(m.Warnings) != fmt.Sprint(warnings[:1]) {
		t.Errorf("got %v, want %v", m.Warnings, warnings[:1])
	}
}
