package coalesce

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A trail is a single loop whose course depends on data: its indices go up or down by 1,
// some of them on conditions. Which elements it touches is noted while it runs, as runs of
// elements or, where it leaves some out, by a mark for each, and told
// afterwards, with all that it has done when it is left or an index is outside.
type trail struct {
	*nest
	header  header
	cursors map[*types.Var]*cursor
	touches []*touch // in the order of the source
	exits   []*ast.ReturnStmt
	breaks  bool
	block   *ast.BlockStmt // the innermost one that is being read
	flow    flow
	goesOn  flow // of those ways that go on with the next round before the end of this one
}

// header is the loop as one of three clauses.
type header struct {
	init string
	cond ast.Expr  // nil if there is none, or if it is that of a range
	text string    // of the condition
	at   token.Pos // of the condition
	post string
	vars []*types.Var // that it declares
	body *ast.BlockStmt
}

// A cursor is a variable that the loop moves by 1, always in one direction.
type cursor struct {
	v     *types.Var
	name  string
	down  bool
	moves []ast.Node // where it is moved
}

// A touch is one place of the source where an element is touched.
type touch struct {
	number int
	slice  *types.Var
	expr   *ast.IndexExpr
	index  poly
	cursor *cursor
	write  bool
	pos    token.Pos
	size   int64
	block  *ast.BlockStmt
	// marked is set if the elements touched are marked one by one: they leave gaps.
	marked bool
	// taken is the touch that takes what this one leaves, if there is one: both are told together.
	taken *touch
	// known is set if each time another touch has been at the same element just before,
	// and did the same or more.
	known bool
	// before are the touches that may come to an element earlier than this one.
	before touches
}

// touches is a set of touches by their numbers.
type touches uint32

const mostTouches = 16

func (s touches) has(t *touch) bool { return s>>t.number&1 != 0 }

// flow is what has been touched since its cursor moved last: on some way through the
// loop, and on every way.
type flow struct{ may, must touches }

var nowhere = flow{0, ^touches(0)} // no way leads there

func (f flow) join(g flow) flow { return flow{f.may | g.may, f.must & g.must} }

// newTrail reads the loop s.
func newTrail(r *rewriter, s ast.Stmt) *trail {
	t := &trail{nest: newEmptyNest(r, s), cursors: map[*types.Var]*cursor{}}
	if body := loopBody(s); r.fset.Position(s.Pos()).Line != r.fset.Position(body.Lbrace).Line {
		t.refuse(s, "its header is on several lines")
	}
	t.findAssigned()
	t.findCursors(t.readHeader(s))
	// What is touched in one round goes on in the next.
	again := nowhere
	for range 2 {
		t.flow = flow{again.may, 0}
		again = t.round()
	}
	t.worthwhile()
	return t
}

// readHeader reads the header of the loop, and returns its post statement.
func (t *trail) readHeader(s ast.Stmt) (post ast.Stmt) {
	switch s := s.(type) {
	case *ast.ForStmt:
		t.header = header{cond: s.Cond, text: "true", at: s.Pos(), body: s.Body}
		if s.Cond != nil {
			t.header.at = s.Cond.Pos()
			t.header.text = t.text(s.Cond)
		}
		if s.Init != nil {
			t.declares(s.Init)
			t.header.init = t.text(s.Init)
		}
		if s.Post != nil {
			t.header.post = t.text(s.Post)
		}
		return s.Post
	case *ast.RangeStmt:
		key := t.rangeVar(s.Key, s)
		if s.Tok != token.DEFINE || key == nil || s.Value != nil || !isInt(key.Type()) {
			t.refuse(s, "it ranges over more than indices")
		}
		v, over := key.Name(), t.text(s.X)
		switch u := t.typeOf(s.X).Underlying().(type) {
		case *types.Slice:
			t.sliceOf(s.X)
			over = "len(" + over + ")"
		case *types.Basic:
			if p := t.number(s.X); p == nil || !isInt(u) {
				t.refuse(s.X, "it ranges over what changes")
			}
		default:
			t.refuse(s, "it ranges over a %s", u)
		}
		t.header = header{init: v + " := 0", text: v + " < " + over, at: s.Pos(), post: v + "++", vars: []*types.Var{key}, body: s.Body}
		t.cursors[key] = &cursor{v: key, name: t.name(v, key, s), moves: []ast.Node{s}}
	}
	return nil
}

// declares reads the init statement.
func (t *trail) declares(s ast.Stmt) {
	init, ok := s.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		t.refuse(s, "its first statement declares nothing")
	}
	for _, lhs := range init.Lhs {
		v, ok := t.info.Defs[lhs.(*ast.Ident)].(*types.Var)
		if ok && lhs.(*ast.Ident).Name != "_" {
			t.header.vars = append(t.header.vars, v)
		}
		if !ok || !isBasic(v.Type()) {
			t.refuse(s, "a variable that it declares is no number")
		}
	}
}

// findCursors finds the variables that are assigned in nothing but steps of 1.
func (t *trail) findCursors(post ast.Stmt) {
	move := func(node ast.Node) bool {
		if v, step := t.step1(node); v != nil {
			c := t.cursors[v]
			if c == nil {
				c = &cursor{v: v, name: v.Name(), down: step < 0}
				t.cursors[v] = c
			}
			if c.down == (step < 0) {
				c.moves = append(c.moves, node)
			}
		}
		return true
	}
	ast.Inspect(t.header.body, move)
	if post != nil {
		ast.Inspect(post, move)
	}
	for v, c := range t.cursors {
		times := t.assigned[v]
		if slices.Contains(t.header.vars, v) {
			times--
		}
		if _, ranges := c.moves[0].(*ast.RangeStmt); ranges {
			times++
		}
		if times != len(c.moves) || !isInt(v.Type()) || !t.own.private(v) {
			delete(t.cursors, v)
			continue
		}
		t.known[v] = atom(t.name(c.name, v, t.stmt))
	}
}

// step1 is the variable that a statement moves by 1.
func (t *trail) step1(node ast.Node) (v *types.Var, step int) {
	switch s := node.(type) {
	case *ast.IncDecStmt:
		return t.use(s.X), map[token.Token]int{token.INC: 1, token.DEC: -1}[s.Tok]
	case *ast.AssignStmt:
		if s.Tok != token.ADD_ASSIGN && s.Tok != token.SUB_ASSIGN {
			return nil, 0
		}
		if k, ok := t.intConstant(s.Rhs[0]); !ok || k != 1 {
			return nil, 0
		}
		return t.use(s.Lhs[0]), map[token.Token]int{token.ADD_ASSIGN: 1, token.SUB_ASSIGN: -1}[s.Tok]
	}
	return nil, 0
}

// number is the value of an int in terms of cursors and of what the loop leaves alone.
func (t *trail) number(e ast.Expr) poly {
	p := t.read(e)
	if len(t.refs) > 0 {
		t.refuse(e, "an index or bound that is read from memory")
	}
	return p
}

// sliceOf is the slice that e names.
func (t *trail) sliceOf(e ast.Expr) *types.Var {
	v := t.use(e)
	if v == nil || v.Parent() == t.pkg.Scope() || !t.own.private(v) {
		t.refuse(e, "a slice that is no variable of the function's own")
	}
	if t.assigned[v] > 0 {
		t.refuse(e, "%s changes in the loop", v.Name())
	}
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		t.refuse(e, "an index into a %s", v.Type())
	}
	t.name(v.Name(), v, e)
	return v
}

// touch reads an element of a slice.
func (t *trail) touch(e *ast.IndexExpr, write bool) {
	for _, known := range t.touches {
		if known.expr == e && known.write == write {
			t.meet(known)
			return
		}
	}
	v := t.sliceOf(e.X)
	elem := v.Type().Underlying().(*types.Slice).Elem()
	if b, ok := elem.Underlying().(*types.Basic); !ok || b.Info()&(types.IsNumeric|types.IsBoolean) == 0 {
		t.refuse(e, "elements that are no numbers")
	}
	if !isInt(t.typeOf(e.Index)) {
		t.refuse(e.Index, "an index that is no int")
	}
	n := &touch{number: len(t.touches), slice: v, expr: e, index: t.number(e.Index), write: write, pos: e.Pos(), size: t.prog.sizes.Sizeof(elem), block: t.block}
	if n.index == nil {
		t.refuse(e.Index, "the index is not moved by steps of 1")
	}
	n.cursor = t.cursorOf(e.Index)
	if factor, ok := n.index.coefficient(n.cursor.name); !ok || !factor.equal(intPoly(1)) {
		t.refuse(e.Index, "the index is not moved by steps of 1")
	}
	if len(t.touches) == mostTouches {
		t.refuse(e, "it touches elements in too many places")
	}
	t.touches = append(t.touches, n)
	t.meet(n)
}

// cursorOf is the one cursor that an index depends on.
func (t *trail) cursorOf(index ast.Expr) (c *cursor) {
	ast.Inspect(index, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok {
			if v, ok := t.info.Uses[id].(*types.Var); ok && t.cursors[v] != nil {
				if c != nil {
					t.refuse(index, "the index depends on several steps")
				}
				c = t.cursors[v]
			}
		}
		return true
	})
	if c == nil {
		t.refuse(index, "the index does not move")
	}
	return c
}

// meet is what the touch n adds to the flow.
func (t *trail) meet(n *touch) {
	for _, other := range t.touches {
		if other == n || other.slice != n.slice || !other.index.equal(n.index) {
			continue
		}
		if t.flow.must.has(other) && (other.write || !n.write) {
			n.known = true
			return
		}
		if t.flow.may.has(other) {
			n.before |= 1 << other.number
		}
	}
	t.flow.may |= 1 << n.number
	t.flow.must |= 1 << n.number
}

// moved takes from the flow what was touched at a cursor.
func (t *trail) moved(v *types.Var) {
	for _, n := range t.touches {
		if n.cursor.v == v {
			t.flow.may &^= 1 << n.number
			t.flow.must &^= 1 << n.number
		}
	}
}

// alike reports whether two touches are the same to a report.
func (t *trail) alike(a, b *touch) bool {
	return a.write == b.write && t.fset.Position(a.pos).Line == t.fset.Position(b.pos).Line
}

// told is the touches to be told, in an order in which each element is told first of
// what touched it first.
func (t *trail) told() []*touch {
	var todo, all []*touch
	for _, n := range t.touches {
		if !n.known {
			todo = append(todo, n)
		}
	}
	for len(todo) > 0 {
		next := slices.IndexFunc(todo, func(n *touch) bool {
			return !slices.ContainsFunc(todo, func(other *touch) bool { return other != n && t.earlier(other, n) })
		})
		if next < 0 {
			t.refuse(todo[0].expr, "elements that are touched here and elsewhere, in any order")
		}
		all = append(all, todo[next])
		todo = slices.Delete(todo, next, next+1)
	}
	return t.adjacent(all)
}

// adjacent moves touches that take turns at the elements of a slice next to each other, where
// the order lets them.
func (t *trail) adjacent(all []*touch) []*touch {
	for i, n := range all {
		if !n.marked || i > 0 && all[i-1].taken == n {
			continue
		}
		for k := i + 1; k < len(all); k++ {
			other := all[k]
			if other.marked && n.turns(other) && !n.before.has(other) && !other.before.has(n) &&
				!slices.ContainsFunc(all[i+1:k], func(between *touch) bool { return t.earlier(between, other) }) {
				n.taken = other
				copy(all[i+2:k+1], all[i+1:k])
				all[i+1] = other
				break
			}
		}
	}
	return all
}

// earlier reports whether a may come to an element earlier than b.
func (t *trail) earlier(a, b *touch) bool {
	if a.slice != b.slice || t.alike(a, b) {
		return false
	}
	distance := a.index.sub(b.index)
	k, ok := distance.constant()
	switch {
	case a.cursor != b.cursor || !ok:
		return true
	case k == 0:
		return b.before.has(a)
	}
	return (k > 0) != a.cursor.down
}

// worthwhile finds the touches of which many runs would have to be noted: those on a
// condition without which the cursor moves on too. It refuses loops that have hardly others.
func (t *trail) worthwhile() {
	if len(t.touches) == 0 {
		t.refuse(t.stmt, "it touches no memory")
	}
	runs := 0
	var marked []*touch
	for _, n := range t.touches {
		outside := slices.ContainsFunc(n.cursor.moves, func(m ast.Node) bool { return m.Pos() < n.block.Pos() || m.Pos() >= n.block.End() })
		switch {
		case n.known:
		case n.block == t.header.body || !outside:
			runs++
		case len(n.cursor.moves) > 1:
			t.refuse(n.expr, "touched on a condition, and what is touched without it goes on, in several places")
		default:
			n.marked = true
			if !slices.ContainsFunc(marked, func(other *touch) bool { return other.turns(n) }) {
				marked = append(marked, n)
			}
		}
	}
	if len(marked) > runs {
		t.refuse(marked[0].expr, "touched on a condition, and what is touched without it goes on")
	}
}

// turns reports whether two marked touches may be told together, if they never come to one
// element.
func (n *touch) turns(other *touch) bool {
	return n.slice == other.slice && n.write == other.write && n.index.equal(other.index)
}

// apart are the pairs of slices that must not overlap, as what touches an element of
// both first would not be known.
func (t *trail) apart() [][2]*types.Var {
	var pairs [][2]*types.Var
	for i, a := range t.touches {
		for _, b := range t.touches[:i] {
			if pair := [2]*types.Var{a.slice, b.slice}; a.slice != b.slice && !t.alike(a, b) &&
				!slices.Contains(pairs, pair) && !slices.Contains(pairs, [2]*types.Var{b.slice, a.slice}) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// String says what a touch is, for people.
func (n *touch) String() string {
	kind := map[bool]string{false: "read", true: "write"}[n.write]
	how := map[bool]string{false: "up", true: "down"}[n.cursor.down]
	if n.marked {
		kind += " some of"
	}
	return fmt.Sprintf("%s %s[%s] as far as %s goes %s, from the %dth round on", kind, n.slice.Name(), n.index, n.cursor.name, how, warm+1)
}
