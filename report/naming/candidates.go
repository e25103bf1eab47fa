package naming

import (
	"go/ast"
	"go/token"
	"go/types"
)

// candidate is an expression that may have made an access.
type candidate struct {
	dir   *dir
	expr  ast.Expr
	text  string
	write bool
	// action is what the runtime would do for it, such as "map write"; empty
	// for an ordinary load or store.
	action string
	// call is the name of the function that the expression is handed to, and
	// that may have made the access.
	call string
	// define marks the first value of a new variable, which nobody else can
	// have seen yet; inner marks an operand of a larger candidate.
	define, inner bool
	elements      bool // not expr is accessed but an element behind it
	line          int  // that the compiler gives the access
	from, to      int  // lines of the expression
	stmt          span
	column        int
}

// span is the lines of a statement without the blocks below it.
type span struct{ from, to int }

func (c *candidate) found() Expr { return Expr{c.text, c.column} }

// walker collects the candidates of one file.
type walker struct {
	d       *dir
	stmt    span
	results []*ast.FieldList // of the functions around
	found   []*candidate
}

// inFile is all candidates of a file.
func (d *dir) inFile(file string) []*candidate {
	if c, ok := d.candidates[file]; ok {
		return c
	}
	w := &walker{d: d}
	for _, decl := range d.files[file].Decls {
		w.decl(decl)
	}
	d.candidates[file] = w.found
	return w.found
}

func (w *walker) line(p token.Pos) int { return w.d.fset.Position(p).Line }

// add is the one place where a candidate is made. at is where the compiler
// puts the access.
func (w *walker) add(c candidate, at token.Pos) {
	c.dir, c.line, c.stmt = w.d, w.line(at), w.stmt
	c.from, c.to = w.line(c.expr.Pos()), w.line(c.expr.End())
	c.column = w.d.fset.Position(c.expr.Pos()).Column
	if c.text == "" {
		c.text = types.ExprString(ast.Unparen(c.expr))
	}
	w.found = append(w.found, &c)
}

func (w *walker) decl(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Body != nil {
			w.function(decl.Type, decl.Body)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR {
				w.stmt = span{w.line(v.Pos()), w.line(v.End())}
				w.valueSpec(v)
			}
		}
	}
}

func (w *walker) function(typ *ast.FuncType, body *ast.BlockStmt) {
	outer := w.stmt
	w.results = append(w.results, typ.Results)
	w.stmt = span{w.line(typ.Pos()), w.line(body.Lbrace)}
	for _, list := range []*ast.FieldList{typ.Params, typ.Results} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				w.add(candidate{expr: name, write: true, define: true}, name.Pos())
			}
		}
	}
	w.block(body.List)
	w.results = w.results[:len(w.results)-1]
	w.stmt = outer
}

func (w *walker) block(list []ast.Stmt) {
	for _, s := range list {
		w.statement(s)
	}
}

// statement walks one statement. The span of one that has blocks ends where
// the first of them begins.
func (w *walker) statement(s ast.Stmt) {
	if s == nil {
		return
	}
	outer := w.stmt
	w.stmt = span{w.line(s.Pos()), w.line(s.End())}
	defer func() { w.stmt = outer }()
	header := func(body *ast.BlockStmt) { w.stmt.to = w.line(body.Lbrace) }
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s.List)
	case *ast.LabeledStmt:
		w.statement(s.Stmt)
	case *ast.IfStmt:
		header(s.Body)
		w.statement(s.Init)
		w.read(s.Cond, false)
		w.block(s.Body.List)
		w.statement(s.Else)
	case *ast.ForStmt:
		header(s.Body)
		w.statement(s.Init)
		w.read(s.Cond, false)
		w.statement(s.Post)
		w.block(s.Body.List)
	case *ast.RangeStmt:
		header(s.Body)
		w.rangeHeader(s)
		w.block(s.Body.List)
	case *ast.SwitchStmt:
		header(s.Body)
		w.statement(s.Init)
		w.read(s.Tag, false)
		w.block(s.Body.List)
	case *ast.TypeSwitchStmt:
		header(s.Body)
		w.statement(s.Init)
		w.statement(s.Assign)
		w.block(s.Body.List)
	case *ast.SelectStmt:
		header(s.Body)
		w.block(s.Body.List)
	case *ast.CaseClause:
		w.stmt.to = w.line(s.Colon)
		w.reads(s.List)
		w.block(s.Body)
	case *ast.CommClause:
		w.stmt.to = w.line(s.Colon)
		w.statement(s.Comm)
		w.block(s.Body)
	default:
		w.simple(s)
	}
}

func (w *walker) simple(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.IncDecStmt:
		w.write(s.X, s.TokPos)
		w.read(s.X, false)
	case *ast.SendStmt:
		w.add(candidate{expr: s.Chan, action: "channel send"}, s.Arrow)
		w.reads([]ast.Expr{s.Chan, s.Value})
	case *ast.ExprStmt:
		w.read(s.X, false)
	case *ast.GoStmt:
		w.call(s.Call)
	case *ast.DeferStmt:
		w.call(s.Call)
	case *ast.ReturnStmt:
		w.returns(s)
	case *ast.DeclStmt:
		w.decl(s.Decl)
	}
}

func (w *walker) valueSpec(v *ast.ValueSpec) {
	w.reads(v.Values)
	for _, name := range v.Names {
		w.add(candidate{expr: name, write: true, define: true}, name.Pos())
	}
}

func (w *walker) assign(s *ast.AssignStmt) {
	for _, lhs := range s.Lhs {
		if id, ok := lhs.(*ast.Ident); ok && s.Tok == token.DEFINE && w.d.info.Uses[id] == nil {
			w.add(candidate{expr: lhs, write: true, define: true}, s.TokPos)
			continue
		}
		w.write(lhs, s.TokPos)
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
			w.read(lhs, false)
		}
	}
	w.reads(s.Rhs)
}

func (w *walker) rangeHeader(s *ast.RangeStmt) {
	for _, v := range []ast.Expr{s.Key, s.Value} {
		if v == nil {
			continue
		}
		if s.Tok == token.DEFINE {
			w.add(candidate{expr: v, write: true, define: true}, s.For)
		} else {
			w.write(v, s.For)
		}
	}
	w.add(candidate{expr: s.X, action: "map iteration"}, s.For)
	w.add(candidate{expr: s.X, action: "channel receive"}, s.For)
	if s.Value != nil {
		w.element(s.X, rangeIndex(s.Key), false, s.For)
	}
	w.read(s.X, false)
}

// element adds an element of a slice or array that the source does not write
// as an index expression.
func (w *walker) element(e ast.Expr, index string, write bool, at token.Pos) {
	e = sliced(e)
	w.add(candidate{expr: e, text: types.ExprString(e) + "[" + index + "]", write: write, elements: true}, at)
}

func rangeIndex(key ast.Expr) string {
	if id, ok := key.(*ast.Ident); ok && id.Name != "_" {
		return id.Name
	}
	return "..."
}

// returns are assignments where results have names.
func (w *walker) returns(s *ast.ReturnStmt) {
	w.reads(s.Results)
	results := w.results[len(w.results)-1]
	if results == nil || len(s.Results) == 0 {
		return
	}
	for _, field := range results.List {
		for _, name := range field.Names {
			w.add(candidate{expr: name, write: true}, s.Return)
			w.found[len(w.found)-1].column = w.d.fset.Position(s.Return).Column
		}
	}
}

// write adds the target of an assignment whose operator stands at at.
func (w *walker) write(e ast.Expr, at token.Pos) {
	e = ast.Unparen(e)
	if id, ok := e.(*ast.Ident); ok && id.Name == "_" {
		return
	}
	w.add(candidate{expr: e, write: true}, at)
	if x, ok := e.(*ast.IndexExpr); ok && w.mayBeMap(x.X) {
		w.add(candidate{expr: x.X, write: true, action: "map write"}, at)
	}
	w.operands(e)
}

func (w *walker) mayBeMap(e ast.Expr) bool {
	t := w.d.info.TypeOf(e)
	if t == nil || !known(t) {
		return true
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func (w *walker) reads(list []ast.Expr) {
	for _, e := range list {
		w.read(e, false)
	}
}

// read adds an expression whose value is used, and its operands.
func (w *walker) read(e ast.Expr, inner bool) {
	if e == nil {
		return
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		w.read(x.X, inner)
		return
	case *ast.CallExpr:
		w.call(x)
		return
	case *ast.FuncLit:
		w.function(x.Type, x.Body)
		return
	case *ast.Ident, *ast.SelectorExpr, *ast.StarExpr, *ast.IndexExpr:
		w.add(candidate{expr: e, inner: inner}, e.Pos())
	case *ast.UnaryExpr:
		if x.Op == token.ARROW {
			w.add(candidate{expr: x.X, action: "channel receive"}, x.Pos())
		}
		if x.Op == token.AND {
			w.operands(ast.Unparen(x.X))
			return
		}
	case *ast.BinaryExpr:
		for _, side := range []ast.Expr{x.X, x.Y} {
			w.add(candidate{expr: side, action: "comparison"}, x.OpPos)
		}
	}
	if x, ok := e.(*ast.IndexExpr); ok && w.mayBeMap(x.X) {
		w.add(candidate{expr: x.X, action: "map read"}, e.Pos())
	}
	w.operands(e)
}

// operands adds what has to be read to evaluate e, or to find the place that
// it denotes.
func (w *walker) operands(e ast.Expr) {
	switch x := e.(type) {
	case *ast.SelectorExpr:
		w.read(x.X, true)
	case *ast.StarExpr:
		w.read(x.X, true)
	case *ast.IndexExpr:
		w.read(x.X, true)
		w.read(x.Index, false)
	case *ast.SliceExpr:
		for _, o := range []ast.Expr{x.X, x.Low, x.High, x.Max} {
			w.read(o, false)
		}
	case *ast.UnaryExpr:
		w.read(x.X, false)
	case *ast.BinaryExpr:
		w.read(x.X, false)
		w.read(x.Y, false)
	case *ast.TypeAssertExpr:
		w.read(x.X, false)
	case *ast.KeyValueExpr:
		w.read(x.Value, false)
	case *ast.CompositeLit:
		for _, el := range x.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			w.read(el, false)
		}
	}
}

// call adds the arguments of a call: what a builtin does with them, and that
// the called function may reach what they point to.
func (w *walker) call(c *ast.CallExpr) {
	fun := ast.Unparen(c.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	name := ""
	switch f := fun.(type) {
	case *ast.Ident:
		name = f.Name
		if w.builtin(f, c) {
			return
		}
		w.read(f, true)
	case *ast.SelectorExpr:
		name = f.Sel.Name
		w.handOver(f.X, name, c.Pos())
		w.read(f.X, true)
	case *ast.FuncLit:
		w.function(f.Type, f.Body)
	case *ast.ArrayType:
		// A conversion to []byte or []rune.
		w.conversion(c)
	default:
		w.read(fun, true)
	}
	for _, arg := range c.Args {
		w.handOver(arg, name, c.Pos())
		w.read(arg, false)
	}
}

// handOver adds an expression that a called function may follow.
func (w *walker) handOver(e ast.Expr, callee string, at token.Pos) {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == token.AND {
		e = ast.Unparen(u.X)
	}
	e = sliced(e)
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr:
		for _, write := range []bool{true, false} {
			w.add(candidate{expr: e, call: callee, write: write}, at)
		}
	}
}

// sliced is what e is a part of: x of x[i:j].
func sliced(e ast.Expr) ast.Expr {
	if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok {
		return s.X
	}
	return e
}

func (w *walker) conversion(c *ast.CallExpr) {
	for _, arg := range c.Args {
		w.add(candidate{expr: arg, action: "string conversion"}, c.Pos())
	}
}

// builtin adds the accesses of a call of a predeclared function and reports
// whether it is one.
func (w *walker) builtin(f *ast.Ident, c *ast.CallExpr) bool {
	switch obj := w.d.info.Uses[f].(type) {
	case *types.TypeName:
		w.conversion(c)
		w.reads(c.Args)
		return true
	case *types.Builtin:
		if len(c.Args) > 0 {
			w.builtinArgs(obj.Name(), c)
		}
		return true
	}
	return false
}

func (w *walker) builtinArgs(name string, c *ast.CallExpr) {
	arg := sliced(c.Args[0])
	action := func(e ast.Expr, write bool, what string) {
		w.add(candidate{expr: sliced(e), write: write, action: what}, c.Pos())
	}
	switch name {
	case "append":
		// The new elements are ordinary stores behind the old ones.
		w.element(arg, "len("+types.ExprString(arg)+")", true, c.Pos())
		action(arg, false, "append")
		if c.Ellipsis.IsValid() {
			action(c.Args[1], false, "copy")
		}
	case "copy":
		action(arg, true, "copy")
		if len(c.Args) > 1 {
			action(c.Args[1], false, "copy")
		}
	case "delete":
		action(arg, true, "map delete")
	case "clear":
		action(arg, true, "map clear")
		w.element(arg, "...", true, c.Pos())
	case "close":
		action(arg, true, "channel close")
	case "len":
		action(arg, false, "channel len")
	case "cap":
		action(arg, false, "channel cap")
	case "new", "make":
		w.reads(c.Args[1:])
		return
	}
	w.reads(c.Args)
}
