package coalesce

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A conduct is what is known of a function: whether it touches no memory but that of a variable
// of numbers to which its receiver points, cannot block or run forever, calls only such
// functions, and does not panic if some of its parameters are not 0.
type conduct struct {
	good    bool
	changes bool // that variable
	nonZero []int
}

// pure reports whether a function touches no memory of others, cannot panic, block or
// run forever, and calls only such functions.
func (p *Program) pure(fn *types.Func) bool {
	c := p.conductOf(fn)
	return c.good && !c.changes && len(c.nonZero) == 0
}

func (p *Program) conductOf(fn *types.Func) conduct {
	if fn.Pkg() == nil {
		return conduct{}
	}
	switch fn.Pkg().Path() {
	case "math":
		return conduct{good: true}
	case "math/bits": // divisions panic
		return conduct{good: !strings.HasPrefix(fn.Name(), "Div") && !strings.HasPrefix(fn.Name(), "Rem")}
	}
	known, ok := p.conducts[fn]
	if ok {
		return known
	}
	p.conducts[fn] = conduct{} // for the calls of itself
	d, ok := p.decls[fn]
	if !ok || generic(d.decl) || directives(d.decl.Doc) {
		return conduct{}
	}
	c := &purity{prog: p, info: d.info, sig: fn.Signature(), assigned: map[types.Object]bool{}, conduct: conduct{good: true}}
	if recv := c.sig.Recv(); recv != nil && isPointer(recv.Type()) {
		c.self = recv
	}
	ast.Inspect(d.decl.Body, c.node)
	c.good = c.good && (!c.changes || valueOnly(c.self.Type().Underlying().(*types.Pointer).Elem()))
	for _, i := range c.nonZero {
		c.good = c.good && !c.assigned[c.sig.Params().At(i)]
	}
	p.conducts[fn] = c.conduct
	return c.conduct
}

// purity is a look at one function.
type purity struct {
	prog     *Program
	info     *types.Info
	sig      *types.Signature
	self     *types.Var // its receiver, if that is a pointer
	assigned map[types.Object]bool
	conduct
}

func (c *purity) node(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok && c.ofSelf(e) {
		c.changes = true
		return false
	}
	ok := true
	switch n := n.(type) {
	case nil, *ast.BlockStmt, *ast.IfStmt, *ast.ReturnStmt, *ast.DeclStmt, *ast.GenDecl, *ast.ValueSpec, *ast.ParenExpr, *ast.BasicLit, *ast.ExprStmt:
	case *ast.IncDecStmt:
		ok = c.target(n.X)
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			ok = ok && c.target(lhs)
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
		if ok = c.call(n); ok {
			// Of what is called, the arguments are left to look at.
			for _, arg := range n.Args {
				ast.Inspect(arg, c.node)
			}
			c.good = c.good && ok
			return false
		}
	default:
		ok = false
	}
	c.good = c.good && ok
	return c.good
}

// ofSelf reports whether e is the variable that the receiver points to, or a field of it.
func (c *purity) ofSelf(e ast.Expr) bool {
	isSelf := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && c.self != nil && c.info.Uses[id] == c.self
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.StarExpr:
		return isSelf(e.X)
	case *ast.SelectorExpr:
		s := c.info.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && len(s.Index()) == 1 && isSelf(e.X)
	}
	return false
}

// target reports whether e may be assigned.
func (c *purity) target(e ast.Expr) bool {
	if c.ofSelf(e) {
		c.changes = true
		return true
	}
	id, ok := e.(*ast.Ident)
	if ok && id.Name != "_" {
		c.assigned[c.info.ObjectOf(id)] = true
	}
	return ok
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
	case *types.Array:
		return valueOnly(u.Elem())
	}
	return false
}

// call reports whether a call may be made. What it asks of its arguments is asked of
// parameters in turn.
func (c *purity) call(e *ast.CallExpr) bool {
	if tv := c.info.Types[e.Fun]; tv.IsType() {
		return valueOnly(tv.Type)
	}
	var id *ast.Ident
	ofSelf := false
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
		if s := c.info.Selections[f]; s != nil {
			x, ok := ast.Unparen(f.X).(*ast.Ident)
			ofSelf = ok && c.self != nil && c.info.Uses[x] == c.self && s.Kind() == types.MethodVal && len(s.Index()) == 1
			if !ofSelf {
				return false
			}
		}
	default:
		return false
	}
	switch fn := c.info.Uses[id].(type) {
	case *types.Builtin:
		return fn.Name() == "min" || fn.Name() == "max"
	case *types.Func:
		known := c.prog.conductOf(fn)
		ok := known.good && (ofSelf || !known.changes) && !(e.Ellipsis.IsValid() || fn.Signature().Variadic())
		c.changes = c.changes || known.changes
		for _, i := range known.nonZero {
			ok = ok && c.notZero(e.Args[i])
		}
		return ok
	}
	return false
}

// safe reports whether an operator cannot panic.
func (c *purity) safe(op token.Token, x, y ast.Expr) bool {
	t, ok := c.info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsString != 0 {
		return false
	}
	switch op {
	case token.QUO, token.REM, token.QUO_ASSIGN, token.REM_ASSIGN:
		return t.Info()&types.IsInteger == 0 || c.notZero(y)
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		by, ok := c.info.TypeOf(y).Underlying().(*types.Basic)
		return c.info.Types[y].Value != nil || ok && by.Info()&types.IsUnsigned != 0
	}
	return true
}

// notZero reports whether e is not 0 as long as parameters are not.
func (c *purity) notZero(e ast.Expr) bool {
	if v := c.info.Types[e].Value; v != nil {
		return constant.Sign(v) != 0
	}
	id, ok := widened(c.info, e).(*ast.Ident)
	if !ok {
		return false
	}
	for i := range c.sig.Params().Len() {
		if c.info.Uses[id] == c.sig.Params().At(i) {
			if !slices.Contains(c.nonZero, i) {
				c.nonZero = append(c.nonZero, i)
			}
			return true
		}
	}
	return false
}
