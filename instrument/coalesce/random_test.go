package coalesce

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The random nests are written with marks around what touches memory, so that one text
// gives both the loops to be rewritten and the same loops counting what they touch.
const (
	openRead, closeRead   = "\x01", "\x02"
	openWrite, closeWrite = "\x03", "\x04"
	openBoth, closeBoth   = "\x05", "\x06"
	round                 = "\x07" // where a loop begins a round
)

var (
	plain   = strings.NewReplacer(openRead, "", closeRead, "", openWrite, "", closeWrite, "", openBoth, "", closeBoth, "", round, "")
	counted = strings.NewReplacer(openRead, "(*rd(&", closeRead, "))", openWrite, "(*wr(&", closeWrite, "))", openBoth, "(*rw(&", closeBoth, "))", round, "step();")
)

func rd(s string) string { return openRead + s + closeRead }

// A generator writes one random nest.
type generator struct {
	*rand.Rand
	out    strings.Builder
	loops  []string // variables around
	locals []string // other ints in scope
	names  int
	depth  int
	inside int  // branches around
	search bool // it writes no memory, and may be left
	counts bool // there is a variable c that methods change
	owns   bool // there is an array own that is the function's own
}

func (g *generator) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names)
}

// invariant is an int that no nest changes.
func (g *generator) invariant() string {
	return g.pick("n", "k", "q", "n", "k", "2", "3", "(n-1)", rd("p.N"), "v.W", rd("total"), "5", "len(a)", "len("+rd("p.table")+")/4", "int(q)")
}

// affine is an int expression in the loop variables.
func (g *generator) affine() string {
	terms := []string{}
	for _, v := range g.loops {
		switch g.IntN(6) {
		case 0:
		case 1, 2:
			terms = append(terms, v)
		case 3:
			terms = append(terms, fmt.Sprintf("%s*%s", v, g.invariant()))
		case 4:
			terms = append(terms, fmt.Sprintf("%d*%s", 1+g.IntN(3), v))
		case 5:
			terms = append(terms, fmt.Sprintf("(%s-%s)", g.pick(g.invariant(), fmt.Sprint(g.IntN(20))), v))
		}
	}
	if len(g.locals) > 0 && g.IntN(2) == 0 {
		terms = append(terms, g.pick(g.locals...))
	}
	if g.IntN(3) > 0 || len(terms) == 0 {
		terms = append(terms, g.pick("0", "1", "2", "7", "k", "(n+1)"))
	}
	return strings.Join(terms, g.pick("+", "+", "+", "-"))
}

// changing is affine and no constant, which the compiler would compare with the bounds.
func (g *generator) changing() string {
	for {
		if s := g.affine(); strings.ContainsAny(s, "ijloknt") {
			return s
		}
	}
}

// element is an int element of some array.
func (g *generator) element() string {
	switch g.IntN(9) {
	case 0, 1, 2:
		return "a[" + g.affine() + "]"
	case 3, 4:
		return "b[" + g.affine() + "]"
	case 5:
		return rd("p.table") + "[" + g.affine() + "]"
	case 6:
		return rd("m["+g.affine()+"]") + "[" + g.affine() + "]"
	case 7:
		return "grid[" + g.changing() + "][" + g.changing() + "]"
	}
	return "v.D[" + g.affine() + "]"
}

func (g *generator) value() string {
	if g.owns && g.IntN(3) == 0 {
		return g.own()
	}
	switch g.IntN(11) {
	case 7:
		if g.search && g.IntN(3) == 0 {
			return "s / " + rd(g.element())
		}
		return g.pick("s", rd(g.element())) + g.pick(" / ", " % ") + g.pick("k", "("+g.invariant()+")")
	case 8:
		return "modulo(" + g.pick("s", rd(g.element())) + ", " + g.pick("k", g.invariant()) + ")"
	case 9, 10:
		if g.counts {
			return g.pick("c.next()", "c.below(7)", "c.below("+g.invariant()+")", "c.at")
		}
		return "s"
	case 6:
		at := g.changing()
		return rd("b["+at+"-"+g.pick("1", "n", "2")+"]") + " + " + rd("b["+at+"+"+g.pick("1", "n", "0")+"]")
	case 0, 1, 2:
		return rd(g.element())
	case 3:
		return g.affine()
	case 4:
		return "twice(s)"
	}
	return "max(s, " + rd(g.element()) + ")"
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.out, strings.Repeat("\t", g.depth)+format+"\n", args...)
}

// header opens a loop.
func (g *generator) header() {
	v := g.pick("i", "j", "l", "o")
	for strings.Contains(strings.Join(g.loops, " "), v) {
		v += "x"
	}
	bound := g.invariant()
	low := g.pick("0", "0", "1", "k", "n-3")
	if len(g.loops) > 0 && g.IntN(2) == 0 {
		outer := g.pick(g.loops...)
		switch g.IntN(4) {
		case 0:
			low = outer + "+1"
		case 1:
			bound = outer
		case 2:
			bound = outer + "+2"
		case 3:
			low, bound = outer, outer+"+"+g.pick("n", "k", "3")
		}
	}
	switch g.IntN(8) {
	case 0:
		g.line("for %s := range %s {", v, g.pick(bound, bound, bound, "grid", "grid[k]", "grid"))
		g.line("\t_ = %s", v)
	case 1:
		g.line("for %s := %s; %s <= %s; %s++ {", v, low, v, bound, v)
	case 2:
		g.line("for %s := %s - 1; %s >= %s; %s-- {", v, bound, v, low, v)
	case 3:
		g.line("for %s := %s; %s > %s; %s -= 1 {", v, bound, v, low, v)
	case 4:
		step := 2 + g.IntN(2)
		g.line("for %s := %d; %s < %s; %s += %d {", v, g.IntN(4), v, g.pick("n", "k", "11"), v, step)
	default:
		g.line("for %s := %s; %s < %s; %s++ {", v, low, v, bound, v)
	}
	g.loops = append(g.loops, v)
	g.depth++
	g.line("%s", round)
}

func (g *generator) close(locals int) {
	g.depth--
	g.loops = g.loops[:len(g.loops)-1]
	g.locals = g.locals[:locals]
	g.line("}")
}

func (g *generator) statement() {
	if g.owns && g.IntN(3) == 0 {
		g.ownStatement()
		return
	}
	if g.search {
		g.look()
		return
	}
	kinds := 15
	if g.inside > 1 {
		kinds = 9
	}
	if g.counts && g.IntN(8) == 0 {
		g.line("c.add(%s)", g.value())
		return
	}
	switch g.IntN(kinds) {
	case 9, 10:
		g.branches()
	case 11, 12:
		g.recurrence()
	case 13, 14:
		g.row()
	case 0, 1:
		g.line("%s = %s", openWrite+g.element()+closeWrite, g.value())
	case 2:
		g.line("%s += %s", openBoth+g.element()+closeBoth, g.value())
	case 3:
		g.line("%s++", openBoth+g.element()+closeBoth)
	case 4, 5:
		g.line("s += %s", g.value())
	case 6:
		t := g.fresh("t")
		g.line("%s := %s", t, g.affine())
		g.line("s ^= %s", t)
		g.locals = append(g.locals, t)
	case 7:
		g.line("if s&1 == 0 { s += %s }", g.affine())
	case 8:
		g.line("%s, s = s, %s", openWrite+g.element()+closeWrite, g.value())
	}
}

// own is an element of an array that is the function's own.
func (g *generator) own() string { return "own[" + g.ownIndex() + "]" }

func (g *generator) ownIndex() string {
	switch g.IntN(6) {
	case 0:
		return g.pick("s", "k", "s>>2") + "&7"
	case 1, 2:
		return rd(g.element()) + g.pick("&7", "%8", "%9")
	case 3:
		return "own[" + g.pick("3", "k&7") + "]&3"
	}
	return g.changing()
}

// ownStatement deals with an array that is the function's own, and with parts of it.
func (g *generator) ownStatement() {
	switch g.IntN(6) {
	case 0, 1:
		g.line("%s %s %s", g.own(), g.pick("=", "+=", "^="), g.value())
	case 2:
		g.line("%s++", g.own())
	case 3:
		part := g.fresh("part")
		g.line("%s := own[%s:%s]", part, g.pick("", "1", "k&3", rd(g.element())+"&7"), g.pick("", "5", "7", rd(g.element())+"%9"))
		g.line("%s[%s] += s", part, g.pick("0", "1", "k", "s&1"))
		g.line("s ^= %s[%s] + len(%s)", part, g.pick("0", "2", "q"), part)
	case 4:
		g.line("if %s > %s { s++ }", g.own(), g.own())
	case 5:
		x := g.fresh("x")
		g.line("for _, %s := range own { s = s*3 + %s }", x, x)
	}
}

// branches is a condition with what depends on it.
func (g *generator) branches() {
	locals := len(g.locals)
	g.inside++
	g.line("if %s {", g.pick("s&1 == 0", rd(g.element())+"%3 > 0", g.affine()+" < 4"))
	g.depth++
	g.statement()
	g.depth--
	g.locals = g.locals[:locals]
	if g.IntN(2) == 0 {
		g.line("} else {")
		g.depth++
		g.statement()
		g.depth--
		g.locals = g.locals[:locals]
	}
	g.line("}")
	g.inside--
}

// look is a statement of a nest that may be left early.
func (g *generator) look() {
	switch g.IntN(6) {
	case 0, 1:
		g.line("s += %s", g.value())
	case 2:
		g.line("if s&1 == 0 { s += %s }", rd(g.element()))
	default:
		found := fmt.Sprintf("%s%%%d == 1", rd(g.element()), 200+g.IntN(5000))
		leave := []string{"return s", "s += 100; return", "panic(s)", "v.W = s; goto out", "found := func() int { return s }; return found()"}
		if len(g.loops) == 1 {
			leave = append(leave, "s++; break", "break")
		}
		v := g.loops[len(g.loops)-1]
		leave = append(leave, "return "+v, "return 3 + "+rd("b["+v+"]"))
		if g.IntN(4) == 0 {
			g.line("if %s { s++ } else { %s }", found, g.pick(leave...))
		} else {
			g.line("if %s { %s }", found, g.pick(leave...))
		}
	}
}

// row is a part of a slice, and what is done with it.
func (g *generator) row() {
	row, v := g.fresh("row"), g.fresh("x")
	array, at := g.pick("a", "b", "v.D", rd("p.table")), g.changing()
	count := g.pick("3", "n", "k", "(k-1)")
	switch g.IntN(4) {
	case 0:
		g.line("%s := window(%s, %s, %s)", row, array, at, count)
	case 1:
		g.line("%s := %s[%s:]", row, array, g.pick("2", "n", "k"))
	default:
		g.line("%s := %s[%s : %s+%s]", row, array, at, at, count)
	}
	switch g.IntN(4) {
	case 0:
		g.line("for %s := range %s { s += %s }", v, row, rd(row+"["+v+"]"))
		g.line("s += %s", rd(row+"["+g.pick("0", "1", "k", "k-1")+"]"))
	case 1:
		g.line("for %s := range %s { %s = s + %s }", v, row, openWrite+row+"["+v+"]"+closeWrite, rd("b["+v+"]"))
	case 2:
		g.line("for %s := 1; %s < len(%s); %s++ { %s = %s }", v, v, row, v, openWrite+row+"["+v+"]"+closeWrite, rd(row+"["+v+"-1]"))
	case 3:
		g.line("for %s := range %s { %s++ }", v, count, openBoth+row+"["+v+g.pick("", "+1")+"]"+closeBoth)
	}
}

// recurrence writes what further rounds read.
func (g *generator) recurrence() {
	array, at := g.pick("a", "b", "v.D"), g.changing()
	read := func() string {
		terms := []string{at}
		for _, v := range g.loops {
			for range g.IntN(3) {
				terms = append(terms, g.pick("1", "n", "2", "k", "20", v))
			}
		}
		return rd(array + "[" + strings.Join(terms, g.pick("-", "-", "+")) + "]")
	}
	set := openWrite + array + "[" + at + "]" + closeWrite
	switch g.IntN(3) {
	case 0:
		g.line("%s = %s + %s", set, read(), read())
	case 1:
		g.line("if %s < 4 { %s = %s } else { %s = %s - 1 }", g.affine(), set, read(), set, read())
	case 2:
		g.line("if s&1 == 0 { s += %s; %s = s } else { %s = max(%s, %s) }", read(), set, set, read(), read())
	}
}

func (g *generator) nest() {
	locals := len(g.locals)
	g.header()
	for range 1 + g.IntN(2) {
		g.statement()
	}
	if len(g.loops) < 3 && g.IntN(5) < 3 {
		g.nest()
		if g.IntN(3) == 0 {
			g.statement()
		}
		if len(g.loops) < 3 && g.IntN(6) == 0 {
			g.nest()
		}
	}
	g.close(locals)
}

// twin is the nest between what it needs and what is made of it.
func (g *generator) twin() (t twin) {
	if g.counts {
		g.line("c := counter{at: k}")
		t.loop++
	}
	if g.owns {
		g.line("own := [8]int{k, n, 3}")
		t.loop++
	}
	g.nest()
	if g.counts {
		g.line("s += c.at")
	}
	if g.owns {
		g.line("s += sum(own)")
	}
	text := g.out.String()
	t.plain, t.counted = plain.Replace(text), counted.Replace(text)
	return t
}

const signature = "(a, b []int, m [][]int, p *T, v V, n, k, q int) (s int) {\n"

// A twin is the body of a function as it is, and one that counts what it touches, on the
// same lines.
type twin struct {
	plain, counted string
	loop           int  // the line in it of the loop that is to be rewritten
	trail          bool // which is a trail
}

func marked(text string) twin {
	return twin{plain: plain.Replace(text), counted: counted.Replace(text)}
}

// writeNests writes the program of nests to dir and rewrites it. whole says which nests
// are rewritten as a whole.
func writeNests(t *testing.T, dir string, nests []twin) (result Result, whole []bool) {
	t.Helper()
	var loops, counting, table strings.Builder
	loops.WriteString("package main\n\n")
	counting.WriteString("package main\n\nvar nests = []pair{\n")
	lines := map[int]int{} // nests by where they begin
	for i, text := range nests {
		fmt.Fprintf(&loops, "func plain%d%s", i, signature)
		lines[strings.Count(loops.String(), "\n")+1+text.loop] = i
		end := "\treturn s\n}\n\n"
		if strings.Contains(text.plain, "goto out") {
			end = "out:\n\treturn s\n}\n\n"
		}
		loops.WriteString(text.plain + end)
		fmt.Fprintf(&table, "func counted%d%s%s%s", i, signature, text.counted, end)
		fmt.Fprintf(&counting, "\t{counted%d, plain%d, %v},\n", i, i, text.trail)
	}
	counting.WriteString("}\n\n" + table.String())
	files := map[string]string{"go.mod": "module m\n\ngo 1.25.0\n", "loops.go": loops.String(), "counted.go": counting.String()}
	for _, name := range []string{"main.go", "line.go"} {
		content, err := os.ReadFile(filepath.Join("testdata", "harness", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	for name, content := range files {
		writeFile(t, filepath.Join(dir, name), content)
	}
	pkg := Package{Path: "m", Name: "main", Rewrite: true}
	for _, name := range []string{"main.go", "loops.go", "counted.go"} {
		pkg.Files = append(pkg.Files, filepath.Join(dir, name))
	}
	result = Rewrite(dir, []Package{pkg})
	whole = make([]bool, len(nests))
	for _, l := range result.Loops {
		if i, ok := lines[l.Line]; ok && filepath.Base(l.File) == "loops.go" {
			whole[i] = l.Coalesced && nests[i].trail == (len(l.Proven) > 0 && strings.HasSuffix(l.Proven[0], "round on"))
		}
	}
	return result, whole
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// runNests rewrites nests, runs the result, and returns what it says.
func runNests(t *testing.T, nests []twin) string {
	t.Helper()
	dir := t.TempDir()
	result, _ := writeNests(t, dir, nests)
	rewritten := string(result.Files[filepath.Join(dir, "loops.go")])
	// The detector's part is played by the harness.
	rewritten, _, _ = strings.Cut(rewritten, "\n//go:noescape\n")
	r := &rewriter{tag: tag("loops.go")}
	rewritten = strings.NewReplacer(r.name("Loop")+"(", "told(", r.name("Masked")+"(", "masked(", r.name("Here")+"(", "here(", r.name("Either")+"(", "either(", r.name("Inside")+"(", "inside(", "return true }", "guarded = true; return true }",
		fmt.Sprintf("detraceWait := %d, %d", warm, warm), "detraceWait := first, first", fmt.Sprintf("detraceHolds := %d,", rounds), "detraceHolds := most,",
		"{ break }; detraceLeft = 1<<62", "{ noting = true; break }; detraceLeft = 1<<62",
		"if !detraceDone {", "if !detraceDone { guarded = false;").Replace(rewritten)
	writeFile(t, filepath.Join(dir, "loops.go"), rewritten)
	binary := filepath.Join(dir, "nests")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, rewritten)
	}
	// A mutant's loops may go on for ever. They end before the mutant's test is ended, which
	// would leave them running.
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	raw, err := exec.CommandContext(ctx, binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return string(raw)
}

// TestRandomNests compares what rewritten nests tell of with what the loops touch, one
// access at a time, on random values: those inside all bounds and others.
func TestRandomNests(t *testing.T) { compareNests(t, 100, 300) }

// TestFewRandomNests is quick.
func TestFewRandomNests(t *testing.T) { compareNests(t, 0, 160) }

// named are nests that random ones seldom are; R( and )R are around what is read,
// W( and )W around what is written.
var named = []string{
	// An access on a condition, and one without after it.
	"\tfor i := 1; i < k+8; i++ {\n\t\tif s&1 == 0 {\n\t\t\ts += R(a[i])R\n\t\t}\n\t\ts += R(a[i])R + R(b[i])R\n\t}\n",
	// An access on a condition that data decide.
	"\tfor i := 1; i < k+8; i++ {\n\t\tif R(b[i])R%4 > 1 {\n\t\t\ts += R(a[i])R\n\t\t}\n\t}\n",
	// A stencil.
	"\tfor i := 1; i < n+2; i++ {\n\t\tfor j := 1; j < k+1; j++ {\n\t\t\ts += R(a[i*20+j-1])R + R(a[i*20+j+1])R + R(a[i*20+j-20])R + R(a[i*20+j+20])R\n\t\t}\n\t}\n",
	// A wavefront, whose elements are written in one of two places.
	"\tfor i := 1; i < k+3; i++ {\n\t\tfor j := 1; j < q+4; j++ {\n\t\t\tif R(b[j])R%3 > 1 {\n\t\t\t\tW(a[i*9+j])W = R(a[(i-1)*9+j-1])R + 1\n\t\t\t} else {\n" +
		"\t\t\t\tW(a[i*9+j])W = max(R(a[(i-1)*9+j])R, R(a[i*9+j-1])R)\n\t\t\t}\n\t\t}\n\t}\n",
	// The same from the other side, and from below.
	"\tfor i := k + 5; i > 2; i -= 2 {\n\t\tfor j := 1; j < q+4; j++ {\n\t\t\tif R(b[j])R%3 > 1 {\n\t\t\t\tW(a[i*9+j])W = R(a[(i+2)*9+j+1])R + 1\n\t\t\t} else {\n" +
		"\t\t\t\tW(a[i*9+j])W = R(a[(i+4)*9+j-1])R\n\t\t\t}\n\t\t}\n\t}\n",
	// One whose rows grow.
	"\tfor i := 1; i < k+4; i++ {\n\t\tfor j := 0; j < i; j++ {\n\t\t\tW(a[i*20+j])W = R(a[(i-1)*20+j])R\n\t\t}\n\t}\n",
	// A read of what a later round writes.
	"\tfor i := 1; i < k+12; i++ {\n\t\tW(a[i])W = R(a[i+1])R + R(a[i-1])R\n\t}\n",
	// One written in every other round only.
	"\tfor i := 1; i < k+12; i++ {\n\t\tif s&1 == 0 {\n\t\t\tW(a[i])W = R(b[i])R\n\t\t}\n\t\ts += R(a[i-1])R + R(b[i+1])R + i\n\t}\n",
	// A nest that has written when it is left.
	"\tfor i := 0; i < k+12; i++ {\n\t\tif R(b[i])R > 40 {\n\t\t\tbreak\n\t\t}\n\t\tW(a[i])W = R(a[i])R + 1\n\t}\n",
	// Rows that are left, and that have no elements or fewer.
	"\tfor i := 0; i < k+2; i++ {\n\t\trow := a[i*9 : i*9+6]\n\t\tfor j := 0; j < q; j++ {\n\t\t\ts += R(row[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < k+2; i++ {\n\t\trow := a[i+q : i+n]\n\t\tfor j := range row {\n\t\t\tW(row[j])W = R(b[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\trow := a[i*k:]\n\t\ts += R(b[i])R + len(row)\n\t}\n",
	// A row that is not there, which is no matter without a round, or in another branch.
	"\tfor i := 0; i < n; i++ {\n\t\tfor j := 0; j < len(R(m[k])R); j++ {\n\t\t\ts += R(R(m[k])R[j])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\ts += R(b[i])R\n\t\tif s&1 == 0 {\n\t\t\ts += len(R(m[n])R) / 2 * q\n\t\t}\n\t}\n",
	// Functions that divide by what they are given.
	"\tfor i := 0; i < 9; i++ {\n\t\tif q > 3 {\n\t\t\tW(a[i])W = modulo(R(b[i])R, k)\n\t\t}\n\t}\n",
	"\tc := counter{}\n\tfor i := 0; i < 9; i++ {\n\t\tW(a[i])W = R(b[i])R + c.below(k*q)\n\t}\n\ts = c.at\n",
	// Arrays of the function's own: a histogram, rows, and parts of one.
	"\tvar own [5]int\n\tfor i := 0; i < 9; i++ {\n\t\town[R(b[i])R%6]++\n\t}\n\ts = own[1] + own[4]*9\n",
	"\tvar own [2][3]int\n\tfor i := 0; i < 9; i++ {\n\t\town[R(b[i])R&1][i%3+q] += R(a[i])R\n\t}\n\ts = own[0][1] + own[1][2]*9\n",
	"\tvar own [9]int\n\tfor i := 0; i < 9; i++ {\n\t\tpart := own[R(b[i])R%4 : k]\n\t\tpart[0]++\n\t\tpart[len(part)-1] += i\n\t}\n\ts = own[1] + own[3]*9\n",
	// One that is reached by another name.
	"\town := [9]int{n, k}\n\tpart := own[:]\n\tfor i := 0; i < 8; i++ {\n\t\tpart[i]++\n\t\ts += R(b[i])R * own[i]\n\t}\n\ts += own[1]\n",
	"\town := [9]int{n, k}\n\tpart := own[:]\n\tfor i := 0; i < 8; i++ {\n\t\tother := own[i:]\n\t\tother[0]++\n\t\ts += R(b[i])R * part[i]\n\t}\n\ts += own[1]\n",
	// A call before what an index is taken from.
	"\tc, own := counter{}, [4]int{k, n, q}\n\tfor i := 0; i < 9; i++ {\n\t\ts += c.next() + own[c.below(4)] + R(b[i])R\n\t}\n",
	// Divisions by data.
	"\tfor i := 0; i < 9; i++ {\n\t\tif R(b[i])R != 7 {\n\t\t\ts += modulo(n, R(b[i])R) + s/R(b[i])R\n\t\t}\n\t}\n",
	"\tfor i := 0; i < 9; i++ {\n\t\ts := s\n\t\tif R(b[i])R > 40 {\n\t\t\treturn s + 1\n\t\t}\n\t\tk += s / (R(a[i])R - 7)\n\t}\n\ts = k\n",
	"\tfor i := 0; i < 9; i++ {\n\t\tW(a[i])W = R(a[i])R + n/(R(b[i])R-28)\n\t}\n",
	// A triangle, whose last round touches all.
	"\tfor i := 0; i < k+6; i++ {\n\t\tfor j := 0; j < i+1; j++ {\n\t\t\ts += R(a[j])R\n\t\t}\n\t}\n",
	// An access in a loop that often has no rounds, and one behind it.
	"\tfor i := 0; i < k+3; i++ {\n\t\tfor j := 4; j < i; j++ {\n\t\t\ts += R(a[i])R\n\t\t}\n\t\ts += R(a[i])R\n\t}\n",
}

var marks = strings.NewReplacer("R(", openRead, ")R", closeRead, "W(", openWrite, ")W", closeWrite)

var loopHeader = regexp.MustCompile(`for .*\n`)

func compareNests(t *testing.T, seed uint64, count int) {
	t.Parallel()
	var all []twin
	for i := range count {
		g := &generator{Rand: rand.New(rand.NewPCG(seed+uint64(i), 1)), depth: 1}
		g.search, g.counts, g.owns = g.IntN(6) == 0, g.IntN(4) == 0, g.IntN(4) == 0
		g.search = g.search || g.owns && g.IntN(2) == 0
		all = append(all, g.twin())
	}
	for _, text := range named {
		text = marks.Replace(text)
		one := marked(loopHeader.ReplaceAllString(text, "$0 "+round+"\n"))
		one.loop = strings.Count(text[:strings.Index(text, "for ")], "\n")
		all = append(all, one)
	}
	judge(t, all, count)
}

// judge runs those of the nests that are rewritten, of which there must be enough for count.
func judge(t *testing.T, all []twin, count int) {
	t.Helper()
	var nests []twin
	_, whole := writeNests(t, t.TempDir(), all)
	for i, text := range all {
		if whole[i] {
			nests = append(nests, text)
		}
	}
	if len(nests) < count/3 {
		t.Fatalf("only %d of %d nests are rewritten", len(nests), count)
	}
	var cases, together, stopped int
	for line := range strings.Lines(runNests(t, nests)) {
		var number int
		if _, err := fmt.Sscanf(line, "WRONG nest %d", &number); err == nil {
			t.Fatalf("%s%s", line, nests[number].plain)
		}
		fmt.Sscanf(line, "cases %d together %d stopped %d", &cases, &together, &stopped)
	}
	t.Logf("%d of %d nests rewritten; %d runs, %d together, %d stopped by a panic", len(nests), count, cases, together, stopped)
	if together < 3*count {
		t.Errorf("only %d of %d runs together", together, cases)
	}
}
