package coalesce

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// A check is what is asked before a statement of a nest of which it is not known beforehand that
// it does not panic. If the nest writes no memory of others, it is tried; where the answer is
// no, it is left, and begins again, as it was.
type check struct {
	stmt  ast.Stmt   // in a block
	exprs []ast.Expr // of it, which are computed before it, once
	holds func(values []string) string
	why   refusal                                   // if the nest may not be tried
	asks  string                                    // what for
	then  func(e *emission, values []string) string // what follows if the answer is yes; may be nil
}

// check has the nest asked before the statement that is being read whether it goes on. It
// refuses if the parts of the statement cannot be computed before it.
func (n *nest) check(at ast.Node, why string, holds func([]string) string, exprs ...ast.Expr) {
	n.ask(check{exprs: exprs, holds: holds, asks: why, why: refusal{why: why, pos: at.Pos()}})
}

// ask is check for one that is made but for its statement.
func (n *nest) ask(c check) {
	if slices.ContainsFunc(n.checks, func(o check) bool { return slices.Equal(o.exprs, c.exprs) }) {
		return
	}
	c.stmt = n.at
	if n.at == nil || n.conditional > 0 || n.called > 0 || !n.movable(n.at, c.exprs) {
		panic(c.why)
	}
	ast.Inspect(n.stmt, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok && n.info.Defs[id] != nil && slices.Contains(predeclared, id.Name) {
			panic(c.why)
		}
		return true
	})
	for _, e := range c.exprs {
		ast.Inspect(e, func(node ast.Node) bool {
			// The type of a constant that is shifted is not to be seen in its text.
			shift, ok := node.(*ast.BinaryExpr)
			if ok && (shift.Op == token.SHL || shift.Op == token.SHR) && n.info.Types[shift.X].Value != nil {
				panic(c.why)
			}
			return true
		})
	}
	n.checks = append(n.checks, c)
}

// indexed asks whether an index is inside of so many elements that are the function's own.
func (n *nest) indexed(index ast.Expr, length string, at ast.Node) {
	n.ask(inside(index, length, refusal{why: mayBeOutside, pos: at.Pos()}))
}

const mayBeOutside = "an index that may be outside"

// inside is the check whether an index is inside of so many elements.
func inside(index ast.Expr, length string, why refusal) check {
	return check{exprs: []ast.Expr{index}, why: why, asks: mayBeOutside, holds: func(values []string) string {
		return fmt.Sprintf("uint(%s) < uint(%s)", values[0], length)
	}}
}

// mayBeLeft reports whether the nest is tried first.
func (n *nest) mayBeLeft() bool { return len(n.exits)+len(n.checks) > 0 }

// asking is the text of the checks before statements, and what stands there for the values that
// were asked about.
func (e *emission) asking() []patch.Edit {
	var all []patch.Edit
	for i, c := range e.checks {
		if i == 0 || e.checks[i-1].stmt != c.stmt {
			at := e.offset(c.stmt.Pos())
			all = append(all, patch.At(at, e.askBefore(c.stmt)))
		}
	}
	return append(all, e.asked(e.stmt)...)
}

// askBefore is the text of the checks before s.
func (e *emission) askBefore(s ast.Stmt) string {
	var b strings.Builder
	for i, c := range e.checks {
		if c.stmt != s {
			continue
		}
		values := make([]string, len(c.exprs))
		for k, x := range c.exprs {
			if values[k] = e.text(x); e.info.Types[x].Value == nil {
				values[k] = value(i, k)
				fmt.Fprintf(&b, "%s := %s; ", values[k], e.with(x, e.asked(x)))
			}
		}
		fmt.Fprintf(&b, "if !(%s) { return }; ", c.holds(values))
		if c.then != nil {
			b.WriteString(c.then(e, values))
		}
	}
	return b.String() + e.rewriter.line(s.Pos())
}

func value(check, expr int) string { return fmt.Sprintf("detraceValue%d_%d", check, expr) }

// asked is what is in the places of values in a part of the nest, other than itself: the outermost
// ones.
func (e *emission) asked(in ast.Node) []patch.Edit {
	var all []patch.Edit
	for i, c := range e.checks {
		for k, x := range c.exprs {
			if e.info.Types[x].Value == nil && x != in && x.Pos() >= in.Pos() && x.End() <= in.End() {
				all = append(all, patch.Over(e.offset(x.Pos()), e.offset(x.End()), value(i, k)))
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(r patch.Edit) bool {
		return slices.ContainsFunc(all, func(o patch.Edit) bool { return r.Within(o) && o != r })
	})
}

// with is the text of a part of the nest with replacements.
func (e *emission) with(node ast.Node, all []patch.Edit) string {
	return string(patch.Apply(e.src, e.offset(node.Pos()), e.offset(node.End()), all))
}
