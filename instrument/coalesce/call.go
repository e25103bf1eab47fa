package coalesce

import (
	"go/ast"
	"go/types"
)

// call reads a call, which must be one that touches nothing and cannot fail.
func (n *nest) call(e *ast.CallExpr) poly {
	if tv := n.info.Types[e.Fun]; tv.IsType() {
		return n.convert(e, tv.Type)
	}
	if v, fn := n.own.changedBy(e); v != nil {
		n.read(ast.Unparen(e.Fun).(*ast.SelectorExpr).X)
		n.arguments(e, fn)
		return nil
	}
	switch fn := n.callee(e.Fun).(type) {
	case *types.Builtin:
		return n.builtin(e, fn.Name())
	case *types.Func:
		if known := n.prog.conductOf(fn); !known.good || known.changes {
			n.follow(e, fn)
			return nil
		}
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); ok && n.info.Selections[sel] != nil {
			n.read(sel.X)
		}
		n.arguments(e, fn)
		return nil
	}
	n.refuse(e, "a call")
	return nil
}

// arguments reads those of a call of a function of good conduct.
func (n *nest) arguments(e *ast.CallExpr, fn *types.Func) {
	if e.Ellipsis.IsValid() {
		n.refuse(e, "a call of %s", fn.Name())
	}
	for _, arg := range e.Args {
		n.read(arg)
	}
	for _, i := range n.prog.conductOf(fn).nonZero {
		n.notZero(e.Args[i], e)
	}
}

// callee is the object that a call names, nil if it is no name.
func (n *nest) callee(fun ast.Expr) types.Object {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return n.info.Uses[f]
	case *ast.SelectorExpr:
		if s := n.info.Selections[f]; s != nil {
			if s.Kind() != types.MethodVal || types.IsInterface(s.Recv()) || len(s.Index()) != 1 || isPointer(s.Recv()) != isPointer(s.Obj().Type().(*types.Signature).Recv().Type()) {
				return nil
			}
		}
		return n.info.Uses[f.Sel]
	}
	return nil
}

func (n *nest) convert(e *ast.CallExpr, to types.Type) poly {
	p := n.converted(ast.Unparen(e.Args[0]))
	from, ok1 := n.typeOf(e.Args[0]).Underlying().(*types.Basic)
	b, ok2 := to.Underlying().(*types.Basic)
	const numeric = types.IsNumeric | types.IsBoolean
	if !ok1 || !ok2 || from.Info()&numeric == 0 || b.Info()&numeric == 0 {
		n.refuse(e, "a conversion that may allocate")
	}
	if b.Kind() == types.Int {
		return p
	}
	return nil
}

// converted reads what is converted. The result is its value as an int.
func (n *nest) converted(e ast.Expr) poly {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if n.info.Types[e].Value != nil || isInt(n.typeOf(e)) {
			break
		}
		if text := n.fixed(e); text != "" {
			return atom("int(" + text + ")")
		}
		return nil
	}
	return n.read(e)
}

func (n *nest) builtin(e *ast.CallExpr, name string) poly {
	switch name {
	case "len", "cap":
		switch n.typeOf(e.Args[0]).Underlying().(type) {
		case *types.Slice, *types.Basic:
		default:
			n.refuse(e, "%s of other than a slice or string", name)
		}
		if v := n.use(e.Args[0]); v != nil && n.parts[v] != nil && name == "len" {
			return n.parts[v].count
		} else if v != nil && n.ownParts[v] {
			return nil
		}
		over := n.value(e.Args[0])
		if !over.stable(n) {
			return nil
		}
		return atom(name + "(" + over.text() + ")")
	case "min", "max", "real", "imag", "complex":
		for _, arg := range e.Args {
			n.read(arg)
		}
		if b, ok := n.typeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsString != 0 {
			n.refuse(e, "%s of strings", name)
		}
		return nil
	}
	n.refuse(e, "a call of %s", name)
	return nil
}

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
