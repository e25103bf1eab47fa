package tp3

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// generate makes a random program: mostly free of program errors, with few
// tasks that share locations and promises, often through memory. Some are
// free of races, some deadlock, some loop, a few never end.
func generate(seed uint64) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), left: 6, asyncs: 1}
	g.left += g.IntN(10)
	g.asyncs += g.IntN(3)
	g.careful = g.IntN(2) > 0
	for range 1 + g.IntN(2) {
		g.alloc()
	}
	for range 1 + g.IntN(3) {
		g.newPromise()
	}
	if g.IntN(10) > 0 {
		g.async()
	}
	g.block()
	return g.String()
}

// kinds of locals, as far as the generator knows them.
const (
	genInteger = iota
	genLocation
	genPromise
	genUnknown
)

type genLocal struct {
	name string
	kind int
	used bool // a promise that was set, a location that was written
}

type generator struct {
	*rand.Rand
	strings.Builder
	locals  []genLocal
	fresh   int
	left    int  // statements
	asyncs  int  // that may still be written
	careful bool // set no promise twice, write no location in two tasks
	depth   int
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(g, strings.Repeat("  ", g.depth)+format+"\n", args...)
}

func (g *generator) local(kind int) string {
	g.fresh++
	name := fmt.Sprintf("%c%d", "nrpu"[kind], g.fresh)
	g.locals = append(g.locals, genLocal{name: name, kind: kind})
	return name
}

func (g *generator) alloc()      { g.line("%s = alloc", g.local(genLocation)) }
func (g *generator) newPromise() { g.line("%s = new_promise", g.local(genPromise)) }

// pick returns a local of the kind, nil if there is none; seldom one of
// another kind.
func (g *generator) pick(kind int) *genLocal {
	var of []int
	for i, l := range g.locals {
		if l.kind == kind || g.IntN(500) == 0 {
			of = append(of, i)
		}
	}
	if of == nil {
		return nil
	}
	return &g.locals[of[g.IntN(len(of))]]
}

// block writes statements until the budget or the whim ends it.
func (g *generator) block() {
	scope := len(g.locals)
	for g.left > 0 && g.IntN(10) > 0 {
		g.left--
		g.statement()
	}
	g.locals = g.locals[:scope]
}

// last may end a block with a return.
func (g *generator) last() {
	if g.IntN(10) == 0 {
		g.line("return")
	}
}

func (g *generator) statement() {
	switch k := g.IntN(20); {
	case k < 6:
		g.async()
	case k < 10:
		g.store()
	case k < 12:
		if r := g.pick(genLocation); r != nil {
			g.line("%s = load %s", g.local(genUnknown), r.name)
		}
	case k < 13:
		if p := g.pick(genPromise); p != nil && (!p.used || !g.careful && g.IntN(6) == 0) {
			g.line("%s.set", p.name)
			p.used = true
		}
	case k < 14:
		// A get of what nobody sets ends the task: not too often.
		if p := g.pick(genPromise); p != nil && (p.used || g.IntN(4) == 0) {
			g.line("%s.get", p.name)
		}
	case k == 14:
		g.alloc()
	case k == 15:
		g.newPromise()
	case k == 16:
		g.while()
	case k == 17:
		g.through()
	default:
		sum := g.sum()
		g.line("%s = %s", g.local(genInteger), sum)
	}
}

// async hands out what the child may write and set: in a careful program the
// parent then leaves it alone.
func (g *generator) async() {
	if g.asyncs == 0 {
		return
	}
	g.asyncs--
	g.line("async {")
	g.depth++
	mine := slices.Clone(g.locals)
	given := map[int]bool{}
	for i := range g.locals {
		given[i] = g.IntN(2) == 0
		if g.careful && !given[i] {
			g.locals[i].used = true
		}
	}
	g.block()
	if p := g.pick(genPromise); p != nil && !p.used {
		g.line("%s.set", p.name)
	}
	g.last()
	g.locals = mine
	for i := range g.locals {
		if given[i] {
			g.locals[i].used = true
		}
	}
	g.depth--
	g.line("}")
}

func (g *generator) store() {
	r := g.pick(genLocation)
	if r == nil || g.careful && r.used && g.IntN(4) > 0 {
		return
	}
	g.line("store %s to %s", g.sum(), r.name)
}

func (g *generator) sum() string {
	switch n := g.pick(genInteger); {
	case g.IntN(12) == 0:
		if v := g.pick(genUnknown); v != nil {
			return v.name
		}
	case n != nil && g.IntN(2) == 0:
		return fmt.Sprintf("%s + %d", n.name, g.IntN(5)-2)
	}
	return fmt.Sprint(g.IntN(4) - 1)
}

// while writes a loop that some store ends, in itself or elsewhere.
func (g *generator) while() {
	r := g.pick(genLocation)
	if r == nil {
		return
	}
	g.line("while (0 != load %s) {", r.name)
	g.depth++
	switch scope := len(g.locals); g.IntN(4) {
	case 0:
		v := g.local(genUnknown)
		g.line("%s = load %s", v, r.name)
		g.line("store %s + -1 to %s", v, r.name)
		g.locals = g.locals[:scope]
	case 1:
		g.block()
		g.last()
	default:
		g.block()
		g.line("store 0 to %s", r.name)
	}
	g.depth--
	g.line("}")
}

// through passes a promise or a location through memory and uses it.
func (g *generator) through() {
	kind := genPromise + g.IntN(2)*(genLocation-genPromise)
	v, r := g.pick(kind), g.pick(genLocation)
	if v == nil || r == nil {
		return
	}
	if g.IntN(2) == 0 {
		g.line("store %s to %s", v.name, r.name)
		return
	}
	g.line("%s = load %s", g.local(kind), r.name)
}

// shrink removes lines and unwraps or removes blocks of a program as long as
// bad holds of what is left.
func shrink(src string, bad func(*Program) bool) string {
	holds := func(lines []string) bool {
		p, err := Parse("shrunk.tp3", strings.Join(lines, "\n"))
		return err == nil && bad(p)
	}
	lines := strings.Split(strings.TrimSpace(src), "\n")
	for again := true; again; {
		again = false
		for i := 0; i < len(lines); i++ {
			for _, smaller := range without(lines, i) {
				if holds(smaller) {
					lines, again = smaller, true
					i = max(i-2, -1)
					break
				}
			}
		}
	}
	return strings.Join(lines, "\n")
}

// without returns lines with line i taken out; if it opens a block, once with
// and once without what is in it.
func without(lines []string, i int) [][]string {
	switch {
	case strings.HasSuffix(lines[i], "{"):
		depth, j := 1, i
		for depth > 0 {
			j++
			if strings.HasSuffix(lines[j], "{") {
				depth++
			} else if strings.TrimSpace(lines[j]) == "}" {
				depth--
			}
		}
		return [][]string{
			slices.Delete(slices.Clone(lines), i, j+1),
			slices.Delete(slices.Delete(slices.Clone(lines), j, j+1), i, i+1),
		}
	case strings.TrimSpace(lines[i]) == "}":
		return nil
	}
	return [][]string{slices.Delete(slices.Clone(lines), i, i+1)}
}
