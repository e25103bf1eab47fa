package coalesce

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// The random nests are written with marks around what touches memory, so that one text
// gives both the loops to be rewritten and the same loops counting what they touch.
const (
	openRead, closeRead   = "\x01", "\x02"
	openWrite, closeWrite = "\x03", "\x04"
	openBoth, closeBoth   = "\x05", "\x06"
	round                 = "\x07" // where a loop begins a round
	readWhole, endRead    = "\x0e", "\x0f"
	writeWhole, endWrite  = "\x10", "\x11"
)

var (
	plain   = strings.NewReplacer(openRead, "", closeRead, "", openWrite, "", closeWrite, "", openBoth, "", closeBoth, "", round, "", readWhole, "", endRead, "", writeWhole, "", endWrite, "")
	counted = strings.NewReplacer(openRead, "(*rd(&", closeRead, "))", openWrite, "(*wr(&", closeWrite, "))", openBoth, "(*rw(&", closeBoth, "))", round, "step();",
		readWhole, "(*rdAll(&", endRead, "))", writeWhole, "(*wrAll(&", endWrite, "))")
)

// rangesCells is the header of a loop that reads structs as a whole.
var rangesCells = regexp.MustCompile(`for (\w+), \w+ := range v\.cells \{`)

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
	shares bool // there are variables sa, sp, sn and ss that others may reach
}

func (g *generator) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names)
}

// invariant is an int that no nest changes.
func (g *generator) invariant() string {
	if g.shares && g.IntN(6) == 0 {
		return g.pick(rd("sn"), rd("sn"), "len("+rd("sa")+")", rd(rd("sp")+".N"))
	}
	if g.IntN(16) == 0 {
		return g.pick(rd("b[k]"), rd(rd("p.table")+"[q]"), rd(rd("m[q]")+"[k]"), "int("+rd(rd("p.short")+"[k]")+")", rd("grid[2][k]"))
	}
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
	if g.shares && g.IntN(4) == 0 {
		return g.pick(rd("sa")+"["+g.affine()+"]", rd("sa")+"["+g.affine()+"]", rd(rd("sp")+".table")+"["+g.affine()+"]", rd("sp")+".sum", "ss")
	}
	switch g.IntN(13) {
	case 12:
		return rd("p.forty") + "[" + g.changing() + "]"
	case 9, 10:
		return "v.cells[" + g.affine() + "]." + g.pick("x", "y")
	case 11:
		return g.pick("p.sum", "tally", "p.one.y")
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

// scattered is an element at an index that is data.
func (g *generator) scattered() string {
	array := g.pick("a", "a", "b", "v.D", rd("p.table"), rd("p.forty"), rd("m[k]"), "grid[2]", rd("m["+g.affine()+"]"))
	index := g.pick("s&7", rd(g.element())+"&15", rd(g.element())+"%9", rd(g.element())+"/7")
	switch {
	case g.counts && g.IntN(2) == 0:
		index = g.pick("c.next()&7", "c.below(9)", "uint8(c.below(6))")
	case array == "a" && g.IntN(3) == 0:
		index = "len(a)-3+s&3"
	case g.IntN(6) == 0:
		index = rd("b["+index+"]") + "&31"
	}
	if g.counts && g.IntN(2) == 0 {
		return rd(array+"["+index+"]") + g.pick("+", "^") + g.pick("c.at", "c.next()")
	}
	return rd(array + "[" + index + "]")
}

func (g *generator) value() string {
	if g.search && g.IntN(2) == 0 {
		return g.scattered()
	}
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
	if g.IntN(8) == 0 {
		g.whole()
		return
	}
	kinds := 15
	if g.inside > 1 {
		kinds = 9
	}
	if g.shares && g.IntN(5) == 0 {
		g.line("%s %s %s", openBoth+"ss"+closeBoth, g.pick("+=", "^="), g.value())
		return
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
	case 0:
		g.line("%s = %s", openWrite+g.element()+closeWrite, g.value())
	case 1:
		at := g.element()
		if g.IntN(6) == 0 {
			at = "a[s&7]"
		}
		g.line("%s = %s", openWrite+at+closeWrite, g.value())
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

// whole moves structs.
func (g *generator) whole() {
	x := g.fresh("cell")
	cell := func() string { return "v.cells[" + g.affine() + "]" }
	switch g.IntN(4) {
	case 0:
		g.line("%s := %s", x, readWhole+cell()+endRead)
		g.line("s += %s.x", x)
	case 1:
		g.line("%s = %s", writeWhole+cell()+endWrite, readWhole+cell()+endRead)
	case 2:
		g.line("for %si, %s := range v.cells { s += %s.y * %si }", x, x, x, x)
	case 3:
		g.line("%s := %s", x, readWhole+"p.one"+endRead)
		g.line("%s.x += s", x)
		g.line("%s = %s", writeWhole+cell()+endWrite, x)
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
	if g.shares {
		g.line("sa, sp, sn, ss := a, p, n, 0; share(&sa, &sp, &sn, &ss)")
		t.loop++
	}
	g.nest()
	if g.shares {
		g.line("s += ss")
	}
	if g.counts {
		g.line("s += c.at")
	}
	if g.owns {
		g.line("s += sum(own)")
	}
	text := g.out.String()
	one := marked(text)
	one.loop = t.loop
	return one
}
