package naming

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// candidates are the expressions that may have made an access: those of the
// innermost statement around its line, limited to what fits the access best.
func (n *Namer) candidates(a Access) []*candidate {
	if a.File == "" {
		return nil
	}
	d := n.load(a.File)
	if d.files[a.File] == nil {
		return nil
	}
	var fit []*candidate
	for _, c := range d.inFile(a.File) {
		if c.write == a.Write && c.stmt.from <= a.Line && a.Line <= c.stmt.to && c.memory() {
			fit = append(fit, c)
		}
	}
	fit = prefer(fit, func(c *candidate) bool { return c.stmt.to-c.stmt.from == narrowest(fit) || c.line == a.Line })
	if callee := baseName(a.Callee); callee != "" && a.Action == "" {
		return prefer(fit, func(c *candidate) bool { return c.call == callee })
	}
	fit = prefer(fit, func(c *candidate) bool { return c.call == "" })
	fit = prefer(fit, func(c *candidate) bool { return c.action == a.Action })
	fit = prefer(fit, func(c *candidate) bool { return !c.define })
	for _, near := range []func(*candidate) bool{
		func(c *candidate) bool { return c.line == a.Line },
		func(c *candidate) bool { return c.from <= a.Line && a.Line <= c.to },
	} {
		fit = prefer(fit, near)
	}
	return fit
}

// prefer keeps the candidates that satisfy ok, or all where none does.
func prefer(cs []*candidate, ok func(*candidate) bool) []*candidate {
	var kept []*candidate
	for _, c := range cs {
		if ok(c) {
			kept = append(kept, c)
		}
	}
	if kept == nil {
		return cs
	}
	return kept
}

func narrowest(cs []*candidate) int {
	n := -1
	for _, c := range cs {
		if lines := c.stmt.to - c.stmt.from; n < 0 || lines < n {
			n = lines
		}
	}
	return n
}

// baseName is a function's name without package, receiver and type arguments.
func baseName(fn string) string {
	if i := strings.IndexByte(fn, '['); i >= 0 {
		fn = fn[:i]
	}
	return fn[strings.LastIndexByte(fn, '.')+1:]
}

// memory reports whether the expression denotes memory that two goroutines can
// share: no type, constant, function, and no variable of one stack frame.
func (c *candidate) memory() bool {
	if c.call != "" || c.action != "" {
		// What it refers to is accessed, not the variable.
		return !c.isValueless(c.expr)
	}
	root, indirect := c.root()
	if root == nil {
		return true
	}
	switch obj := c.object(root).(type) {
	case nil:
		return true
	case *types.Var:
		return indirect || isPackageLevel(obj) || c.dir.shared[obj]
	case *types.PkgName:
		return c.expr != ast.Expr(root)
	}
	return false
}

// isValueless reports whether e is a type, constant, function or package.
func (c *candidate) isValueless(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		tv, ok := c.dir.info.Types[e]
		return ok && (tv.IsType() || tv.Value != nil && tv.Value.Kind() != constant.Unknown)
	}
	switch c.object(id).(type) {
	case *types.TypeName, *types.Const, *types.Func, *types.PkgName, *types.Nil, *types.Builtin:
		return true
	}
	return false
}

func (c *candidate) object(id *ast.Ident) types.Object {
	if obj := c.dir.info.Uses[id]; obj != nil {
		return obj
	}
	return c.dir.info.Defs[id]
}

func isPackageLevel(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// root is the variable an access path starts from, nil for the result of a
// call, and whether the path follows a pointer, slice or map on its way.
func (c *candidate) root() (id *ast.Ident, indirect bool) {
	e := c.expr
	indirect = c.elements && !c.isValue(e, isArray)
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x, indirect
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e, indirect = x.X, true
		case *ast.SelectorExpr:
			indirect = indirect || !c.isValue(x.X, func(t types.Type) bool { return !isPointer(t) })
			e = x.X
		case *ast.IndexExpr:
			indirect = indirect || !c.isValue(x.X, isArray)
			e = x.X
		default:
			return nil, indirect
		}
	}
}

// isValue reports whether e is known to have a type that satisfies inline: its
// parts are memory of e itself. A package before a dot is not a value.
func (c *candidate) isValue(e ast.Expr, inline func(types.Type) bool) bool {
	t := c.dir.info.TypeOf(e)
	if t == nil {
		id, ok := e.(*ast.Ident)
		_, pkg := c.object(id).(*types.PkgName)
		return ok && pkg
	}
	if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.Invalid {
		return false
	}
	return inline(t)
}

// isGlobal reports whether the candidate is part of the global variable with
// the linker's name sym.
func (c *candidate) isGlobal(sym string) bool {
	root, indirect := c.root()
	if root == nil || indirect {
		return false
	}
	switch obj := c.object(root).(type) {
	case *types.Var:
		return isPackageLevel(obj) && baseSymbol(sym) == root.Name
	case *types.PkgName:
		return strings.HasSuffix(sym, obj.Name()+"."+baseSymbol(sym)) && strings.HasPrefix(c.text, obj.Name()+"."+baseSymbol(sym))
	}
	return false
}

func baseSymbol(sym string) string { return sym[strings.LastIndexByte(sym, '.')+1:] }

// choose returns the pair of candidates that are most likely the same memory,
// and whether anything says that they are. Where one side has none, it is the
// best of the other.
func choose(a, b []*candidate, hint Hint) (best [2]*candidate, matched bool) {
	top := -1 << 30
	try := func(x, y *candidate, score int) {
		if score > top {
			top, best = score, [2]*candidate{x, y}
		}
	}
	for _, x := range a {
		for _, y := range b {
			same := likeness(x, y)
			was := top
			try(x, y, same+x.weight(hint)+y.weight(hint))
			if top > was {
				matched = same > 0
			}
		}
	}
	if len(a) == 0 {
		for _, y := range b {
			try(nil, y, y.weight(hint))
		}
	}
	if len(b) == 0 {
		for _, x := range a {
			try(x, nil, x.weight(hint))
		}
	}
	return best, matched
}

// weight is how well the candidate fits by itself. Its parts are smaller than
// the steps of likeness, except what the address proves.
func (c *candidate) weight(hint Hint) int {
	w := 0
	if c.inner {
		w -= 2
	}
	if c.define {
		w -= 5
	}
	if c.call != "" || c.action != "" {
		return w
	}
	_, indirect := c.root()
	switch {
	case hint.Global != "" && c.isGlobal(hint.Global):
		w += 200
	case hint.Global != "" && !indirect, hint.Heap && c.isGlobalVar():
		w -= 200
	}
	return w + c.fitsOffset(hint)
}

func (c *candidate) isGlobalVar() bool {
	root, indirect := c.root()
	if root == nil || indirect {
		return false
	}
	v, ok := c.object(root).(*types.Var)
	return ok && isPackageLevel(v)
}

// likeness scores how likely x and y are the same memory.
func likeness(x, y *candidate) int {
	rx, _ := x.root()
	ry, _ := y.root()
	sameRoot := rx != nil && ry != nil && sameObject(x.object(rx), y.object(ry))
	switch {
	case sameRoot && x.text == y.text:
		return 100
	case sameRoot && shape(x.text) == shape(y.text):
		return 90
	}
	fx, fy := x.field(), y.field()
	if fx != nil && fy != nil && !sameObject(fx, fy) {
		return 0
	}
	switch {
	case fx != nil && fx == fy:
		return 70
	case sameRoot && x.prefixOf(y) || sameRoot && y.prefixOf(x):
		return 60
	case shape(x.text) == shape(y.text):
		return 50
	case last(x.expr) != "" && last(x.expr) == last(y.expr):
		return 40
	case sameRoot:
		return 30
	case x.sameType(y):
		return 20
	}
	return 0
}

// sameObject compares objects, which are made anew for each directory checked
// and for a test's variant of it, by what they stand for.
func sameObject(x, y types.Object) bool {
	if x == nil || y == nil {
		return false
	}
	return x == y || x.Name() == y.Name() && x.Pkg() != y.Pkg() && x.Parent() == nil && y.Parent() == nil
}

// field is the field or variable that the path ends in.
func (c *candidate) field() types.Object {
	switch x := ast.Unparen(c.expr).(type) {
	case *ast.SelectorExpr:
		if sel := c.dir.info.Selections[x]; sel != nil {
			return sel.Obj()
		}
	}
	return nil
}

// prefixOf reports whether y is a part of what x denotes.
func (x *candidate) prefixOf(y *candidate) bool {
	return strings.HasPrefix(y.text, x.text+".") || strings.HasPrefix(y.text, x.text+"[")
}

func (x *candidate) sameType(y *candidate) bool {
	tx, ty := x.dir.info.TypeOf(x.expr), y.dir.info.TypeOf(y.expr)
	return tx != nil && ty != nil && known(tx) && types.Identical(tx, ty)
}

// shape is an expression with the indices left out: grid[][].
func shape(text string) string {
	var sb strings.Builder
	depth := 0
	for _, r := range text {
		if r == ']' {
			depth--
		}
		if depth == 0 {
			sb.WriteRune(r)
		}
		if r == '[' {
			depth++
		}
	}
	return sb.String()
}

// last is the name that a path ends in.
func last(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexExpr:
		return last(x.X)
	case *ast.StarExpr:
		return last(x.X)
	case *ast.ParenExpr:
		return last(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return last(x.X)
		}
	}
	return ""
}
