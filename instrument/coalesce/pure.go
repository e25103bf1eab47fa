package coalesce

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// pure reports whether a function touches no memory of others, cannot panic, block or
// run forever, and calls only such functions.
func (p *Program) pure(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "math":
		return true
	case "math/bits": // divisions panic
		return !strings.HasPrefix(fn.Name(), "Div") && !strings.HasPrefix(fn.Name(), "Rem")
	}
	known, ok := p.purity[fn]
	if ok {
		return known
	}
	p.purity[fn] = false // for the calls of itself
	d, ok := p.decls[fn]
	if !ok || generic(d.decl) || directives(d.decl.Doc) {
		return false
	}
	c := &purity{p, d.info, true}
	ast.Inspect(d.decl.Body, c.node)
	p.purity[fn] = c.pure
	return c.pure
}

// purity is a look at one function.
type purity struct {
	prog *Program
	info *types.Info
	pure bool
}

func (c *purity) node(n ast.Node) bool {
	ok := true
	switch n := n.(type) {
	case nil, *ast.BlockStmt, *ast.IfStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.GenDecl, *ast.ValueSpec, *ast.ParenExpr, *ast.BasicLit, *ast.IncDecStmt:
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			_, isName := lhs.(*ast.Ident)
			ok = ok && isName
		}
		if len(n.Rhs) == 1 && n.Tok != token.DEFINE && n.Tok != token.ASSIGN {
			ok = ok && c.safe(n.Tok, n.Lhs[0], n.Rhs[0])
		}
	case *ast.Ident:
		switch obj := c.info.ObjectOf(n).(type) {
		case *types.Var:
			ok = obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope()
			ok = ok && (obj.IsField() || valueOnly(obj.Type()))
		}
	case *ast.BinaryExpr:
		ok = c.safe(n.Op, n.X, n.Y)
	case *ast.UnaryExpr:
		ok = n.Op != token.AND && n.Op != token.ARROW
	case *ast.SelectorExpr:
		s := c.info.Selections[n]
		ok = s == nil || s.Kind() == types.FieldVal && !isPointer(s.Recv()) && len(s.Index()) == 1
		if s == nil { // a name of another package
			_, isVar := c.info.Uses[n.Sel].(*types.Var)
			ok = !isVar
		}
	case *ast.CallExpr:
		ok = c.call(n)
	default:
		ok = false
	}
	c.pure = c.pure && ok
	return c.pure
}

// valueOnly reports whether a variable of type t is numbers alone.
func valueOnly(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0
	case *types.Struct:
		for i := range u.NumFields() {
			if !valueOnly(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

func (c *purity) call(e *ast.CallExpr) bool {
	if tv := c.info.Types[e.Fun]; tv.IsType() {
		return valueOnly(tv.Type)
	}
	var id *ast.Ident
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		if c.info.Selections[f] != nil {
			return false
		}
		id = f.Sel
	default:
		return false
	}
	switch fn := c.info.Uses[id].(type) {
	case *types.Builtin:
		return fn.Name() == "min" || fn.Name() == "max"
	case *types.Func:
		return c.prog.pure(fn)
	}
	return false
}

// safe reports whether an operator cannot panic.
func (c *purity) safe(op token.Token, x, y ast.Expr) bool {
	t, ok := c.info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsString != 0 {
		return false
	}
	v := c.info.Types[y].Value
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		return t.Info()&types.IsInteger == 0 || v != nil && constant.Sign(v) != 0
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		by, ok := c.info.TypeOf(y).Underlying().(*types.Basic)
		return v != nil || ok && by.Info()&types.IsUnsigned != 0
	}
	return true
}
