package coalesce

import (
	"go/ast"
	"go/token"
	"go/types"
)

// locals says of the variables of one function which are reached by nothing but their
// names in one function body, so that no other task sees them and no store through a
// pointer changes them.
type locals struct {
	prog       *Program
	info       *types.Info
	owner      map[*types.Var]ast.Node // the innermost function that declares it
	captured   map[*types.Var]bool     // used in a function inside that one
	addressed  map[*types.Var]bool     // its address is taken
	reassigned map[*types.Var]bool     // assigned after its declaration
	changing   map[ast.Expr]bool       // names of methods that are called for variables that they change
	// parts are the variables that are parts of arrays and go nowhere, with the arrays, and
	// partOf what they are.
	parts  map[*types.Var]*types.Var
	partOf map[*ast.SliceExpr]*types.Var
}

func newLocals(prog *Program, info *types.Info, f *ast.FuncDecl) *locals {
	l := &locals{prog: prog, info: info, owner: map[*types.Var]ast.Node{}, captured: map[*types.Var]bool{}, addressed: map[*types.Var]bool{},
		reassigned: map[*types.Var]bool{}, changing: map[ast.Expr]bool{}, partOf: map[*ast.SliceExpr]*types.Var{}}
	l.findParts(f)
	l.walk(f, f)
	return l
}

func (l *locals) walk(fn, n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != fn {
				l.walk(n, n)
				return false
			}
		case *ast.Ident:
			if v, ok := l.info.Defs[n].(*types.Var); ok {
				l.owner[v] = fn
			} else if v, ok := l.info.Uses[n].(*types.Var); ok && l.owner[v] != fn {
				l.captured[v] = true
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				l.mark(l.addressed, n.X)
			}
		case *ast.SliceExpr:
			if isArray(l.info.TypeOf(n.X)) {
				set := l.addressed
				if l.parts[l.partOf[n]] != nil {
					set = l.reassigned
				}
				l.mark(set, n.X)
			}
		case *ast.CallExpr:
			if v, _ := l.changedBy(n); v != nil {
				l.changing[ast.Unparen(n.Fun)], l.reassigned[v] = true, true
			}
		case *ast.SelectorExpr:
			// A method with a pointer receiver of a variable that is none.
			if s := l.info.Selections[n]; s != nil && s.Kind() == types.MethodVal && !l.changing[n] {
				if sig := s.Obj().Type().(*types.Signature); isPointer(sig.Recv().Type()) && !isPointer(s.Recv()) {
					l.mark(l.addressed, n.X)
				}
			}
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				if id, ok := ast.Unparen(lhs).(*ast.Ident); !ok || l.info.Defs[id] == nil {
					l.mark(l.reassigned, lhs)
				}
			}
		case *ast.IncDecStmt:
			l.mark(l.reassigned, n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				l.mark(l.reassigned, n.Key)
				l.mark(l.reassigned, n.Value)
			}
		case *ast.ForStmt:
			// What the header does to its own variable is done to a new one each time.
			if n.Init != nil {
				l.walk(fn, n.Init)
			}
			if n.Cond != nil {
				l.walk(fn, n.Cond)
			}
			if n.Post != nil && !l.ownHeader(n) {
				l.walk(fn, n.Post)
			}
			l.walk(fn, n.Body)
			return false
		}
		return true
	})
}

// ownHeader reports whether the post statement of n changes only a variable that its
// init statement declares.
func (l *locals) ownHeader(n *ast.ForStmt) bool {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return false
	}
	post, ok := n.Post.(*ast.IncDecStmt)
	if !ok {
		return false
	}
	id, ok := post.X.(*ast.Ident)
	if !ok {
		return false
	}
	for _, lhs := range init.Lhs {
		if def, ok := lhs.(*ast.Ident); ok && l.info.Defs[def] != nil && l.info.Defs[def] == l.info.Uses[id] {
			return true
		}
	}
	return false
}

// mark adds the variable whose memory e is in.
func (l *locals) mark(set map[*types.Var]bool, e ast.Expr) {
	for e != nil {
		switch x := e.(type) {
		case *ast.Ident:
			if v, ok := l.info.ObjectOf(x).(*types.Var); ok {
				set[v] = true
			}
			return
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if isPointer(l.info.TypeOf(x.X)) {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			if !isArray(l.info.TypeOf(x.X)) {
				return
			}
			e = x.X
		default:
			return
		}
	}
}

// changedBy is the variable of numbers that a method is called for which changes nothing else.
func (l *locals) changedBy(e *ast.CallExpr) (*types.Var, *types.Func) {
	sel, ok := ast.Unparen(e.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	id, ok := sel.X.(*ast.Ident)
	s := l.info.Selections[sel]
	if !ok || s == nil || s.Kind() != types.MethodVal || len(s.Index()) != 1 || isPointer(s.Recv()) {
		return nil, nil
	}
	v, _ := l.info.Uses[id].(*types.Var)
	fn, _ := s.Obj().(*types.Func)
	if v == nil || fn == nil || v.Parent() == nil || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() {
		return nil, nil
	}
	if known := l.prog.conductOf(fn); !known.good || !known.changes {
		return nil, nil
	}
	return v, fn
}

// private reports whether nothing but this function sees v, or v never changes.
func (l *locals) private(v *types.Var) bool {
	return l.owner[v] != nil && !l.addressed[v] && (!l.captured[v] || !l.reassigned[v])
}

func isPointer(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

func isArray(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Array)
	return ok
}
