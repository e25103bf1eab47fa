package coalesce

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// A trail is rewritten to
//
//	{ init; for { the loop, one by one, for some rounds
//	y..., code = run(x..., notes); tell...; what code asks for } }
//
// run is the loop without hooks. It stops after so many rounds at the latest, and goes on
// when what it noted is told. Before each access it looks at the index: if that is outside,
// what came before is told, and the access is made where it panics. When run has too much to
// note, the next rounds are one by one, each time twice as many. Where a touch takes what another
// one leaves, as in a merge, both are told by one call.

const (
	warm   = 16           // rounds one by one: short loops are not worth the calls
	rounds = maskBits - 1 // that are noted at most; a cursor has one place more
	runs   = 4            // that can be noted of one touch
	worth  = 64           // rounds that are worth the calls

	more   = 1  // codes: there are more rounds
	leaves = 2  // plus the number of a return
	beyond = 64 // plus the number of a touch whose index is outside
)

// trailText is the text of one trail in the making.
type trailText struct {
	*emission
	trail *trail
	order []*touch // to be told
	mark  map[*touch]int
	marks int // how many touches are marked
}

// prepareTrail looks at what the rewritten form needs of the function around.
func (r *rewriter) prepareTrail(t *trail) *trailText {
	e := &trailText{emission: &emission{nest: t.nest, number: r.nests, types: map[*types.Var]string{}}, trail: t, order: t.told(), mark: map[*touch]int{}}
	for _, n := range e.order {
		if n.marked {
			e.mark[n] = e.marks
			e.marks++
		}
	}
	e.variables()
	for _, v := range t.header.vars {
		e.types[v] = e.typeText(v.Type(), t.stmt)
		e.inputs = append(e.inputs, v)
		e.nest.name(v.Name(), v, t.stmt)
		if t.assigned[v] > 1 || t.cursors[v] != nil {
			e.outputs = append(e.outputs, v)
		}
	}
	return e
}

// emitTrail replaces the loop by its rewritten form.
func (r *rewriter) emitTrail(e *trailText) {
	stmt := e.trail.stmt
	r.edits = append(r.edits, patch.Over(r.offset(stmt.Pos()), r.offset(stmt.End()), e.caller()))
	if !r.noting {
		r.noting = true
		r.tail = append(r.tail, r.noteFunctions()...)
	}
	r.tail = append(r.tail, e.run()...)
	r.nests++
	at := r.fset.Position(stmt.Pos())
	l := Loop{File: at.Filename, Line: at.Line, Column: at.Column, Coalesced: true}
	for _, n := range e.order {
		l.Proven = append(l.Proven, fmt.Sprintf("%s: %s", r.prog.relative(r.fset.Position(n.pos)), n))
	}
	r.loops = append(r.loops, l)
}

// caller is what stands in the place of the loop.
func (e *trailText) caller() string {
	t, h := e.trail, &e.trail.header
	line := e.rewriter.line
	var b strings.Builder
	fmt.Fprintf(&b, "{ %s%s; for detraceLeft, detraceWait := %d, %d; ; { for ; ; %s { if detraceLeft--; detraceLeft < 0 { if %s { break }; detraceLeft = 1<<62 }; ",
		line(t.stmt.Pos()), h.init, warm, warm, h.post, e.apartness())
	fmt.Fprintf(&b, "%sif !(%s) { break }; %s%s}; if detraceLeft >= 0 { break }; ",
		line(h.at), h.text, line(h.body.Lbrace+1), e.src[e.offset(h.body.Lbrace+1):e.offset(h.body.Rbrace)])
	fmt.Fprintf(&b, "var detraceRuns [%d]%s; var detraceMarks [%d]%s; var detraceCode, detraceAt int; %s = %s(%s); ",
		len(t.touches), e.rewriter.name("Noted"), e.marks, e.rewriter.name("Marked"), strings.Join(append(e.names(e.outputs), "detraceCode", "detraceAt"), ", "),
		e.emission.name("Run"), strings.Join(append(e.names(e.inputs), "&detraceRuns", "&detraceMarks"), ", "))
	for i, n := range e.order {
		switch {
		case n.marked:
			b.WriteString(e.tellMarked(n, i > 0 && e.order[i-1].taken == n))
		default:
			b.WriteString(e.tell(n, e.order[:i]))
		}
	}
	b.WriteString("switch detraceCode { ")
	for i, exit := range t.exits {
		fmt.Fprintf(&b, "case %d: %s%s; ", leaves+i, line(exit.Pos()), e.text(exit))
	}
	for _, n := range e.order {
		fmt.Fprintf(&b, "case %d: %s_ = %s[detraceAt]; ", beyond+n.number, line(n.pos), n.slice.Name())
	}
	fmt.Fprintf(&b, "}; if detraceCode != %d { break }; if detraceLeft = 0; detraceAt > %d { detraceWait *= 2; detraceLeft = detraceWait } }", more, rounds-worth)
	if loop, ok := t.stmt.(*ast.ForStmt); ok && loop.Cond == nil && !t.breaks {
		b.WriteString("; for { }") // never: the compiler wants to see that nothing follows
	}
	return b.String() + " }" + line(t.stmt.End())
}

// apartness is the condition that slices do not overlap that must not.
func (e *trailText) apartness() string {
	all := []string{}
	for _, pair := range e.trail.apart() {
		var args []string
		for _, v := range pair {
			size := e.prog.sizes.Sizeof(v.Type().Underlying().(*types.Slice).Elem())
			args = append(args, fmt.Sprintf("detraceunsafe.Pointer(detraceunsafe.SliceData(%s)), len(%s)*%d", v.Name(), v.Name(), size))
		}
		all = append(all, fmt.Sprintf("%s(%s)", e.rewriter.name("Apart"), strings.Join(args, ", ")))
	}
	if len(all) == 0 {
		return "true"
	}
	return strings.Join(all, " && ")
}

func (n *touch) op() int {
	return map[bool]int{false: 1, true: 2}[n.write]
}

// tellMarked is tell for a touch whose elements are marked, and for the one that takes the others,
// unless it was told.
func (e *trailText) tellMarked(n *touch, told bool) string {
	if told {
		return ""
	}
	var b strings.Builder
	other := n
	if n.taken != nil {
		other = n.taken
	}
	sign := map[bool]string{false: "+", true: "-"}[n.cursor.down]
	at := fmt.Sprintf("detraceunsafe.Pointer(&%s[detraceFirst%sdetraceBit])", n.slice.Name(), sign)
	fmt.Fprintf(&b, "if detraceFirst, detraceBit, detraceCount := %s(&detraceMarks[%d], &detraceMarks[%d]); detraceCount > 0 { ", e.rewriter.name("Span"), e.mark[n], e.mark[other])
	if n.taken == nil {
		fmt.Fprintf(&b, "%s%s(%d, %s, &detraceMarks[%d].of, detraceBit, 0, 0, detraceCount, %s%d, 1, 0, 1, 0) }; ",
			e.rewriter.line(n.pos), e.rewriter.name("Masked"), n.op(), at, e.mark[n], sign, n.size)
		return b.String()
	}
	fmt.Fprintf(&b, "var detracePlace uintptr; %s%s(&detracePlace); %s%s(%d, detracePlace, %s, &detraceMarks[%d].of, &detraceMarks[%d].of, detraceBit, detraceCount, %s%d) }; ",
		e.rewriter.line(n.pos), e.rewriter.name("Here"), e.rewriter.line(other.pos), e.rewriter.name("Either"), n.op(), at, e.mark[n], e.mark[other], sign, n.size)
	return b.String()
}

// tell tells of what was noted of a touch; what those before have told of is left out.
func (e *trailText) tell(n *touch, before []*touch) string {
	var b strings.Builder
	for _, other := range before {
		if !other.marked && other.slice == n.slice && other.index.equal(n.index) && (other.write || !n.write) {
			fmt.Fprintf(&b, "%s(&detraceRuns[%d], &detraceRuns[%d]); ", e.rewriter.name("Rest"), n.number, other.number)
		}
	}
	fmt.Fprintf(&b, "for detraceI := 0; detraceI < detraceRuns[%[1]d].n; detraceI++ { detraceRun := detraceRuns[%[1]d].of[detraceI]; %[2]s%[3]s(%[4]d, detraceunsafe.Pointer(&%[5]s[detraceRun[0]]), detraceRun[1]-detraceRun[0], %[6]d, 1, 0, 1, 0) }; ",
		n.number, e.rewriter.line(n.pos), e.rewriter.name("Loop"), n.op(), n.slice.Name(), n.size)
	return b.String()
}

// run is the loop as a function.
func (e *trailText) run() string {
	t, h := e.trail, &e.trail.header
	var params, results []string
	for _, v := range e.inputs {
		params = append(params, v.Name()+" "+e.types[v])
	}
	params = append(params, fmt.Sprintf("detraceRuns *[%d]%s, detraceMarks *[%d]%s", len(t.touches), e.rewriter.name("Noted"), e.marks, e.rewriter.name("Marked")))
	for _, v := range e.outputs {
		results = append(results, e.types[v])
	}
	var begin, end strings.Builder
	for _, n := range e.order {
		if n.marked {
			fmt.Fprintf(&begin, "detraceFrom%d, detraceFirst%d := %s, 0; ", n.number, n.number, n.cursor.name)
			fmt.Fprintf(&end, "detraceMarks[%d].first = detraceFirst%d; ", e.mark[n], n.number)
			continue
		}
		fmt.Fprintf(&begin, "detraceLow%[1]d, detraceUp%[1]d := -2, -2; ", n.number)
		fmt.Fprintf(&end, "%s(&detraceRuns[%[2]d], detraceLow%[2]d, detraceUp%[2]d); ", e.rewriter.name("Push"), n.number)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n//go:norace\nfunc %s(%s) (%s) { %s%sdetraceLeft, detraceCode, detraceAt, detraceHolds := %d, 0, 0, true; ",
		e.emission.name("Run"), strings.Join(params, ", "), strings.Join(append(results, "int", "int"), ", "), strings.Join(e.consts, ""), begin.String(), rounds)
	fmt.Fprintf(&b, "for ; ; %s { if detraceLeft--; detraceLeft < 0 { detraceCode = %d; goto detraceEnd }; ", h.post, more)
	if h.cond != nil {
		b.WriteString(e.decide(h.cond))
	} else {
		fmt.Fprintf(&b, "detraceHolds = %s; ", h.text)
	}
	fmt.Fprintf(&b, "if !detraceHolds { break }; %s%s}; detraceEnd: %sreturn %s }\n", e.rewriter.line(h.body.Lbrace+1), e.body(),
		end.String(), strings.Join(append(e.names(e.outputs), "detraceCode", "detraceAt"), ", "))
	return b.String()
}

// body is the loop's body with what is noted before each statement.
func (e *trailText) body() string {
	body := e.trail.header.body
	var inserts []patch.Edit
	insert := func(from, to token.Pos, text string) {
		inserts = append(inserts, patch.Over(e.offset(from), e.offset(to), text))
	}
	ast.Inspect(body, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.AssignStmt, *ast.IncDecStmt, *ast.DeclStmt:
			if text := e.notes(s); text != "" {
				insert(s.Pos(), s.Pos(), text+e.rewriter.line(s.Pos()))
			}
		case *ast.ReturnStmt:
			insert(s.Pos(), s.End(), fmt.Sprintf("detraceCode = %d; goto detraceEnd", leaves+slices.Index(e.trail.exits, s)))
			return false
		case *ast.IfStmt:
			insert(s.Pos(), s.Pos(), "{ "+e.decide(s.Cond)+e.rewriter.line(s.Pos()))
			insert(s.Cond.Pos(), s.Cond.End(), "detraceHolds")
			insert(s.End(), s.End(), " }")
		}
		return true
	})
	return string(patch.Apply(e.src, e.offset(body.Lbrace+1), e.offset(body.Rbrace), inserts))
}

// decide computes a condition into detraceHolds.
func (e *trailText) decide(c ast.Expr) string {
	switch x := ast.Unparen(c).(type) {
	case *ast.BinaryExpr:
		switch {
		case !touchesIn(x):
		case x.Op == token.LAND:
			return fmt.Sprintf("%sif detraceHolds { %s}; ", e.decide(x.X), e.decide(x.Y))
		case x.Op == token.LOR:
			return fmt.Sprintf("%sif !detraceHolds { %s}; ", e.decide(x.X), e.decide(x.Y))
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return e.decide(x.X) + "detraceHolds = !detraceHolds; "
		}
	}
	return fmt.Sprintf("%sdetraceHolds = bool(%s); ", e.notes(c), e.text(c))
}

// notes looks at the indices in a statement or an expression, and notes them. One that is
// next to the last one, or the same, makes the run longer.
func (e *trailText) notes(node ast.Node) string {
	var b strings.Builder
	for _, n := range e.trail.touches {
		if n.known || n.pos < node.Pos() || n.pos >= node.End() {
			continue
		}
		x := "(" + e.text(n.expr.Index) + ")"
		fmt.Fprintf(&b, "if uint%s >= uint(len(%s)) { detraceCode, detraceAt = %d, %s; goto detraceEnd }; ", x, n.slice.Name(), beyond+n.number, x)
		if n.marked {
			bit := fmt.Sprintf("uint(%s-detraceFrom%d)", n.cursor.name, n.number)
			if n.cursor.down {
				bit = fmt.Sprintf("uint(detraceFrom%d-%s)", n.number, n.cursor.name)
			}
			fmt.Fprintf(&b, "detraceMarks[%[1]d].of[%[2]s>>6%%%[3]d] |= 1 << (%[2]s & 63); detraceFirst%[4]d = %[5]s%[6]sint(%[2]s); ", e.mark[n], bit, maskBits/64,
				n.number, x, map[bool]string{false: "-", true: "+"}[n.cursor.down])
			continue
		}
		push := fmt.Sprintf("if %s(&detraceRuns[%[2]d], detraceLow%[2]d, detraceUp%[2]d) { detraceAt, detraceLeft = detraceAt+detraceLeft, 0 }", e.rewriter.name("Push"), n.number)
		if n.cursor.down {
			fmt.Fprintf(&b, "if uint(detraceLow%[1]d-%[2]s) > 1 { %[3]s; detraceUp%[1]d = %[2]s+1 }; detraceLow%[1]d = %[2]s; ", n.number, x, push)
		} else {
			fmt.Fprintf(&b, "if uint(%[2]s-detraceUp%[1]d+1) > 1 { %[3]s; detraceLow%[1]d = %[2]s }; detraceUp%[1]d = %[2]s+1; ", n.number, x, push)
		}
	}
	return b.String()
}

// noteFunctions is what the trails of a file have in common. Push notes a run from low to
// up, if it has elements, and reports whether there is hardly room for more. Rest leaves
// of the runs what is not at the ends of others. Span returns the index of the first bit of two that go together, the first bit that
// is set in one of them, and how many there are from there to the last. Apart reports whether
// memory is.
func (r *rewriter) noteFunctions() string {
	return fmt.Sprintf(`
type %[1]s struct { n int; of [%[5]d][2]int }

//go:norace
func %[2]s(r *%[1]s, low, up int) bool {
	if up > low {
		r.of[r.n] = [2]int{low, up}
		r.n++
	}
	return r.n >= len(r.of)-1
}

//go:norace
func %[3]s(r, others *%[1]s) {
	kept := 0
	for _, run := range r.of[:r.n] {
		for _, other := range others.of[:others.n] {
			if other[0] <= run[0] && run[0] < other[1] {
				run[0] = other[1]
			} else if other[0] < run[1] && run[1] <= other[1] {
				run[1] = other[0]
			}
		}
		if run[1] > run[0] {
			r.of[kept] = run
			kept++
		}
	}
	r.n = kept
}

type %[6]s struct { first int; of [%[7]d]uint64 }

//go:norace
func %[8]s(a, b *%[6]s) (first, bit, count int) {
	first = a.first
	low, high := -1, 0
	for i := range a.of {
		if x := a.of[i] | b.of[i]; x != 0 {
			if high = i; low < 0 {
				low = i
			}
		}
	}
	if low < 0 {
		return 0, 0, 0
	}
	if a.of == [%[7]d]uint64{} {
		first = b.first
	}
	bit = low*64
	for (a.of[low]|b.of[low])>>(bit&63)&1 == 0 {
		bit++
	}
	end := high*64+64
	for (a.of[high]|b.of[high])>>((end-1)&63)&1 == 0 {
		end--
	}
	return first, bit, end-bit
}

//go:norace
func %[4]s(p detraceunsafe.Pointer, n int, q detraceunsafe.Pointer, m int) bool {
	return uintptr(p)+uintptr(n) <= uintptr(q) || uintptr(q)+uintptr(m) <= uintptr(p)
}
`, r.name("Noted"), r.name("Push"), r.name("Rest"), r.name("Apart"), runs, r.name("Marked"), maskBits/64, r.name("Span"))
}
