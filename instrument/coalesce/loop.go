package coalesce

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A nest is a loop that contains nothing but further loops and plain computation.
type nest struct {
	*rewriter
	stmt      ast.Stmt
	loops     []*loop
	refs      []*ref
	assigned  map[*types.Var]int  // variables that the nest assigns, and how often
	known     map[*types.Var]poly // variables that stand for a polynomial
	names     map[string]types.Object
	parts     map[*types.Var]*part     // variables that stand for parts of slices
	least     []atLeast                // numbers that the guard asks for
	needs     []string                 // what must be so of what the nest leaves alone, each said in terms that those before allow
	bounds    []poly                   // that must not wrap
	stored    []string                 // names of the fields that the nest stores to
	elements  map[types.BasicKind]bool // of what it stores to others
	moves     bool                     // what is being read is assigned to a variable as it is
	exits     []*ast.BlockStmt         // that leave the nest
	checks    []check                  // in the order of the source
	direct    []*types.Var             // arrays of the function's own
	ownParts  map[*types.Var]bool      // variables of the nest that stand for parts of them
	storing   ast.Expr                 // what is stored to by what is being read
	scattered []*scattered             // in the order of the source
	at        ast.Stmt                 // in a block, of which a part is being read; nil if another one comes before that part

	called      int                   // depth of calls of what is being read
	follows     []*types.Func         // functions that must keep their hooks
	returned    *part                 // by the function that was followed last
	meaning     map[*types.Var]*place // of parameters of functions that are called
	chain       []*loop               // around what is being read
	branch      *branch               // the innermost one that is being read
	conditional int                   // how many conditions beside branches it depends on
}

// A loop runs its variable from lo in steps, count times.
type loop struct {
	stmt  ast.Stmt
	v     string // "" when there is none
	lo    poly
	step  int64
	count poly
}

func (l *loop) last() poly {
	return l.lo.plus(l.step, l.count.add(intPoly(-1)))
}

func newNest(r *rewriter, s ast.Stmt) *nest {
	n := newEmptyNest(r, s)
	n.findExits()
	n.findAssigned()
	n.statement(s)
	touched := len(n.scattered) > 0
	for _, ref := range n.refs {
		touched = touched || !ref.silent
		if len(n.exits) > 0 && ref.write {
			panic(refusal{"it may be left early, and writes", n.exits[0].Pos(), true})
		}
		if len(n.checks) > 0 && ref.write {
			panic(n.checks[0].why)
		}
	}
	n.apartFromParts()
	if !touched {
		n.refuse(s, "it touches no memory")
	}
	return n
}

func newEmptyNest(r *rewriter, s ast.Stmt) *nest {
	return &nest{rewriter: r, stmt: s, assigned: map[*types.Var]int{}, known: map[*types.Var]poly{}, names: map[string]types.Object{}, meaning: map[*types.Var]*place{}, elements: map[types.BasicKind]bool{}, parts: map[*types.Var]*part{}, ownParts: map[*types.Var]bool{}}
}

func (n *nest) refuse(at ast.Node, format string, args ...any) {
	panic(refusal{fmt.Sprintf(format, args...), at.Pos(), false})
}

// refuseData is refuse for loops whose course depends on data.
func (n *nest) refuseData(at ast.Node, format string, args ...any) {
	panic(refusal{fmt.Sprintf(format, args...), at.Pos(), true})
}

// findAssigned counts the assignments to each variable in the nest, its declaration
// with a value among them.
func (n *nest) findAssigned() {
	count := func(e ast.Expr) {
		if id, ok := ast.Unparen(e).(*ast.Ident); ok {
			if v, ok := n.info.ObjectOf(id).(*types.Var); ok {
				n.assigned[v]++
				if v.Parent() == n.pkg.Scope() {
					n.stores(v.Type())
				}
			}
		} else if v := n.root(e); v != nil {
			n.assigned[v]++
		} else if v := n.ownStruct(e); v != nil {
			n.assigned[v]++
		} else {
			if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
				n.stored = append(n.stored, sel.Sel.Name)
			}
			n.stores(n.info.TypeOf(e))
		}
	}
	n.staying(func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.AssignStmt:
			for _, lhs := range s.Lhs {
				count(lhs)
			}
		case *ast.IncDecStmt:
			count(s.X)
		case *ast.RangeStmt:
			if s.Key != nil {
				count(s.Key)
			}
			if s.Value != nil {
				count(s.Value)
			}
		case *ast.ValueSpec:
			for _, id := range s.Names {
				count(id)
			}
		case *ast.SliceExpr: // elements may be assigned by another name
			if v := n.ownArray(s.X); v != nil {
				n.assigned[v]++
			}
		case *ast.CallExpr:
			if v, _ := n.own.changedBy(s); v != nil {
				n.assigned[v]++
			}
		}
		return true
	})
}

// forLoop reads a loop of three clauses.
func (n *nest) forLoop(s *ast.ForStmt) {
	init, ok := s.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE || len(init.Lhs) != 1 || len(init.Rhs) != 1 || s.Cond == nil || s.Post == nil {
		n.refuseData(s, "not of the form: for i := a; i < b; i++")
	}
	id := init.Lhs[0].(*ast.Ident)
	v, ok := n.info.Defs[id].(*types.Var)
	if !ok || !isInt(v.Type()) {
		n.refuse(s, "its variable is no int")
	}
	l := &loop{stmt: s, v: n.name(id.Name, v, s), lo: n.bound(init.Rhs[0]), step: n.step(s.Post, v)}
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || n.use(cond.X) != v {
		n.refuseData(s.Cond, "the condition does not compare %s with a bound", id.Name)
	}
	distance := n.bound(cond.Y).sub(l.lo)
	switch {
	case cond.Op == token.LSS && l.step > 0 || cond.Op == token.GTR && l.step < 0:
	case cond.Op == token.LEQ && l.step > 0:
		distance = distance.add(intPoly(1))
	case cond.Op == token.GEQ && l.step < 0:
		distance = distance.add(intPoly(-1))
	default:
		n.refuseData(s.Cond, "the condition and the step do not go together")
	}
	l.count = n.steps(distance, l.step, s)
	// The cond is evaluated before each step too: its variables must be the outer ones.
	n.enter(l, v, s.Body)
}

// step is what the post statement adds to v.
func (n *nest) step(post ast.Stmt, v *types.Var) int64 {
	var x, by ast.Expr
	sign := int64(1)
	switch s := post.(type) {
	case *ast.IncDecStmt:
		if s.Tok == token.DEC {
			sign = -1
		}
		x = s.X
	case *ast.AssignStmt:
		if len(s.Lhs) == 1 && (s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN) {
			x, by = s.Lhs[0], s.Rhs[0]
			if s.Tok == token.SUB_ASSIGN {
				sign = -1
			}
		}
	}
	if x == nil || n.use(x) != v || n.assigned[v] != 2 {
		n.refuseData(post, "%s is not changed by its header alone, in steps of one size", v.Name())
	}
	if by == nil {
		return sign
	}
	k, ok := n.intConstant(by)
	if !ok || k < 1 || k > 1<<20 {
		n.refuse(post, "the step is no small positive constant")
	}
	return sign * k
}

// steps is how many steps it takes to cover a distance.
func (n *nest) steps(distance poly, step int64, at ast.Node) poly {
	if step < 0 {
		distance, step = poly{}.sub(distance), -step
	}
	n.exact(distance, at)
	if step == 1 {
		return distance
	}
	up := distance.add(intPoly(step - 1))
	if k, ok := up.constant(); ok {
		return intPoly(max(k, 0) / step)
	}
	for _, l := range n.loops {
		if up.mentions(l.v) {
			n.refuse(at, "the number of steps depends on another loop's variable, and they are not of size 1")
		}
	}
	return atom(fmt.Sprintf("((%s)/%d)", up, step))
}

// exact notes that p must not wrap.
func (n *nest) exact(p poly, at ast.Node) {
	if !n.fits(p) {
		n.refuse(at, "the bounds may be too large to compute with")
	}
}

// fits notes that p must not wrap, if that can be had.
func (n *nest) fits(p poly) bool {
	if !p.exact(leastAtomBits) {
		return false
	}
	n.bounds = append(n.bounds, p)
	return true
}

// rangeLoop reads a loop over an integer, over a slice, or over the indices of an array.
func (n *nest) rangeLoop(s *ast.RangeStmt) {
	if s.Tok == token.ASSIGN {
		n.refuse(s, "its variables are declared outside")
	}
	l := &loop{stmt: s, lo: intPoly(0), step: 1}
	key := n.rangeVar(s.Key, s)
	if key != nil {
		if !isInt(key.Type()) {
			n.refuse(s, "its variable is no int")
		}
		l.v = n.name(key.Name(), key, s)
	}
	var over *place
	var part *part
	switch t := n.typeOf(s.X).Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 {
			n.refuse(s, "it ranges over a %s", t)
		}
		l.count = n.bound(s.X)
		n.exact(l.count, s)
	case *types.Slice:
		if v := n.use(s.X); v != nil && n.parts[v] != nil {
			part = n.parts[v]
			l.count = part.count
			break
		}
		over = n.value(s.X)
		l.count = atom("len(" + over.text() + ")")
		n.exact(l.count, s)
	case *types.Array:
		if v := n.ownArray(s.X); v != nil && s.Value != nil {
			n.direct = append(n.direct, v)
			l.count = intPoly(t.Len())
			n.rangeVar(s.Value, s)
			n.enter(l, key, s.Body)
			return
		}
		l.count = n.indices(s, t)
	case *types.Pointer:
		array, ok := t.Elem().Underlying().(*types.Array)
		if !ok {
			n.refuse(s, "it ranges over a %s", t)
		}
		l.count = n.indices(s, array)
	default:
		n.refuse(s, "it ranges over a %s", n.typeOf(s.X))
	}
	if over != nil && !over.stable(n) {
		n.refuse(s, "it ranges over something that changes")
	}
	value := n.rangeVar(s.Value, s)
	if value == nil {
		n.enter(l, key, s.Body)
		return
	}
	if l.v == "" {
		// Only the access to the element needs a name for its index.
		l.v = fmt.Sprintf("detraceIndex%d", s.Pos())
	}
	n.within(l, key, func() {
		elem := n.typeOf(s.X).Underlying().(*types.Slice).Elem()
		n.moves = true
		if part != nil {
			n.touch(part.element(n, atom(l.v), elem, s), false, s.X)
		} else {
			n.touch(n.element(over, atom(l.v), elem, s), false, s.X)
		}
		n.moves = false
		n.statement(s.Body)
	})
}

// indices is the number of rounds of a loop over the indices of an array, which is not
// looked at for that.
func (n *nest) indices(s *ast.RangeStmt, t *types.Array) poly {
	if s.Value != nil {
		n.refuse(s, "it ranges over the elements of an array")
	}
	ast.Inspect(s.X, func(node ast.Node) bool {
		switch node.(type) {
		case *ast.CallExpr, *ast.UnaryExpr, *ast.FuncLit:
			n.refuse(s.X, "it ranges over an array that is computed")
		}
		return true
	})
	return intPoly(t.Len())
}

// rangeVar is the variable that a range clause declares, nil if none.
func (n *nest) rangeVar(e ast.Expr, at ast.Node) *types.Var {
	id, ok := e.(*ast.Ident)
	if !ok || id.Name == "_" {
		return nil
	}
	v, ok := n.info.Defs[id].(*types.Var)
	if !ok || n.assigned[v] != 1 {
		n.refuse(at, "%s is assigned in the loop", id.Name)
	}
	return v
}

func (n *nest) enter(l *loop, v *types.Var, body *ast.BlockStmt) {
	n.within(l, v, func() { n.statement(body) })
}

// within reads the body of a loop whose variable is v.
func (n *nest) within(l *loop, v *types.Var, body func()) {
	if n.conditional > 0 || n.branch != nil {
		n.refuse(l.stmt, "a loop that runs on a condition")
	}
	n.loops = append(n.loops, l)
	if v != nil {
		n.known[v] = atom(l.v)
	}
	n.chain = append(slices.Clone(n.chain), l)
	body()
	n.chain = n.chain[:len(n.chain)-1]
}

// bound is the value of an int expression in terms of what does not change.
func (n *nest) bound(e ast.Expr) poly {
	p := n.read(e)
	if p == nil {
		n.refuseData(e, "the bound is not a sum of products of what the loop leaves alone")
	}
	return p
}

// predeclared are names that guards use.
var predeclared = []string{"len", "cap", "uint", "int", "bool", "true", "false", "nil", "uint32", "uint64"}

// name reserves the name of a variable, which must mean one thing in the whole nest.
func (n *nest) name(name string, v types.Object, at ast.Node) string {
	if other := n.names[name]; other != nil && other != v && !n.siblings(other, v) {
		n.refuse(at, "two variables are called %s", name)
	}
	if slices.Contains(predeclared, name) {
		n.refuse(at, "a variable is called %s", name)
	}
	n.names[name] = v
	return name
}

// siblings reports whether two variables are loop variables none of which is visible
// where the other is.
func (n *nest) siblings(a, b types.Object) bool {
	inner := func(scope, in *types.Scope) bool {
		for ; scope != nil; scope = scope.Parent() {
			if scope == in {
				return true
			}
		}
		return false
	}
	declaredHere := func(o types.Object) bool { return o.Pos() >= n.stmt.Pos() && o.Pos() < n.stmt.End() }
	return declaredHere(a) && declaredHere(b) && a.Parent() != nil && b.Parent() != nil &&
		!inner(a.Parent(), b.Parent()) && !inner(b.Parent(), a.Parent())
}
