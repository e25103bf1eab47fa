package coalesce

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// operate reads the operator of an expression or an assignment whose operands are of type t.
func (n *nest) operate(op token.Token, y ast.Expr, at ast.Node, t types.Type) {
	if divides(op, t) {
		n.notZero(y, at)
		return
	}
	n.operator(op, y, at, t)
}

// operator refuses operators that may panic: those on integers by 0, shifts by negative
// numbers, comparisons of interfaces; and those that allocate.
func (n *nest) operator(op token.Token, y ast.Expr, at ast.Node, t types.Type) {
	b, ok := t.Underlying().(*types.Basic)
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		if ok && b.Info()&types.IsInteger != 0 {
			if v := n.info.Types[y].Value; v == nil || constant.Sign(v) == 0 {
				n.refuse(at, "an integer division that may be by zero")
			}
		}
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		by, isBasic := n.typeOf(y).Underlying().(*types.Basic)
		if n.info.Types[y].Value == nil && (!isBasic || by.Info()&types.IsUnsigned == 0) {
			n.refuse(at, "a shift by what may be negative")
		}
	case token.ADD, token.ADD_ASSIGN:
		if !ok || b.Info()&types.IsString != 0 {
			n.refuse(at, "strings are joined")
		}
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		if !ok {
			n.refuse(at, "a comparison of other than numbers and strings")
		}
	}
}

// divides reports whether an operator on numbers of type t panics if the second one is 0.
func divides(op token.Token, t types.Type) bool {
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		b, ok := t.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsInteger != 0
	}
	return false
}

// notZero has the guard ask whether an integer is 0, by which the nest divides, or the nest if
// it is not left alone.
func (n *nest) notZero(e ast.Expr, at ast.Node) {
	if v := n.info.Types[e].Value; v != nil && constant.Sign(v) != 0 {
		return
	}
	p := n.read(widened(n.info, e))
	if p == nil || !n.invariant(p) {
		n.check(at, "an integer division that may be by zero", func(values []string) string { return values[0] + " != 0" }, e)
		return
	}
	n.need(p.String() + " != 0")
}

// invariant reports whether p is the same all through the nest.
func (n *nest) invariant(p poly) bool {
	for _, l := range n.loops {
		if l.v != "" && p.mentions(l.v) {
			return false
		}
	}
	return true
}

// widened is e without conversions to integers of more bits, or as many: it is 0 where e is.
func widened(info *types.Info, e ast.Expr) ast.Expr {
	for {
		e = ast.Unparen(e)
		call, ok := e.(*ast.CallExpr)
		if !ok || !info.Types[call.Fun].IsType() || len(call.Args) != 1 {
			return e
		}
		to, ok1 := info.TypeOf(call).Underlying().(*types.Basic)
		from, ok2 := info.TypeOf(call.Args[0]).Underlying().(*types.Basic)
		if !ok1 || !ok2 || to.Info()&from.Info()&types.IsInteger == 0 || info.Types[call.Args[0]].Value != nil || amd64.Sizeof(to) < amd64.Sizeof(from) {
			return e
		}
		e = call.Args[0]
	}
}
