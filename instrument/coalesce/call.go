package coalesce

import (
	"go/ast"
	"go/types"
)

// follow looks into a function that a nest calls. It may read memory: it is compiled with
// hooks and not inlined into the nest, so nothing need be told of what it touches; but
// that must be inside for all rounds, as the nest cannot stop half-way. Its statements
// are conditions and returns alone.
func (n *nest) follow(call *ast.CallExpr, fn *types.Func) {
	d, ok := n.prog.decls[fn]
	if !ok || !d.open || fn.Pkg() != n.pkg || generic(d.decl) || directives(d.decl.Doc) || d.decl.Name.Name == "init" {
		n.refuse(call, "a call of %s", fn.Name())
	}
	if n.called > 2 || call.Ellipsis.IsValid() || fn.Signature().Variadic() {
		n.refuse(call, "a call of %s, which is not looked into", fn.Name())
	}
	for _, s := range d.decl.Body.List {
		if !conditionsOnly(s) {
			n.refuse(call, "a call of %s, which does more than return a value", fn.Name())
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && n.info.Selections[sel] != nil {
		n.pass(fn.Signature().Recv(), sel.X)
	}
	for i, arg := range call.Args {
		n.pass(fn.Signature().Params().At(i), arg)
	}
	own := n.own
	n.own = newLocals(n.prog, n.info, d.decl)
	n.called++
	for _, s := range d.decl.Body.List {
		n.statement(s)
	}
	n.called--
	n.own = own
	n.follows = append(n.follows, fn)
}

// pass gives a parameter the meaning of its argument.
func (n *nest) pass(param *types.Var, arg ast.Expr) {
	if isInt(param.Type()) {
		if p := n.read(arg); p != nil {
			n.known[param] = p
			return
		}
	} else if isBasic(param.Type()) {
		n.read(arg)
	} else {
		p := n.value(arg)
		if p.stable(n) {
			n.meaning[param] = p
			return
		}
	}
	// Its value is not known, and it must not pass for a variable of the function around.
	delete(n.known, param)
	n.assigned[param]++
	n.meaning[param] = &place{segs: []seg{{text: "_"}}, typ: param.Type()}
}

func conditionsOnly(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BlockStmt:
		for _, s := range s.List {
			if !conditionsOnly(s) {
				return false
			}
		}
		return true
	case *ast.IfStmt:
		return s.Init == nil && conditionsOnly(s.Body) && (s.Else == nil || conditionsOnly(s.Else))
	}
	return false
}
