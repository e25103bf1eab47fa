package naming

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A snippet is the body of main unless it has functions of its own. A line
// that ends in "// A ..." or "// B ..." is where the first or the second access
// was: r or w, then "@callee", "*" for atomic, or what the runtime did.
var tests = []struct {
	name, want, exprs string // exprs: "first | second" where they are not both want
	src               string
	hint              Hint
}{
	{name: "captured counter", want: "n", src: `
		n := 0
		go func() { n++ }() // A w
		n = 2 // B w`},
	{name: "op-assign reads its left side", want: "total", src: `
		total := 0
		f := func(x int) {
			total += x // A w B r
		}
		go f(1); go f(2)`},
	{name: "field through a captured pointer", want: "p.count", src: `
		type T struct{ id, count int }
		p := &T{}
		go func() { p.count++ }() // A w
		fmt.Println(p.id, p.count) // B r`},
	{name: "two fields on one line, told by the other side", want: "p.b", src: `
		type T struct{ a, b int }
		p := &T{}
		go func() { p.a, p.b = 1, 2 }() // A w
		fmt.Println(p.b) // B r`},
	{name: "two fields on both lines, told by the offset", want: "p.b", src: `
		type T struct{ a, b, c int }
		p := &T{}
		go func() { p.a, p.b = 1, 2 }() // A w
		p.a, p.b = 3, 4 // B w`,
		hint: Hint{Heap: true, Offset: 8, Size: 24}},
	{name: "element of a matrix", want: "grid[i][j]", exprs: "grid[i][j] | grid[i - 1][j]", src: `
		grid := make([][]int, 9)
		for i := range 9 {
			go func() {
				for j := range 9 {
					grid[i][j] = grid[i-1][j] + 1 // A w B r
				}
			}()
		}`},
	{name: "read first, write second: named as written", want: "a[i]", exprs: "a[i + 1] | a[i]", src: `
		a := make([]int, 9)
		f := func(i int) {
			x := a[i+1] // A r
			a[i] = x // B w
		}
		go f(1); go f(2)`},
	{name: "index variables are private", want: "out[i]", src: `
		out := make([]int, 9)
		for i, x := range out {
			go func() {
				out[i] = x * x // A w B w
			}()
		}`},
	{name: "map write", want: "m", src: `
		m := map[string]int{}
		go func() { m["a"] = 1 }() // A w map write
		m["b"]++ // B w map write`},
	{name: "map write against read and iteration", want: "m", src: `
		m := map[string]int{}
		go func() { m["a"] = len(os.Args) }() // A w map write
		for k, v := range m { // B r map iteration
			fmt.Println(k, v)
		}`},
	{name: "element of a map", want: `m["a"]`, exprs: `m["a"] | m[k]`, src: `
		m := map[string]int{}
		k := "a"
		go func() { m["a"] = 1 }() // A w
		_ = m[k] // B r`},
	{name: "map in a field, read with a second result", want: "c.items", src: `
		type cache struct{ mu sync.Mutex; items map[string]int }
		c := &cache{}
		go func() { c.items["a"] = 1 }() // A w map write
		if v, ok := c.items["b"]; ok { // B r map read
			fmt.Println(v)
		}`},
	{name: "map delete", want: "m", src: `
		m := map[int]bool{}
		go func() { delete(m, 1) }() // A w map delete
		fmt.Println(m[2]) // B r map read`},
	{name: "map clear", want: "m", src: `
		m := map[int]bool{}
		go func() { clear(m) }() // A w map clear
		m[1] = true // B w map write`},
	{name: "append to a shared slice", want: "out", src: `
		var out []int
		for i := range 4 {
			go func() {
				out = append(out, i) // A w B w
			}()
		}`},
	{name: "append to a slice with room", want: "base[len(base)]", src: `
		base := make([]int, 1, 10)
		go func() { _ = append(base, 1) }() // A w
		_ = append(base, 2) // B w`},
	{name: "append into the room behind a slice, read by index", want: "base[len(base)]", exprs: "base[len(base)] | all[i]", src: `
		all, i := make([]int, 10), 1
		base := all[:1]
		go func() { _ = append(base, 1) }() // A w
		fmt.Println(all[i]) // B r`},
	{name: "append grows and reads the old elements", want: "xs[0]", exprs: "xs[0] | xs", src: `
		xs := []int{1}
		go func() { xs[0] = 1 }() // A w
		ys := append(xs, 2) // B r append
		_ = ys`},
	{name: "copy", want: "dst", exprs: "dst | dst[0]", src: `
		dst, src := make([]int, 3), make([]int, 3)
		go func() { copy(dst, src) }() // A w copy
		fmt.Println(dst[0]) // B r`},
	{name: "copy to overlapping parts", want: "dst", src: `
		dst, src := make([]int, 9), make([]int, 3)
		go func() { copy(dst[:5], src) }() // A w copy
		copy(dst[4:], src) // B w copy`},
	{name: "copy source", want: "src[i]", exprs: "src[i] | src", src: `
		dst, src := make([]int, 3), make([]int, 3)
		i := len(dst) - 1
		go func() { src[i] = 1 }() // A w
		copy(dst, src) // B r copy`},
	{name: "error of an errgroup", want: "err", src: `
		var err error
		f := func() error { return nil }
		go func() { err = f() }() // A w
		err = f() // B w`},
	{name: "pointer against the variable it points to", want: "*p", exprs: "*p | x", src: `
		func inc(p *int) {
			*p++ // A w
		}
		func main() {
			x := 0
			go inc(&x)
			fmt.Println(x) // B r
		}`},
	{name: "method and direct access", want: "c.n", exprs: "c.n | counter.n", src: `
		type C struct{ pad [4]int; n int }
		func (c *C) inc() {
			c.n++ // A w
		}
		func main() {
			counter := &C{}
			go counter.inc()
			fmt.Println(counter.pad, counter.n) // B r
		}`},
	{name: "whole struct against its field", want: "p.x", exprs: "p.x | *p", src: `
		type P struct{ x, y int }
		p := &P{}
		go func() { p.x = 1 }() // A w
		q := *p // B r
		_ = q`},
	{name: "named result written by return", want: "r", src: `
		func f() (r int) {
			go func() {
				fmt.Println(r) // A r
			}()
			return 20 // B w
		}`},
	{name: "loop variable outside the loop", want: "i", src: `
		var i int
		for i = 0; i < 3; i++ { // A w
			go func() {
				fmt.Println(i) // B r
			}()
		}`},
	{name: "range over an assigned variable", want: "v", src: `
		var v int
		xs := []int{1}
		for _, v = range xs { // A w
			go func() { fmt.Println(v) }() // B r
		}`},
	{name: "range reads elements", want: "xs[0]", exprs: "xs[0] | xs[...]", src: `
		xs := []int{1}
		go func() { xs[0] = 2 }() // A w
		for _, x := range xs { // B r
			fmt.Println(x)
		}`},
	{name: "atomic against plain", want: "n", src: `
		var n int64
		go func() { atomic.AddInt64(&n, 1) }() // A w* @sync/atomic.AddInt64
		fmt.Println(n) // B r`},
	{name: "atomic method on a field", want: "s.hits", src: `
		type S struct{ hits atomic.Int64; name string }
		s := &S{}
		go func() { s.hits.Add(1) }() // A w* @sync/atomic.(*Int64).Add
		*s = S{}; t := s.hits // B r
		_ = t`},
	{name: "sorted by the library", want: "data[0]", exprs: "data | data[0]", src: `
		data := []int{3, 1}
		go func() { sort.Ints(data) }() // A w @sort.Ints
		data[0] = 1 // B w`},
	{name: "generic library function", want: "data[0]", exprs: "data | data[0]", src: `
		data := []int{3, 1}
		go func() { slices.Sort(data) }() // A w @slices.Sort[go.shape.[]int,go.shape.int]
		data[0] = 1 // B w`},
	{name: "buffer of the library", want: "buf", src: `
		var buf bytes.Buffer
		go func() { buf.WriteString("a") }() // A w @bytes.(*Buffer).WriteString
		fmt.Fprintf(&buf, "b") // B w @fmt.Fprintf`},
	{name: "WaitGroup.Add against Wait", want: "wg", src: `
		var wg sync.WaitGroup
		go func() { wg.Add(1) }() // A r @sync.(*WaitGroup).Add
		wg.Wait() // B w @sync.(*WaitGroup).Wait`},
	{name: "close against send", want: "ch", src: `
		ch := make(chan int)
		go func() { ch <- 1 }() // A r channel send
		close(ch) // B w channel close`},
	{name: "string conversion", want: "b[0]", exprs: "b | b[0]", src: `
		b := []byte("x")
		go func() { fmt.Println(string(b)) }() // A r string conversion
		b[0] = 'y' // B w`},
	{name: "statement over several lines", want: "p.b", src: `
		type T struct{ a, b int }
		p := &T{}
		go func() { p.b = 1 }() // A w
		fmt.Println(
			p.a,
			p.b, // B r
		)`},
	{name: "call argument inside a multi-line literal", want: "cfg.name", src: `
		type T struct{ name string }
		cfg := &T{}
		go func() { cfg.name = "x" }() // A w
		x := []T{
			{
				name: cfg.name, // B r
			},
		}
		_ = x`},
	{name: "condition", want: "stop", src: `
		stop := false
		go func() { stop = true }() // A w
		for !stop { // B r
		}`},
	{name: "switch tag", want: "s.state", src: `
		type S struct{ state int }
		s := new(S)
		go func() { s.state = 1 }() // A w
		switch s.state { // B r
		case 1:
		}`},
	{name: "package-level variable", want: "counter", src: `
		var counter, limit int
		func main() {
			go func() { counter = limit }() // A w
			if counter < limit { // B r
			}
		}`},
	{name: "package-level variable told by its symbol", want: "limit", src: `
		var counter, limit int
		func main() {
			go func() { counter, limit = 1, 2 }() // A w
			counter, limit = 3, 4 // B w
		}`,
		hint: Hint{Global: "main.limit", Size: 8}},
	{name: "element of a global array", want: "table[i].n", exprs: "table[i].n | table[0].n", src: `
		var table [8]struct{ n, m int }
		func f(i int) {
			table[i].n = i // A w
		}
		func main() { go f(0); fmt.Println(table[0].n, table[0].m) } // B r`,
		hint: Hint{Global: "main.table", Size: 128}},
	{name: "symbol that no expression mentions", want: "other.registry", exprs: "*p | *p", src: `
		func f(p *int) {
			*p = 1 // A w B w
		}`,
		hint: Hint{Global: "example.com/other.registry", Size: 8}},
	{name: "double-checked initialisation", want: "instance", src: `
		var instance *int
		func get() *int {
			if instance == nil { // A r
				instance = new(int) // B w
			}
			return instance
		}`},
	{name: "goto the other branch: struct copy in a call", want: "s.a", exprs: "s.a | s", src: `
		type S struct{ a, b int }
		func use(S) {}
		func main() {
			var s S
			go func() { s.a = 1 }() // A w
			use(s) // B r
		}`},
	{name: "nothing fits: the text of the line", want: "select {}", exprs: " | ", src: `
		select {} // A w B w`},
}

func TestName(t *testing.T) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			src := snippet(tt.src)
			if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
			first, second := access(t, file, src, "A"), access(t, file, src, "B")
			got := New(NewSources()).Name(first, second, tt.hint)
			exprs := tt.exprs
			if exprs == "" {
				exprs = tt.want + " | " + tt.want
			}
			if found := got.First.Expr + " | " + got.Second.Expr; got.Name != tt.want || found != exprs {
				t.Errorf("got  %s (%s)\nwant %s (%s)", got.Name, found, tt.want, exprs)
			}
		})
	}
}

func snippet(src string) string {
	if !strings.Contains(src, "\t\tfunc ") {
		src = "func main() {" + src + "\n}\n"
	}
	return "package main\n\nimport (\"bytes\"; \"fmt\"; \"os\"; \"slices\"; \"sort\"; \"sync\"; \"sync/atomic\")\n\n" + src + "\n"
}

// access reads the description behind a line's mark.
func access(t *testing.T, file, src, mark string) Access {
	for i, line := range strings.Split(src, "\n") {
		_, comment, ok := strings.Cut(line, "// ")
		if !ok {
			continue
		}
		a := Access{File: file, Line: i + 1}
		words := strings.Fields(comment)
		at := -1
		for j, w := range words {
			if w == mark {
				at = j
			}
		}
		if at < 0 {
			continue
		}
		for _, w := range words[at+1:] {
			switch {
			case w == "A" || w == "B":
				return a
			case w[0] == 'r' && len(w) <= 2 || w[0] == 'w' && len(w) <= 2:
				a.Write, a.Atomic = w[0] == 'w', strings.HasSuffix(w, "*")
			case w[0] == '@':
				a.Callee = w[1:]
			default:
				a.Action = strings.TrimSpace(a.Action + " " + w)
			}
		}
		return a
	}
	t.Fatalf("no line is marked %s", mark)
	return Access{}
}

// Whatever the line and the file, there is a name and no panic.
func TestNameAnywhere(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := New(NewSources())
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range 400 {
			a := Access{File: abs, Line: line, Write: line%2 == 0}
			b := Access{File: abs, Line: 400 - line, Write: true, Action: "map write"}
			if got := n.Name(a, b, Hint{Heap: true, Offset: 8, Size: 64}); got.Name == "" {
				t.Errorf("%s:%d: no name", file, line)
			}
		}
	}
}

func TestNameWithoutSource(t *testing.T) {
	got := New(NewSources()).Name(Access{File: "/nowhere/a.go", Line: 3, Write: true}, Access{}, Hint{})
	if want := "memory accessed at a.go:3"; got.Name != want {
		t.Errorf("got %q, want %q", got.Name, want)
	}
}

// A file that changed since the program was built must not break anything.
func TestBrokenSource(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	src := "package main\n\nfunc main() {\n\tx := \n\tx = 1\n"
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	for line := range 8 {
		a := Access{File: file, Line: line, Write: true}
		if got := New(NewSources()).Name(a, a, Hint{}); got.Name == "" {
			t.Errorf("line %d: no name", line)
		}
	}
}

// FuzzName: whatever stands in the file, even if it is not Go, there is a name
// and no panic.
func FuzzName(f *testing.F) {
	for _, tt := range tests {
		f.Add(snippet(tt.src), 8, 10, "map write")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src string, first, second int, action string) {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", os.Getpid()))
		if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		a := Access{File: file, Line: first, Write: true, Action: action, Callee: "sort.Ints"}
		b := Access{File: file, Line: second}
		hint := Hint{Heap: true, Offset: 8, Size: 64}
		if got := New(NewSources()).Name(a, b, hint); got.Name == "" {
			t.Error("no name")
		}
	})
}

func BenchmarkName(b *testing.B) {
	abs, err := filepath.Abs("candidates.go")
	if err != nil {
		b.Fatal(err)
	}
	for i := range b.N {
		a := Access{File: abs, Line: 50 + i%100, Write: true}
		New(NewSources()).Name(a, a, Hint{})
	}
}

func ExampleNamer() {
	n := New(NewSources())
	names := n.Name(Access{File: "gone.go", Line: 7, Write: true}, Access{File: "gone.go", Line: 9}, Hint{Global: "example.com/app/cache.table"})
	fmt.Println(names.Name)
	// Output: cache.table
}
