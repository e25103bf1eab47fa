package coalesce

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// A ref is one reference to memory in a nest, and the loops around it.
type ref struct {
	place *place
	write bool
	pos   token.Pos
	chain []*loop
	// silent is set for what need not be told: parts of strings, which never change, and
	// what functions do that are called and have hooks of their own.
	silent bool
	whole  bool    // it moves a struct or an array: all of its bytes are touched
	branch *branch // on which it depends; nil if on none
	// border is set for what is left of a reference, and first is the first of its rounds
	// among those of its branch.
	border bool
	first  poly
}

// A branch is a block of statements that runs on a condition. Which rounds it ran in is
// noted while the nest runs.
type branch struct {
	block  *ast.BlockStmt
	of     *ast.IfStmt
	parent *branch
	chain  []*loop
	number int // in the nest; -1 if nothing is told of it
}

// within reports whether b is outer or inside it.
func (b *branch) within(outer *branch) bool {
	for ; b != outer && b != nil; b = b.parent {
	}
	return b == outer
}

// touch notes that memory is read or written, unless the strand does the same or more to
// it just before: then the access would not be remembered.
func (n *nest) touch(p *place, write bool, at ast.Node) {
	if !p.memory && !p.str {
		return
	}
	silent := p.str || n.called > 0
	whole := false
	switch t := p.typ.Underlying().(type) {
	case *types.Struct, *types.Array:
		if size := n.prog.sizes.Sizeof(t); !n.moves || silent || n.branch != nil || size == 0 {
			n.refuse(at, "a whole %s is moved", t)
		}
		whole = components(t) > 1
	}
	if n.conditional > 0 && !silent {
		n.refuse(at, "touched on a condition that no block of statements depends on")
	}
	key := p.key()
	for _, r := range n.refs {
		if r.place.key() == key && (r.write || !write) && (silent || !r.silent) && around(r.chain, n.chain) && n.branch.within(r.branch) {
			return
		}
	}
	n.refs = append(n.refs, &ref{place: p, write: write, pos: at.Pos(), chain: n.chain, silent: silent, whole: whole, branch: n.branch})
}

// components is how many numbers, strings and the like a value has. All bytes of more than one
// are touched when it is moved, of one the first.
func components(t types.Type) (n int64) {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		for i := range t.NumFields() {
			n += components(t.Field(i).Type())
		}
		return n
	case *types.Array:
		return t.Len() * components(t.Elem())
	}
	return 1
}

// around reports whether the loops of outer are the first of inner.
func around(outer, inner []*loop) bool {
	if len(outer) > len(inner) {
		return false
	}
	for i, l := range outer {
		if inner[i] != l {
			return false
		}
	}
	return true
}

// statement reads one statement, in the order in which it is executed.
func (n *nest) statement(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.ForStmt:
		n.at = nil
		n.forLoop(s)
	case *ast.RangeStmt:
		n.at = nil
		n.rangeLoop(s)
	case *ast.BlockStmt:
		for _, s := range s.List {
			n.at = s
			n.statement(s)
		}
		n.at = nil
	case *ast.AssignStmt:
		n.assign(s)
	case *ast.IncDecStmt:
		p := n.target(s.X)
		if p != nil {
			n.touch(p, false, s.X)
			n.touch(p, true, s)
		}
	case *ast.DeclStmt:
		n.declare(s)
	case *ast.IfStmt:
		if s.Init != nil {
			n.statement(s.Init)
			n.at = nil
		}
		n.read(s.Cond)
		n.at = nil
		n.either(s.Body, s)
		if s.Else != nil {
			n.either(s.Else, s)
		}
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		call, ok := ast.Unparen(s.X).(*ast.CallExpr)
		if !ok {
			n.refuse(s, "it deals with other tasks or the end of the function")
		}
		n.call(call)
	case *ast.BranchStmt:
		n.refuse(s, "%s", s.Tok)
	case *ast.ReturnStmt:
		if n.called == 0 {
			n.refuse(s, "return")
		}
		for _, e := range s.Results {
			if slice, ok := ast.Unparen(e).(*ast.SliceExpr); ok && len(s.Results) == 1 {
				n.returned = n.part(slice)
				continue
			}
			n.read(e)
		}
	case *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.SelectStmt:
		n.refuse(s, "it deals with other tasks or the end of the function")
	case *ast.SwitchStmt, *ast.TypeSwitchStmt:
		n.refuse(s, "switch")
	default:
		n.refuse(s, "a statement that is not looked into")
	}
}

// conditionally reads what runs on the condition of an if statement.
func (n *nest) conditionally(s ast.Stmt, of *ast.IfStmt) {
	block, ok := s.(*ast.BlockStmt)
	if !ok || n.called > 0 || n.conditional > 0 {
		n.conditional++
		n.statement(s)
		n.conditional--
		return
	}
	n.branch = &branch{block: block, of: of, parent: n.branch, chain: n.chain, number: -1}
	n.statement(s)
	n.branch = n.branch.parent
}

func (n *nest) assign(s *ast.AssignStmt) {
	targets := make([]*place, len(s.Lhs))
	for i, lhs := range s.Lhs {
		if s.Tok != token.DEFINE {
			targets[i] = n.target(lhs)
		}
	}
	if len(s.Lhs) != len(s.Rhs) {
		n.refuse(s, "several values of one expression")
	}
	if s.Tok != token.DEFINE && s.Tok != token.ASSIGN {
		if targets[0] != nil {
			n.touch(targets[0], false, s.Lhs[0])
		}
		n.operate(s.Tok, s.Rhs[0], s, n.typeOf(s.Lhs[0]))
	}
	for i, rhs := range s.Rhs {
		if id, ok := s.Lhs[i].(*ast.Ident); ok && s.Tok == token.DEFINE && n.defineSlice(id, rhs) {
			continue
		}
		n.moves = isPlace(rhs) && !isBlank(s.Lhs[i])
		p := n.read(rhs)
		n.moves = false
		if id, ok := s.Lhs[i].(*ast.Ident); ok && s.Tok == token.DEFINE && p != nil {
			n.define(id, p)
		}
	}
	for i, p := range targets {
		if p != nil {
			n.moves = true
			n.touch(p, true, s)
			n.moves = false
			// What the nest relies on may be read from memory: slices and pointers, which
			// are not stored, and integers, of which fixed asks whether they may be.
			if !valueOnly(p.typ) {
				n.refuse(s.Lhs[i], "it stores other than numbers")
			}
		}
	}
}

// isPlace reports whether e is what a place has, as it is.
func isPlace(e ast.Expr) bool {
	switch ast.Unparen(e).(type) {
	case *ast.IndexExpr, *ast.SelectorExpr:
		return true
	}
	return false
}

func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// stores notes the fields and the kinds of elements of a value that is stored.
func (n *nest) stores(t types.Type) {
	if t == nil {
		return
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		n.elements[t.Kind()] = true
	case *types.Array:
		n.stores(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			n.stored = append(n.stored, t.Field(i).Name())
			n.stores(t.Field(i).Type())
		}
	}
}

// define lets a variable that is assigned once stand for its value.
func (n *nest) define(id *ast.Ident, p poly) {
	if v, ok := n.info.Defs[id].(*types.Var); ok && n.assigned[v] == 1 && isInt(v.Type()) {
		n.known[v] = p
	}
}

// target reads the left side of an assignment: the place it stores to, nil for a
// variable of the function's own.
func (n *nest) target(e ast.Expr) *place {
	switch x := ast.Unparen(e).(type) {
	case *ast.Ident:
		if x.Name == "_" {
			return nil
		}
		v, ok := n.info.ObjectOf(x).(*types.Var)
		if ok && (v.Parent() == n.pkg.Scope() || !n.own.private(v)) {
			return n.place(x)
		}
		if !ok || !isBasic(v.Type()) {
			n.refuse(e, "%s is assigned and no number", x.Name)
		}
		return nil
	case *ast.IndexExpr:
		n.storing = x
		return n.place(x)
	case *ast.SelectorExpr:
		return n.place(x)
	}
	n.refuse(e, "it stores to something that is no element")
	return nil
}

func (n *nest) declare(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		n.refuse(s, "a declaration of more than variables")
	}
	if len(d.Specs) > 1 {
		n.at = nil // of what is declared first nothing is known before it
	}
	for _, spec := range d.Specs {
		v := spec.(*ast.ValueSpec)
		for i, value := range v.Values {
			p := n.read(value)
			if p != nil && len(v.Values) == len(v.Names) {
				n.define(v.Names[i], p)
			}
		}
		for _, id := range v.Names {
			if !isBasic(n.typeOf(id)) {
				n.refuse(s, "%s is no number", id.Name)
			}
		}
	}
}

// read reads an expression. The result is its value, nil when that is not an int or
// changes in a way that is not followed.
func (n *nest) read(e ast.Expr) poly {
	if tv := n.info.Types[e]; tv.Value != nil {
		if k, ok := n.intConstant(e); ok {
			return intPoly(k)
		}
		return nil
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return n.read(e.X)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return n.number(e)
	case *ast.BinaryExpr:
		return n.binary(e)
	case *ast.UnaryExpr:
		p := n.read(e.X)
		switch {
		case e.Op == token.AND || e.Op == token.ARROW:
			n.refuse(e, "the operator %s", e.Op)
		case e.Op == token.SUB && p != nil:
			return poly{}.sub(p)
		}
		return nil
	case *ast.CallExpr:
		return n.call(e)
	}
	n.refuse(e, "an expression that is not looked into")
	return nil
}

// number reads a variable, a field or an element.
func (n *nest) number(e ast.Expr) poly {
	if v := n.use(e); v != nil && n.known[v] != nil {
		return n.known[v]
	}
	if text := n.fixed(e); text != "" && isInt(n.typeOf(e)) {
		return atom(text)
	}
	return nil
}

// fixed reads a variable, a field or an element. The result is its text if it is an integer
// that stays the same all through the nest; otherwise it is empty.
func (n *nest) fixed(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		if _, ok := n.info.Uses[id].(*types.Var); !ok {
			return "" // true, false, nil, iota
		}
	}
	p := n.place(e)
	n.touch(p, false, e)
	t, ok := n.typeOf(e).Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsInteger == 0 || p.unknown || !p.stable(n) {
		return ""
	}
	changes := false
	switch e := e.(type) {
	case *ast.Ident:
		changes = n.assigned[n.use(e)] > 0
	case *ast.SelectorExpr: // another way may lead to a field that is stored to
		changes = slices.Contains(n.stored, e.Sel.Name)
	case *ast.IndexExpr: // and to an element
		v := n.use(e.X)
		changes = !p.memory || v != nil && n.parts[v] != nil || n.elements[t.Kind()]
	}
	if changes {
		return ""
	}
	return p.text()
}

func (n *nest) binary(e *ast.BinaryExpr) poly {
	x := n.read(e.X)
	if e.Op == token.LAND || e.Op == token.LOR {
		n.conditional++
		defer func() { n.conditional-- }()
	}
	y := n.read(e.Y)
	n.operate(e.Op, e.Y, e, n.typeOf(e.X))
	if x == nil || y == nil || !isInt(n.typeOf(e)) {
		return nil
	}
	switch e.Op {
	case token.ADD:
		return x.add(y)
	case token.SUB:
		return x.sub(y)
	case token.MUL:
		return x.times(y)
	case token.QUO, token.REM, token.SHR, token.SHL:
		return n.opaque(x, e.Op, y)
	}
	return nil
}

// opaque is the value of an operation that is not followed, on operands that do not
// change, the second of which is a constant.
func (n *nest) opaque(x poly, op token.Token, y poly) poly {
	k, ok := y.constant()
	if !ok {
		return nil
	}
	if !n.invariant(x) || op == token.SHL || !n.fits(x) {
		return nil
	}
	return atom("((" + x.String() + ")" + op.String() + strconv.FormatInt(k, 10) + ")")
}

func (n *nest) typeOf(e ast.Expr) types.Type {
	if t := n.info.TypeOf(e); t != nil {
		if b, ok := t.(*types.Basic); !ok || b.Kind() != types.Invalid {
			return t
		}
	}
	n.refuse(e, "its types are not known")
	return nil
}

// use is the variable that e names, nil if it is no name.
func (n *nest) use(e ast.Expr) *types.Var {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		v, _ := n.info.Uses[id].(*types.Var)
		return v
	}
	return nil
}

// intConstant is the value of a constant expression that is used as an int.
func (n *nest) intConstant(e ast.Expr) (int64, bool) {
	tv := n.info.Types[e]
	if tv.Value == nil {
		return 0, false
	}
	if b, ok := tv.Type.Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(tv.Value))
}

// isInt reports whether t is the type int itself, in which all of this computes.
func isInt(t types.Type) bool { return types.Identical(t, types.Typ[types.Int]) }

func isBasic(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() != types.Invalid && b.Kind() != types.UnsafePointer
}
