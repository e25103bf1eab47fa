package coalesce

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Arrays of numbers that are a function's own are touched by nobody else: of what a nest does
// to them nothing is told. They are handed to it and back, as numbers are. So are their parts,
// as long as those are variables that go nowhere.

// numbers reports whether an array of type t has nothing but numbers.
func numbers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return numbers(u.Elem())
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0
	}
	return false
}

// ownArray is the variable that e is, if that is an array of the function's own.
func (n *nest) ownArray(e ast.Expr) *types.Var {
	v := n.use(e)
	if v == nil || !isArray(v.Type()) || !numbers(v.Type()) || v.Parent() == n.pkg.Scope() || n.meaning[v] != nil || !n.own.private(v) {
		return nil
	}
	return v
}

// root is the array of the function's own of which e is an element, nil if it is none.
func (n *nest) root(e ast.Expr) *types.Var {
	for {
		x, ok := ast.Unparen(e).(*ast.IndexExpr)
		if !ok || !isArray(n.info.TypeOf(x.X)) {
			return nil
		}
		if v := n.ownArray(x.X); v != nil {
			return v
		}
		e = x.X
	}
}

// ownStruct is the variable of the function's own of which e is a field, nil if it is none.
func (n *nest) ownStruct(e ast.Expr) *types.Var {
	x, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || isPointer(n.info.TypeOf(x.X)) {
		return nil
	}
	if v := n.use(x.X); v != nil && v.Parent() != n.pkg.Scope() && n.meaning[v] == nil && n.own.private(v) {
		return v
	}
	return n.ownStruct(x.X)
}

// ownElement reads an element of an array of the function's own.
func (n *nest) ownElement(e *ast.IndexExpr, t *types.Array) *place {
	n.direct = append(n.direct, n.root(e))
	if row, ok := ast.Unparen(e.X).(*ast.IndexExpr); ok {
		n.place(row)
	}
	p := n.read(e.Index)
	k, constant := p.constant()
	switch {
	case p != nil && constant && k >= 0 && k < t.Len():
	case p != nil:
		n.indexInside(&place{segs: []seg{{index: p, size: 1, length: fmt.Sprint(t.Len())}}, typ: t.Elem()}, e)
	default:
		n.indexed(e.Index, fmt.Sprint(t.Len()), e)
	}
	return &place{segs: []seg{{text: "_"}}, typ: t.Elem()}
}

// ownPart reads a part of an array of the function's own, which a variable of the nest is to
// stand for, and reports whether it is one.
func (n *nest) ownPart(v *types.Var, e *ast.SliceExpr) bool {
	array := n.ownArray(e.X)
	if array == nil || e.Slice3 || n.own.parts[v] != array {
		return false
	}
	n.direct = append(n.direct, array)
	n.ownParts[v] = true
	length := fmt.Sprint(array.Type().Underlying().(*types.Array).Len())
	var exprs []ast.Expr
	for _, x := range []ast.Expr{e.Low, e.High} {
		if x != nil {
			n.read(x)
			exprs = append(exprs, x)
		}
	}
	if len(exprs) == 0 {
		return true
	}
	n.check(e, "a part that may be outside", func(values []string) string {
		low, high := "0", length
		if e.High != nil {
			high = values[len(values)-1]
		}
		if e.Low != nil {
			low = values[0]
		}
		return fmt.Sprintf("uint(%s) <= uint(%s) && uint(%[2]s) <= uint(%s)", low, high, length)
	}, exprs...)
	return true
}

// ownPartElement reads an element of a part of an array of the function's own.
func (n *nest) ownPartElement(e *ast.IndexExpr) *place {
	n.read(e.Index)
	n.indexed(e.Index, "len("+n.use(e.X).Name()+")", e)
	return &place{segs: []seg{{text: "_"}}, typ: n.typeOf(e)}
}

// apartFromParts refuses a nest that uses an array of the function's own beside a part of it
// that it did not make itself: that is not a part of what is handed to it.
func (n *nest) apartFromParts() {
	n.staying(func(node ast.Node) bool {
		id, ok := node.(*ast.Ident)
		if !ok {
			return true
		}
		v, _ := n.info.Uses[id].(*types.Var)
		if array := n.own.parts[v]; array != nil && !n.ownParts[v] {
			for _, direct := range n.direct {
				if direct == array {
					n.refuse(id, "an array beside a part of it")
				}
			}
		}
		return true
	})
}

// findParts finds the variables that are parts of arrays of numbers and that nothing but their
// own elements are reached by, in the function that declares them.
func (l *locals) findParts(f *ast.FuncDecl) {
	l.parts = map[*types.Var]*types.Var{}
	declared := map[*types.Var]ast.Node{} // in which function
	inspect(f, func(node ast.Node, around []ast.Node) {
		switch node := node.(type) {
		case *ast.AssignStmt:
			for i, rhs := range node.Rhs {
				if node.Tok != token.DEFINE || len(node.Lhs) != len(node.Rhs) {
					break
				}
				e, ok := ast.Unparen(rhs).(*ast.SliceExpr)
				if !ok {
					continue
				}
				x, _ := ast.Unparen(e.X).(*ast.Ident)
				of, _ := l.info.Uses[x].(*types.Var)
				v, _ := l.info.Defs[node.Lhs[i].(*ast.Ident)].(*types.Var)
				if of != nil && v != nil && isArray(of.Type()) && numbers(of.Type()) {
					l.parts[v], l.partOf[e], declared[v] = of, v, innermost(around)
				}
			}
		case *ast.Ident:
			v, _ := l.info.Uses[node].(*types.Var)
			if l.parts[v] != nil && (declared[v] != innermost(around) || !goesNowhere(l.info, around, node)) {
				delete(l.parts, v)
			}
		}
	})
}

// inspect calls visit for every node of f with those around it, from the outermost on.
func inspect(f *ast.FuncDecl, visit func(node ast.Node, around []ast.Node)) {
	var around []ast.Node
	ast.Inspect(f, func(node ast.Node) bool {
		if node == nil {
			around = around[:len(around)-1]
			return true
		}
		visit(node, around)
		around = append(around, node)
		return true
	})
}

// innermost is the innermost function of nodes around something.
func innermost(around []ast.Node) ast.Node {
	for i := len(around) - 1; i > 0; i-- {
		if lit, ok := around[i].(*ast.FuncLit); ok {
			return lit
		}
	}
	return around[0]
}

// goesNowhere reports whether a use of a slice, with the nodes around it, is of its elements or
// its length.
func goesNowhere(info *types.Info, around []ast.Node, id *ast.Ident) bool {
	at := func(k int) ast.Node {
		if k > len(around) {
			return nil
		}
		return around[len(around)-k]
	}
	switch up := at(1).(type) {
	case *ast.IndexExpr:
		if up.X != id {
			return false
		}
		switch further := at(2).(type) {
		case *ast.UnaryExpr:
			return further.Op != token.AND
		case *ast.IndexExpr:
			return further.X != up
		case *ast.ParenExpr, *ast.SelectorExpr, *ast.SliceExpr:
			return false
		}
		return true
	case *ast.CallExpr:
		fn, ok := ast.Unparen(up.Fun).(*ast.Ident)
		if !ok {
			return false
		}
		b, ok := info.Uses[fn].(*types.Builtin)
		return ok && b.Name() == "len"
	case *ast.RangeStmt:
		return up.X == id
	}
	return false
}
