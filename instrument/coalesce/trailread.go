package coalesce

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// round reads one round of the loop, and returns the flow at its end.
func (t *trail) round() flow {
	t.goesOn, t.block = nowhere, t.header.body
	if t.header.cond != nil {
		t.flow, _ = t.condition(t.header.cond)
	}
	t.inBlock(t.header.body)
	t.flow = t.flow.join(t.goesOn)
	if s, ok := t.stmt.(*ast.ForStmt); !ok {
		t.moved(t.header.vars[0])
	} else if s.Post != nil {
		t.plain(s.Post)
	}
	return t.flow
}

func (t *trail) inBlock(b *ast.BlockStmt) {
	around := t.block
	t.block = b
	for _, s := range b.List {
		t.course(s)
	}
	t.block = around
}

// course reads a statement, in the order in which it is executed.
func (t *trail) course(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		t.inBlock(s)
	case *ast.AssignStmt:
		t.assigns(s)
	case *ast.IncDecStmt:
		t.steps1(s)
	case *ast.DeclStmt:
		t.declaration(s)
	case *ast.IfStmt:
		t.forks(s)
	case *ast.BranchStmt:
		switch {
		case s.Label != nil || s.Tok != token.BREAK && s.Tok != token.CONTINUE:
			t.refuse(s, "%s", s.Tok)
		case s.Tok == token.BREAK:
			t.breaks = true
		case s.Tok == token.CONTINUE:
			t.goesOn = t.goesOn.join(t.flow)
		}
		t.flow = nowhere
	case *ast.ReturnStmt:
		t.returnsFrom(s)
	case *ast.EmptyStmt:
	case *ast.ForStmt, *ast.RangeStmt:
		t.refuse(s, "a loop in a loop")
	default:
		t.refuse(s, "a statement that is not looked into")
	}
}

// plain is a statement that touches no memory.
func (t *trail) plain(s ast.Stmt) {
	n := len(t.touches)
	t.course(s)
	if len(t.touches) > n {
		t.refuse(s, "its last statement touches memory")
	}
}

func (t *trail) assigns(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		t.refuse(s, "several values of one expression")
	}
	target, element := ast.Unparen(s.Lhs[0]).(*ast.IndexExpr)
	operates := s.Tok != token.DEFINE && s.Tok != token.ASSIGN
	before := len(t.touches)
	if element && operates {
		t.touch(target, false)
	}
	for _, rhs := range s.Rhs {
		t.evaluate(rhs)
	}
	if operates {
		t.operator(s.Tok, s.Rhs[0], s, t.typeOf(s.Lhs[0]))
	}
	t.atOnce(s, before)
	if element && len(s.Lhs) == 1 {
		t.touch(target, true)
		return
	}
	for _, lhs := range s.Lhs {
		t.variableTarget(s, lhs)
	}
}

func (t *trail) steps1(s *ast.IncDecStmt) {
	if target, ok := ast.Unparen(s.X).(*ast.IndexExpr); ok {
		t.touch(target, false)
		t.touch(target, true)
		return
	}
	t.variableTarget(s, s.X)
}

// variableTarget reads the left side of an assignment to a variable.
func (t *trail) variableTarget(s ast.Stmt, lhs ast.Expr) {
	if _, ok := ast.Unparen(lhs).(*ast.Ident); !ok {
		t.refuse(lhs, "it stores to something that is no element")
	}
	if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
		t.declared(lhs.(*ast.Ident))
	} else if t.target(lhs) != nil {
		t.refuse(lhs, "it stores to something that is no element")
	}
	if v := t.use(lhs); v != nil && t.cursors[v] != nil {
		t.moved(v)
	}
}

// declared looks at a variable that the loop declares.
func (t *trail) declared(id *ast.Ident) {
	switch {
	case id.Name == "_":
	case slices.Contains(predeclared, id.Name):
		t.refuse(id, "a variable is called %s", id.Name)
	case !isBasic(t.typeOf(id)):
		t.refuse(id, "%s is no number", id.Name)
	}
}

func (t *trail) declaration(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		t.refuse(s, "a declaration of more than variables")
	}
	before := len(t.touches)
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for _, value := range v.Values {
			t.evaluate(value)
		}
		for _, id := range v.Names {
			t.declared(id)
		}
	}
	t.atOnce(s, before)
}

// forks reads an if statement.
func (t *trail) forks(s *ast.IfStmt) {
	if s.Init != nil {
		t.refuse(s, "a condition with a statement before it")
	}
	holds, fails := t.condition(s.Cond)
	t.flow = holds
	t.inBlock(s.Body)
	end := t.flow
	t.flow = fails
	if s.Else != nil {
		t.course(s.Else)
	}
	t.flow = t.flow.join(end)
}

// returnsFrom reads a return out of the loop, which is executed after what was noted is told.
func (t *trail) returnsFrom(s *ast.ReturnStmt) {
	ast.Inspect(s, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok {
			v, ok := t.info.Uses[id].(*types.Var)
			if ok && !v.IsField() && v.Pos() >= t.header.body.Pos() && v.Pos() < t.header.body.End() {
				t.refuse(s, "it returns a variable of its own")
			}
		}
		return true
	})
	known := false
	for _, exit := range t.exits {
		known = known || exit == s
	}
	if !known {
		t.exits = append(t.exits, s)
	}
	t.flow = nowhere
}

// condition reads a condition, of which a part may be skipped. It returns the flow where
// it holds and where it does not.
func (t *trail) condition(e ast.Expr) (holds, fails flow) {
	switch x := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LAND:
			holds, skipped := t.condition(x.X)
			t.flow = holds
			holds, fails := t.condition(x.Y)
			return holds, fails.join(skipped)
		case token.LOR:
			skipped, fails := t.condition(x.X)
			t.flow = fails
			holds, fails := t.condition(x.Y)
			return holds.join(skipped), fails
		}
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			fails, holds = t.condition(x.X)
			return holds, fails
		}
	}
	before := len(t.touches)
	t.evaluate(e)
	t.atOnce(e, before)
	return t.flow, t.flow
}

// atOnce refuses what touches memory in more than one place and calls functions: in which
// order is for the compiler to say. before is how many touches there were before it.
func (t *trail) atOnce(node ast.Node, before int) {
	if len(t.touches) < before+2 {
		return
	}
	ast.Inspect(node, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			fn := t.callee(call.Fun)
			if !t.info.Types[call.Fun].IsType() && (fn == nil || fn.Name() != "len" && fn.Name() != "cap") {
				t.refuse(call, "a call beside several accesses")
			}
		}
		return true
	})
}

// evaluate reads an expression.
func (t *trail) evaluate(e ast.Expr) {
	if t.info.Types[e].Value != nil {
		return
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		t.evaluate(e.X)
	case *ast.Ident:
		v, ok := t.info.Uses[e].(*types.Var)
		if ok && (v.Parent() == t.pkg.Scope() || !t.own.private(v)) {
			t.refuse(e, "%s may be shared", v.Name())
		}
		if ok && !isBasic(v.Type()) {
			t.refuse(e, "%s is no number", v.Name())
		}
	case *ast.BinaryExpr:
		t.evaluate(e.X)
		t.evaluate(e.Y)
		if (e.Op == token.LAND || e.Op == token.LOR) && touchesIn(e) {
			t.refuse(e, "it touches memory on a condition that is a value")
		}
		t.operator(e.Op, e.Y, e, t.typeOf(e.X))
	case *ast.UnaryExpr:
		if e.Op == token.AND || e.Op == token.ARROW {
			t.refuse(e, "the operator %s", e.Op)
		}
		t.evaluate(e.X)
	case *ast.IndexExpr:
		t.touch(e, false)
	case *ast.CallExpr:
		t.calls(e)
	default:
		t.refuse(e, "an expression that is not looked into")
	}
}

// touchesIn reports whether an element is touched in e.
func touchesIn(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(node ast.Node) bool {
		_, is := node.(*ast.IndexExpr)
		found = found || is
		return true
	})
	return found
}

// calls reads a call, which must touch nothing and cannot fail.
func (t *trail) calls(e *ast.CallExpr) {
	if tv := t.info.Types[e.Fun]; tv.IsType() {
		t.evaluate(e.Args[0])
		from, ok1 := t.typeOf(e.Args[0]).Underlying().(*types.Basic)
		to, ok2 := tv.Type.Underlying().(*types.Basic)
		const numeric = types.IsNumeric | types.IsBoolean
		if !ok1 || !ok2 || from.Info()&numeric == 0 || to.Info()&numeric == 0 {
			t.refuse(e, "a conversion that may allocate")
		}
		return
	}
	switch fn := t.callee(e.Fun).(type) {
	case *types.Builtin:
		switch fn.Name() {
		case "len", "cap":
			t.sliceOf(e.Args[0])
			return
		case "min", "max":
			for _, arg := range e.Args {
				t.evaluate(arg)
			}
			if b, ok := t.typeOf(e).Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
				return
			}
		}
	case *types.Func:
		if sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr); t.prog.pure(fn) && !e.Ellipsis.IsValid() && (!ok || t.info.Selections[sel] == nil) {
			for _, arg := range e.Args {
				t.evaluate(arg)
			}
			return
		}
	}
	t.refuse(e, "a call")
}
