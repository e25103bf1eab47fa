package coalesce

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A trailGenerator writes one random loop whose course depends on data, and its twin that
// counts, in the order in which compiled code makes the accesses.
type trailGenerator struct {
	*rand.Rand
	out   twin
	down  map[string]bool // of the variables that move
	key   string          // the variable of the header, if any
	in    int             // conditions around
	names int
	turns bool // elements are written from one of two places
}

// expr is an expression and its twin.
type expr struct{ plain, counted string }

func (g *trailGenerator) pick(all ...string) string { return all[g.IntN(len(all))] }

func (g *trailGenerator) line(plain, counted string) {
	indent := strings.Repeat("\t", g.in+1)
	g.out.plain += indent + plain + "\n"
	g.out.counted += indent + counted + "\n"
}

func same(format string, args ...any) expr {
	s := fmt.Sprintf(format, args...)
	return expr{s, s}
}

// element is an element at one of the variables that move.
func (g *trailGenerator) element() string {
	at := g.pick("i", "i", "j")
	if g.key != "" && g.IntN(3) == 0 {
		at = g.key
	}
	slice := "a"
	switch {
	case at == "z" && g.IntN(8) > 0:
		slice = "c"
	case at == "j" && g.IntN(8) > 0 || g.IntN(16) == 0:
		slice = "b"
	}
	return slice + "[" + at + g.pick("", "", "", "", "+1", "-1", "+k") + "]"
}

func (g *trailGenerator) read() expr {
	e := g.element()
	return expr{e, "(*rd(&" + e + "))"}
}

func (g *trailGenerator) value() expr {
	x := g.read()
	switch g.IntN(6) {
	case 0:
		return same("s")
	case 1:
		y := g.read()
		return expr{x.plain + "*3 + " + y.plain, x.counted + "*3 + " + y.counted}
	case 2:
		return expr{"twice(" + x.plain + ")", "twice(" + x.counted + ")"}
	case 3:
		return expr{"max(s, " + x.plain + ")", "max(s, " + x.counted + ")"}
	}
	return x
}

func (g *trailGenerator) condition() expr {
	x, y := g.read(), g.read()
	switch g.IntN(9) {
	case 0, 1:
		return same("%s", g.pick("i < len(a)", "j < len(b)", "j > 0", "s&3 != 0", "i < n*3"))
	case 2:
		return expr{x.plain + " <= " + y.plain, x.counted + " <= " + y.counted}
	case 3:
		l, r := g.condition(), g.condition()
		return expr{l.plain + " && (" + r.plain + ")", l.counted + " && (" + r.counted + ")"}
	case 4:
		l, r := g.condition(), g.condition()
		return expr{"(" + l.plain + " || " + r.plain + ")", "(" + l.counted + " || " + r.counted + ")"}
	case 5:
		l := g.condition()
		return expr{"!(" + l.plain + ")", "!(" + l.counted + ")"}
	}
	mod := fmt.Sprintf("%%%d != 1", 2+g.IntN(60))
	return expr{x.plain + mod, x.counted + mod}
}

func (g *trailGenerator) move(v string) {
	switch {
	case g.down[v] != (g.IntN(30) == 0):
		s := same(g.pick("%s--", "%s -= 1"), v)
		g.line(s.plain, s.counted)
	default:
		s := same(g.pick("%s++", "%s += 1"), v)
		g.line(s.plain, s.counted)
	}
}

func (g *trailGenerator) statement() {
	kinds := 12
	if g.turns && g.key != "" {
		kinds = 18
	}
	if g.in > 2 {
		kinds = 7
	}
	target, v := g.element(), g.value()
	switch g.IntN(kinds) {
	case 0, 1:
		g.line(target+" = "+v.plain, "{ v := "+v.counted+"; *wr(&"+target+") = v }")
	case 2:
		g.line(target+" += "+v.plain, "{ r := *rd(&"+target+"); v := "+v.counted+"; *wr(&"+target+") = r + v }")
	case 3:
		g.line(target+"++", "*wr(rd(&"+target+")) += 1")
	case 4, 5:
		g.line("s += "+v.plain, "s += "+v.counted)
	case 6:
		g.move(g.pick("i", "j"))
	case 7:
		g.names++
		t := fmt.Sprint("t", g.names)
		g.line(t+" := "+v.plain, t+" := "+v.counted)
		g.line("s ^= "+t, "s ^= "+t)
	case 12, 13, 14, 15, 16, 17:
		g.takes()
	case 8:
		c, leave := g.condition(), g.pick("break", "continue", "return s + i", "return i*j")
		g.line("if "+c.plain+" { s++; "+leave+" }", "if "+c.counted+" { s++; "+leave+" }")
	default:
		g.branches()
	}
}

func (g *trailGenerator) block(move string) {
	g.in++
	for range 1 + g.IntN(2) {
		g.statement()
	}
	if move != "" {
		g.move(move)
	}
	g.in--
}

// takes writes an element from one of two places.
func (g *trailGenerator) takes() {
	target := g.pick("c", "c", "c", "b") + "[z" + g.pick("", "", "+1") + "]"
	c := g.condition()
	g.line("if "+c.plain+" {", "if "+c.counted+" {")
	for i := range 2 {
		if i == 1 {
			g.line("} else {", "} else {")
		}
		g.in++
		from := g.element()
		if g.IntN(4) > 0 {
			from = g.pick("a[i]", "a[j]", "b[j]")
		}
		g.line(target+" = "+from, "{ v := *rd(&"+from+"); *wr(&"+target+") = v }")
		if g.IntN(3) > 0 {
			g.move(g.pick("i", "j"))
		}
		g.in--
	}
	g.line("}", "}")
}

func (g *trailGenerator) branches() {
	c := g.condition()
	g.line("if "+c.plain+" {", "if "+c.counted+" {")
	g.block(g.pick("", "i", "j"))
	switch g.IntN(4) {
	case 0, 1:
		g.line("} else {", "} else {")
		g.block(g.pick("", "i", "j"))
	case 2:
		c := g.condition()
		g.line("} else if "+c.plain+" {", "} else if "+c.counted+" {")
		g.block("")
	}
	g.line("}", "}")
}

// trail writes the loop.
func (g *trailGenerator) trail() {
	g.down = map[string]bool{"i": g.IntN(4) == 0, "j": g.IntN(2) == 0}
	begin := func(v string) string {
		if g.down[v] {
			return g.pick("n+3", "len(a)-1", "len(b)-2", "k*4")
		}
		return g.pick("0", "0", "1", "k", "n")
	}
	first := fmt.Sprintf("i, j, c := %s, %s, v.D; _ = c", begin("i"), begin("j"))
	g.line(first, first)
	g.out.loop, g.out.trail = 1, true
	c := g.condition()
	header, move := expr{"for " + c.plain + " {", "for " + c.counted + " {"}, g.pick("i", "i", "i", "j", "")
	switch g.IntN(6) {
	case 0:
		header = same("for {")
	case 1:
		header = expr{"for ; " + c.plain + "; i" + map[bool]string{false: "++", true: "--"}[g.down["i"]] + " {", "for ; " + c.counted + "; i" + map[bool]string{false: "++", true: "--"}[g.down["i"]] + " {"}
	case 2:
		g.key = "z"
		header = expr{"for z := k; " + c.plain + "; z++ {", "for z := k; " + c.counted + "; z++ {"}
	case 3:
		g.key = "z"
		header = same("for z := range %s {", g.pick("a", "b", "n*9"))
	}
	g.line(header.plain, header.counted+" step()")
	if g.key != "" {
		g.line("\ts += z", "\ts += z")
	}
	for range 1 + g.IntN(3) {
		g.in++
		g.statement()
		g.in--
	}
	if move != "" {
		g.in++
		g.move(move)
		g.in--
	}
	g.line("}", "}")
	g.line("s += i + j", "s += i + j")
}

// namedTrails are trails that random ones seldom are, written as named nests are.
var namedTrails = []string{
	// What is read on a condition is a part of what is read later.
	"\tfor i := 0; i < len(a); i++ {\n\t\tif i < k*3 && R(a[i])R%9 != 1 {\n\t\t\ts++\n\t\t}\n\t\ts += R(a[i])R\n\t}\n",
	"\tfor i := 0; i < len(a); i++ {\n\t\tif i > k*3 && R(a[i])R%9 != 1 {\n\t\t\ts++\n\t\t}\n\t\ts += R(a[i])R\n\t\tif s > 9999 {\n\t\t\tbreak\n\t\t}\n\t}\n",
	// An element is read here in one round, and further up in the next.
	"\tfor i := 0; i < len(a); {\n\t\tif s&3 != 0 {\n\t\t\ts += R(a[i])R\n\t\t\ti++\n\t\t\tcontinue\n\t\t}\n\t\tif R(a[i])R >= 0 {\n\t\t\ts++\n\t\t\tcontinue\n\t\t}\n\t}\n",
	// An index that goes down and up.
	"\tfor i := k; i < len(a); {\n\t\tif s&1 == 0 {\n\t\t\ti--\n\t\t} else {\n\t\t\ti++\n\t\t}\n\t\ts += R(a[i+1])R\n\t\ts ^= R(a[i])R + 1\n\t}\n",
	// A filter, which takes and puts.
	"\tfor i := range a {\n\t\tif R(a[i])R%3 == 1 {\n\t\t\tW(b[k])W = i\n\t\t\tk++\n\t\t}\n\t}\n",
	// A merge, and one from the other end, whose index is moved in the loop.
	"\tc, i, j := v.D, 0, k\n\tfor z := range c {\n\t\tif i >= len(a) && j >= len(b) {\n\t\t\tbreak\n\t\t}\n\t\tif i < len(a) && (j >= len(b) || R(a[i])R <= R(b[j])R) {\n\t\t\tW(c[z])W = R(a[i])R\n\t\t\ti++\n\t\t} else {\n\t\t\tW(c[z])W = R(b[j])R\n\t\t\tj++\n\t\t}\n\t}\n",
	"\tc, i, j, z := v.D, len(a)-1, len(b)-1, len(v.D)-1\n\tfor z >= 0 && (i >= 0 || j >= 0) {\n\t\tif i >= 0 && (j < 0 || R(a[i])R > R(b[j])R) {\n\t\t\tW(c[z])W = R(a[i])R\n\t\t\ti--\n\t\t} else {\n\t\t\tW(c[z])W = R(b[j])R\n\t\t\tj--\n\t\t}\n\t\tz--\n\t}\n",
	// One of three places, and a fourth that comes again.
	"\tc := v.D\n\tfor i := range a {\n\t\ts += R(a[i])R + R(b[i])R\n\t\tif s%3 == 1 {\n\t\t\tW(c[i])W = i\n\t\t} else if s%3 == 2 {\n\t\t\tW(c[i])W = k\n\t\t} else {\n\t\t\tW(c[i])W = n\n\t\t}\n\t\tif s > k && R(a[i])R > 0 {\n\t\t\tW(c[i])W = s\n\t\t}\n\t\tif s < -q {\n\t\t\tbreak\n\t\t}\n\t}\n",
	// Elements some of which are read, and some written later.
	"\tc := v.D\n\tfor i := range a {\n\t\tif R(a[i])R%3 == 0 {\n\t\t\ts += R(c[i])R\n\t\t}\n\t\ts += R(b[i])R\n\t\tif s&2 == 0 {\n\t\t\tW(c[i])W = s\n\t\t}\n\t\tif s < -q {\n\t\t\treturn s\n\t\t}\n\t}\n",
	// One that shifts elements down.
	"\tfor z := len(a) - 1; z > 0 && R(a[z-1])R > s; z-- {\n\t\tW(a[z])W = s\n\t}\n",
}

// TestRandomTrails compares what rewritten loops tell of with what touches each element first,
// also up to where they panic.
func TestRandomTrails(t *testing.T) { compareTrails(t, 1000, 1200) }

// TestFewRandomTrails is quick.
func TestFewRandomTrails(t *testing.T) { compareTrails(t, 0, 300) }

func compareTrails(t *testing.T, seed uint64, count int) {
	t.Parallel()
	var all []twin
	for i := range count {
		g := &trailGenerator{Rand: rand.New(rand.NewPCG(seed+uint64(i), 2))}
		g.trail()
		all = append(all, g.out)
		g = &trailGenerator{Rand: rand.New(rand.NewPCG(seed+uint64(i), 3)), turns: true}
		if g.trail(); i%4 == 0 && g.key != "" {
			all = append(all, g.out)
		}
	}
	for _, text := range namedTrails {
		text = marks.Replace(text)
		one := marked(loopHeader.ReplaceAllString(text, "$0 "+round+"\n"))
		one.trail = true
		one.loop = strings.Count(text[:strings.Index(text, "for ")], "\n")
		all = append(all, one)
	}
	// What max is of is read before what it is added to.
	loop := "\tfor i := k; s < 50; i++ { %s\n\t\t%s\n\t}\n"
	all = append(all, twin{trail: true, plain: fmt.Sprintf(loop, "", "a[i] += max(s, a[i+1])"),
		counted: fmt.Sprintf(loop, "step()", "{ r := *rd(&a[i]); v := max(s, *rd(&a[i+1])); *wr(&a[i]) = r + v }")})
	judge(t, all, count/4)
}
