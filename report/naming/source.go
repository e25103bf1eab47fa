package naming

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Sources reads source files by line and remembers them. For one goroutine.
type Sources struct {
	lines map[string][]string
}

// NewSources returns an empty store.
func NewSources() *Sources { return &Sources{map[string][]string{}} }

// Line is line n of a file, counted from 1, without its end; empty when there
// is none.
func (s *Sources) Line(file string, n int) string {
	lines, ok := s.lines[file]
	if !ok {
		if data, err := os.ReadFile(file); err == nil {
			lines = strings.Split(string(data), "\n")
		}
		s.lines[file] = lines
	}
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[n-1], "\r")
}

// dir is the package of one directory, checked as far as possible.
type dir struct {
	fset       *token.FileSet
	files      map[string]*ast.File
	info       *types.Info
	shared     map[*types.Var]bool
	candidates map[string][]*candidate // by file
}

// maxFiles keeps one race in a generated directory from costing seconds.
const maxFiles = 400

// load parses the directory of a file and checks the package the file is in.
// Imports are not read: what depends on them has no type.
func (n *Namer) load(file string) *dir {
	key := filepath.Dir(file)
	if strings.HasSuffix(file, "_test.go") {
		key += " test"
	}
	d, ok := n.dirs[key]
	if ok && d.files[file] != nil {
		return d
	}
	d = &dir{
		fset: token.NewFileSet(), files: map[string]*ast.File{}, candidates: map[string][]*candidate{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
			Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
		},
	}
	n.dirs[key] = d
	own, _ := parser.ParseFile(d.fset, file, nil, parser.SkipObjectResolution)
	if own == nil {
		return d
	}
	d.files[file] = own
	files := []*ast.File{own}
	for _, name := range siblings(file) {
		if f, _ := parser.ParseFile(d.fset, name, nil, parser.SkipObjectResolution); f != nil && f.Name.Name == own.Name.Name {
			d.files[name] = f
			files = append(files, f)
		}
	}
	conf := types.Config{
		Importer: noImports{}, Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true,
		Sizes: sizes,
	}
	conf.Check(own.Name.Name, d.fset, files, d.info) // its error is the first of those ignored above
	d.shared = sharedVars(files, d.info)
	return d
}

// siblings are the other files of the file's package by name and build tags.
func siblings(file string) []string {
	all, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go"))
	test := strings.HasSuffix(file, "_test.go")
	var names []string
	for _, name := range all {
		if name == file || len(names) == maxFiles || !test && strings.HasSuffix(name, "_test.go") {
			continue
		}
		if ok, err := build.Default.MatchFile(filepath.Dir(name), filepath.Base(name)); err == nil && ok {
			names = append(names, name)
		}
	}
	return names
}

// noImports imports every package as an empty one.
type noImports struct{}

func (noImports) Import(p string) (*types.Package, error) {
	name := path.Base(p)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(p))
	}
	pkg := types.NewPackage(p, name)
	pkg.MarkComplete()
	return pkg, nil
}

// sharedVars are the local variables that more than one goroutine can reach:
// those a closure captures by reference and those of which an address is
// taken. The compiler captures by value what is never assigned again.
func sharedVars(files []*ast.File, info *types.Info) map[*types.Var]bool {
	s := &sharing{info: info, captured: map[*types.Var]bool{}, assigned: map[*types.Var]bool{}, shared: map[*types.Var]bool{}}
	for _, f := range files {
		ast.Inspect(f, s.visit)
	}
	for v := range s.captured {
		if s.assigned[v] || large(v.Type()) {
			s.shared[v] = true
		}
	}
	return s.shared
}

// large reports whether the compiler captures by reference whatever happens.
func large(t types.Type) bool {
	return !known(t) || sizes.Sizeof(t) > 128
}

type sharing struct {
	info                       *types.Info
	captured, assigned, shared map[*types.Var]bool
}

func (s *sharing) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		s.results(n.Type)
	case *ast.FuncLit:
		s.results(n.Type)
		ast.Inspect(n.Body, func(m ast.Node) bool {
			if id, ok := m.(*ast.Ident); ok {
				if v := s.variable(id); v != nil && (v.Pos() < n.Pos() || v.Pos() > n.End()) {
					s.captured[v] = true
				}
			}
			return true
		})
	case *ast.AssignStmt:
		for _, lhs := range n.Lhs {
			if id, ok := lhs.(*ast.Ident); !ok || s.info.Defs[id] == nil {
				s.mark(s.assigned, lhs)
			}
		}
	case *ast.IncDecStmt:
		s.mark(s.assigned, n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			s.mark(s.assigned, n.Key)
			s.mark(s.assigned, n.Value)
		}
	case *ast.ForStmt:
		// Captured loop variables are copied back between iterations.
		if init, ok := n.Init.(*ast.AssignStmt); ok {
			for _, lhs := range init.Lhs {
				s.mark(s.assigned, lhs)
			}
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			s.mark(s.shared, n.X)
		}
	case *ast.SliceExpr:
		if t := s.info.TypeOf(n.X); t != nil && !isArray(t) {
			return true
		}
		s.mark(s.shared, n.X)
	case *ast.CallExpr:
		// A method call may take the address of its receiver.
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && s.takesAddress(sel) {
			s.mark(s.shared, sel.X)
		}
	}
	return true
}

// results marks named results: return statements assign them.
func (s *sharing) results(fn *ast.FuncType) {
	if fn.Results == nil {
		return
	}
	for _, field := range fn.Results.List {
		for _, id := range field.Names {
			s.mark(s.assigned, id)
		}
	}
}

func (s *sharing) takesAddress(sel *ast.SelectorExpr) bool {
	selection := s.info.Selections[sel]
	if selection == nil {
		return true
	}
	fn, ok := selection.Obj().(*types.Func)
	if !ok {
		return false
	}
	_, pointer := fn.Signature().Recv().Type().(*types.Pointer)
	return pointer
}

// mark adds the variable whose own memory e is part of.
func (s *sharing) mark(set map[*types.Var]bool, e ast.Expr) {
	for e != nil {
		switch x := e.(type) {
		case *ast.Ident:
			if v := s.variable(x); v != nil {
				set[v] = true
			}
			return
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if t := s.info.TypeOf(x.X); t != nil && isPointer(t) {
				return
			}
			e = x.X
		case *ast.IndexExpr:
			if t := s.info.TypeOf(x.X); t != nil && known(t) && !isArray(t) {
				return
			}
			e = x.X
		default:
			return
		}
	}
}

func (s *sharing) variable(id *ast.Ident) *types.Var {
	obj := s.info.Uses[id]
	if obj == nil {
		obj = s.info.Defs[id]
	}
	v, _ := obj.(*types.Var)
	if v == nil || v.IsField() {
		return nil
	}
	return v
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// known reports whether t can be laid out: no part of it comes from an import.
func known(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid
	case *types.Array:
		return known(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !known(u.Field(i).Type()) {
				return false
			}
		}
	case *types.Interface:
		_, param := types.Unalias(t).(*types.TypeParam)
		return !param
	}
	return true
}
