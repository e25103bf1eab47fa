package coalesce

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// Elements at indices that are data, as in s += a[b[i]], are no boxes. A nest that writes no memory
// of others notes the indices while it runs, and tells of them a few at a time; what
// it goes on to is told with the line of the element and the call path of the function around
// the nest. If the nest is left, some have been told of that it comes to again, one by one:
// they are touched all the same.

const (
	// mostScattered is how many indices are noted before they are told: see detraceScattered in probe/runtime.
	mostScattered = 30
	// mostNotes is how many references of a nest are noted so.
	mostNotes = 4
)

// A scattered is a reference that reads elements of one slice or array, at indices that are data.
type scattered struct {
	in   *place
	elem types.Type
	expr *ast.IndexExpr
}

// scatter reads an element of p, of which length is the number, at an index that is data.
func (n *nest) scatter(e *ast.IndexExpr, p *place, length string, elem types.Type) *place {
	why := refusal{"the index is not a sum of products of loop variables and what the loop leaves alone", e.Index.Pos(), true}
	if p == nil || e == n.storing || !p.stable(n) || !numbers(elem) || isArray(elem) {
		panic(why)
	}
	_, text := n.typeOf(e.X).Underlying().(*types.Basic)
	if length == "" {
		length = "len(" + p.text() + ")"
	}
	c := inside(e.Index, length, why)
	if !text {
		number := len(n.scattered)
		if number == mostNotes {
			panic(why)
		}
		n.scattered = append(n.scattered, &scattered{p, elem, e})
		c.then = func(e *emission, values []string) string { return e.scatters(number, values[0]) }
	}
	n.ask(c)
	return &place{segs: []seg{{text: "_"}}, typ: elem}
}

// scatteredName is what the indices of one of them are noted in.
func scatteredName(number int) string { return fmt.Sprintf("detraceAt%d", number) }

// scatteredNames are what the nest is handed for what it notes.
func (n *nest) scatteredNames() (names []string) {
	for i := range n.scattered {
		names = append(names, scatteredName(i))
	}
	return names
}

// scattering declares what indices are noted in, before the nest runs: where they are to be told, how many there
// are, and they.
func (e *emission) scattering() string {
	var b strings.Builder
	for i, name := range e.scatteredNames() {
		fmt.Fprintf(&b, "var %s [%d]uintptr; %s%s(&%s[0]); ", name, 2+mostScattered, e.rewriter.line(e.scattered[i].expr.Pos()), e.rewriter.name("Here"), name)
	}
	return b.String()
}

// scatters notes one index.
func (e *emission) scatters(number int, index string) string {
	return fmt.Sprintf("%[1]s[2+%[1]s[1]] = uintptr(%[2]s); if %[1]s[1]++; %[1]s[1] == %[3]d { %[4]s }; ", scatteredName(number), index, mostScattered, e.tellScattered(number))
}

// tellScattered tells of what was noted, of which there must be some.
func (e *emission) tellScattered(number int) string {
	s := e.scattered[number]
	return fmt.Sprintf("%s(1, detraceunsafe.Pointer(&%s[0]), %d, %s)", e.rewriter.name("Scattered"), s.in.text(), e.prog.sizes.Sizeof(s.elem), scatteredName(number))
}

// lastScattered tells of what is noted when the nest has run.
func (e *emission) lastScattered() string {
	var b strings.Builder
	for i := range e.scattered {
		fmt.Fprintf(&b, "if %s[1] > 0 { %s }; ", scatteredName(i), e.tellScattered(i))
	}
	return b.String()
}

// movable reports whether the parts of a statement that are exprs may be computed before the rest of it: no
// method that changes a variable is called in it, or one, inside of them. What else names the variable
// may be computed before or after the call as it is.
func (n *nest) movable(s ast.Stmt, exprs []ast.Expr) bool {
	calls, inside := 0, 0
	ast.Inspect(s, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			if v, _ := n.own.changedBy(node); v != nil {
				calls++
				if slices.ContainsFunc(exprs, func(e ast.Expr) bool { return e.Pos() <= node.Pos() && node.End() <= e.End() }) {
					inside++
				}
			}
		}
		return true
	})
	return calls == 0 || calls == 1 && inside == 1
}
