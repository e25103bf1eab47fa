package coalesce

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// amd64 is the sizes of types where judged programs run.
var amd64 = types.SizesFor("gc", "amd64")

// A Package is one package of a program.
type Package struct {
	Path, Name string
	Files      []string // absolute
	// Contents is the text of those files that is known already, also in place of what stands
	// in them.
	Contents map[string][]byte
	// ImportMap says which package an import path means, where that is not the
	// package of that path.
	ImportMap map[string]string
	// Rewrite asks for the loops of this package. Of others only types are looked at.
	Rewrite bool
}

// Program is the packages of a program with their types.
type Program struct {
	dir      string
	fset     *token.FileSet
	sizes    types.Sizes
	packages map[string]*types.Package
	listed   map[string]Package // all by path
	decls    map[*types.Func]declared
	conducts map[*types.Func]conduct
	hooked   map[types.Object]bool // functions called by nests that run without hooks
}

type declared struct {
	decl *ast.FuncDecl
	info *types.Info
	open bool // its file is being rewritten
}

// Rewrite rewrites the loops of packages, which come in the order of their imports,
// those imported first. dir is what names of files are relative to in what is said of
// loops. What does not compile, or is of a type that cannot be found out, stays as it is.
func Rewrite(dir string, packages []Package) Result {
	result := Result{Files: map[string][]byte{}}
	p := newProgram(packages)
	p.dir = dir
	seen := map[string]bool{}
	for _, pkg := range packages {
		if pkg.Rewrite {
			p.add(pkg, seen, &result)
		}
	}
	return result
}

// newProgram is the program of packages, of which none was looked at.
func newProgram(packages []Package) *Program {
	p := &Program{
		fset: token.NewFileSet(), sizes: amd64,
		packages: map[string]*types.Package{"unsafe": types.Unsafe}, listed: map[string]Package{},
		decls: map[*types.Func]declared{}, conducts: map[*types.Func]conduct{}, hooked: map[types.Object]bool{},
	}
	for _, pkg := range packages {
		p.listed[pkg.Path] = pkg
	}
	return p
}

// HasLoops reports whether a file of Go source has a loop.
func HasLoops(src []byte) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}

// importer finds imports among the packages that came before, and looks at those whose loops
// are not asked for.
type importer struct {
	*Program
	of Package
}

func (i importer) Import(path string) (*types.Package, error) {
	if mapped := i.of.ImportMap[path]; mapped != "" {
		path = mapped
	}
	if pkg, ok := i.listed[path]; ok && i.packages[path] == nil && !pkg.Rewrite {
		i.addTypes(pkg)
	}
	if p := i.packages[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not there", path)
}

// addTypes checks the types that a package declares. What only bodies of its functions import is
// not looked at: most of the library, for most programs.
func (p *Program) addTypes(pkg Package) {
	files, _, err := p.parse(pkg, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, file := range files {
		p.dropImports(pkg, file)
	}
	p.check(pkg, files, &types.Info{}) // what is wrong with it concerns nobody who does not use it
}

// dropImports takes the imports that only bodies of functions use out of a file.
func (p *Program) dropImports(pkg Package, file *ast.File) {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		_, body := n.(*ast.BlockStmt)
		return !body
	})
	file.Decls = slices.DeleteFunc(file.Decls, func(decl ast.Decl) bool {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			return false
		}
		d.Specs = slices.DeleteFunc(d.Specs, func(spec ast.Spec) bool {
			name := p.nameOf(pkg, spec.(*ast.ImportSpec))
			return name != "" && name != "." && !used[name]
		})
		return len(d.Specs) == 0
	})
}

// nameOf is by which name an import of pkg is used, empty if that is not known.
func (p *Program) nameOf(pkg Package, spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	path, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	if mapped := pkg.ImportMap[path]; mapped != "" {
		path = mapped
	}
	return p.listed[path].Name
}

// parse reads the files of a package.
func (p *Program) parse(pkg Package, mode parser.Mode) (files []*ast.File, sources [][]byte, err error) {
	for _, name := range pkg.Files {
		src, err := pkg.read(name)
		if err != nil {
			return nil, nil, err
		}
		file, err := parser.ParseFile(p.fset, name, src, mode)
		if err != nil {
			return nil, nil, err
		}
		files, sources = append(files, file), append(sources, src)
	}
	return files, sources, nil
}

// check checks the types of a package, as far as that goes.
func (p *Program) check(pkg Package, files []*ast.File, info *types.Info) (*types.Package, error) {
	cfg := types.Config{Importer: importer{p, pkg}, Sizes: p.sizes, IgnoreFuncBodies: !pkg.Rewrite, Error: func(error) {}, FakeImportC: true}
	checked, err := cfg.Check(pkg.Path, p.fset, files, info)
	p.packages[pkg.Path] = checked
	return checked, err
}

// add checks the types of a package and rewrites its files that were not seen before.
func (p *Program) add(pkg Package, seen map[string]bool, result *Result) {
	files, sources, err := p.parse(pkg, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
	}
	checked, err := p.check(pkg, files, info)
	if err != nil {
		return
	}
	for _, name := range predeclared {
		if checked.Scope().Lookup(name) != nil {
			return
		}
	}
	var rewriters []*rewriter
	for i, file := range files {
		name := pkg.Files[i]
		if seen[name] || leaveAlone(file) {
			p.declare(file, info, false)
			continue
		}
		seen[name] = true
		p.declare(file, info, true)
		r := &rewriter{prog: p, info: info, pkg: checked, fset: p.fset, file: file, src: sources[i], base: p.fset.File(file.Pos()).Base(), tag: patch.Tag(name)}
		rewriters = append(rewriters, r)
	}
	for _, r := range rewriters {
		for _, decl := range r.file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				r.function(f)
			}
		}
	}
	for _, r := range rewriters {
		if out := r.finish(); out != nil {
			result.Files[p.fset.Position(r.file.Pos()).Filename] = out
		}
		result.Loops = append(result.Loops, r.loops...)
	}
}

func (p Package) read(name string) ([]byte, error) {
	if src, ok := p.Contents[name]; ok {
		return src, nil
	}
	return os.ReadFile(name)
}

// declare remembers where functions are declared.
func (p *Program) declare(file *ast.File, info *types.Info, open bool) {
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			if fn, ok := info.Defs[f.Name].(*types.Func); ok {
				p.decls[fn] = declared{f, info, open}
			}
		}
	}
}

// leaveAlone reports whether a file has something that rewriting might break: cgo, or
// positions that are not its own.
func leaveAlone(file *ast.File) bool {
	for _, spec := range file.Imports {
		if spec.Path.Value == `"C"` {
			return true
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//line ") || strings.HasPrefix(c.Text, "/*line ") {
				return true
			}
		}
	}
	return false
}

// directives reports whether a function is compiled in a special way.
func directives(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if strings.HasPrefix(c.Text, "//go:") {
			return true
		}
	}
	return false
}

// relative is a position as it is told to people.
func (p *Program) relative(at token.Position) string {
	name := at.Filename
	if rel, err := filepath.Rel(p.dir, name); err == nil && !strings.HasPrefix(rel, "..") {
		name = rel
	}
	return fmt.Sprintf("%s:%d", name, at.Line)
}
