package coalesce

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/instrument/patch"
)

// copied are statements with copies, and how many of them are told of as loops.
var copied = []struct {
	text string
	told int
}{
	{"copy(to, from)", 1},
	{"copy(to[len(to)/2:], to)", 1},
	{"copy(to, to[len(to)/3:])", 1},
	{"copy(to[:0], from)", 0},
	{"copy(to[:5], from[:4])", 1},
	{"copy(to[:5], from[:6])", 1},
	{"if len(to) > 2 { copy(to, from[1:]); copy(from, to[2:]) }", 2},
	{"switch { case true: copy(to, from) }", 1},
	{"select { default: copy(to, from) }", 1},
	{"func() { copy(to, from) }()", 1},
	{"here: copy(to, from); if len(to) < 0 { goto here }", 0},
	{"if copy(to, from); len(to) > 2 { to[0] = 7 }", 0},
	{"for i := 0; i < 2; copy(to[i:], from) { i++ }", 0},
	{"n := copy(to, from); to = to[:n]", 0},
	{"copy(to, func() []int { return from }())", 0},
	{"copy := func(to, from []int) {}; copy(to, from)", 0},
	{"type wide []int; copy(wide(to), from)", 1},
	{"type own int; copy([]own{3, 4, 5}, []own{1})", 0},
	{"small := [9]int16{1, 2, 3}; copy(small[1:], small[:]); to[0] = int(small[3])", 1},
	{"text := []byte(\"one\"); copy(text, \"two\"); copy(text, text[1:]); to[0] = int(text[0])", 0},
	{"words := []string{\"a\", \"b\"}; copy(words, words[1:]); to[0] = len(words[0])", 0},
	{"pairs := []complex128{1, 2}; copy(pairs, pairs[1:]); to[0] = int(real(pairs[0]))", 0},
	{"copy(\n\tto,\n\tfrom,\n)", 1},
}

// TestCopies compares what rewritten copies do, and tell of, with what they are.
func TestCopies(t *testing.T) {
	t.Parallel()
	var plain, rewritten, table strings.Builder
	plain.WriteString(copiesHarness + "var all = []pair{\n")
	rewritten.WriteString("package main\n\n")
	for i, c := range copied {
		fmt.Fprintf(&rewritten, "func run%d(to, from []int) {\n\t%s\n}\n\n", i, c.text)
		fmt.Fprintf(&table, "func plain%d(to, from []int) {\n\t%s\n}\n\n", i, c.text)
		fmt.Fprintf(&plain, "\t{plain%d, run%d, %d},\n", i, i, c.told)
	}
	plain.WriteString("}\n\n" + table.String())
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module m\n\ngo 1.17\n")
	writeFile(t, filepath.Join(dir, "plain.go"), plain.String())
	writeFile(t, filepath.Join(dir, "run.go"), rewritten.String())
	name := filepath.Join(dir, "run.go")
	result := Rewrite(dir, []Package{{Path: "m", Name: "main", Rewrite: true, Files: []string{filepath.Join(dir, "plain.go"), name}}})
	r := &rewriter{tag: patch.Tag("run.go")}
	// The detector's part is played by the harness.
	text, _, ok := strings.Cut(string(result.Files[name]), "\n//go:noescape\n//go:linkname "+r.name("Loop")+" ")
	if !ok {
		t.Fatal("no copy is rewritten")
	}
	writeFile(t, name, strings.ReplaceAll(text, r.name("Loop")+"(", "told("))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s\n%s", err, out, text)
	}
}

const copiesHarness = `package main

import "unsafe"

type pair struct {
	plain, run func(to, from []int)
	told       int
}

var (
	tells [3]int
	bytes [3]int
)

func told(op uint32, base unsafe.Pointer, n, size, n1, s1, n2, s2 int) {
	if n < 1 || n1 != 1 || n2 != 1 || s1 != 0 || s2 != 0 || base == nil {
		panic("no box")
	}
	tells[op]++
	bytes[op] = n * size
}

func numbers() []int {
	all := make([]int, 40)
	for i := range all {
		all[i] = i * 3
	}
	return all
}

func main() {
	for i, p := range all {
		want, got := numbers(), numbers()
		p.plain(want[4:14], want[9:29])
		tells, bytes = [3]int{}, [3]int{}
		p.run(got[4:14], got[9:29])
		for k := range want {
			if want[k] != got[k] {
				println("copy", i)
				panic("it does something else")
			}
		}
		if tells[1] != p.told || tells[2] != p.told || bytes[1] != bytes[2] || p.told > 0 && bytes[1] == 0 {
			println("copy", i, "tells", tells[1], tells[2], "times, of", bytes[1], bytes[2], "bytes")
			panic("that is something else")
		}
	}
}

`
