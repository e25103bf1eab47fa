// Package told changes Go sources where the compiler, when it optimises, would leave out
// what tells the detector of an access:
//
//   - clear of a slice whose length it knows becomes instructions that write the elements,
//     without a call that could tell of them;
//   - string(b) of bytes b that is a key once, for a look into a map or a delete, is no call
//     that copies b, and no read of b either.
//
// Each slice that is cleared, and each string made so, takes the way through a function that
// the compiler may not look into. No line moves. What the compiler treats on its own before it
// optimises is left as it is: comparisons, concatenation, switches, and indices.
//
// Files go in as text and come out as text. Types are not looked at: in a package that gives
// the names clear or string another meaning, what has that name stays as it is.
package told

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"github.com/detrace/detrace/instrument/patch"
)

// A File is a source file of a package.
type File struct {
	Name    string
	Content []byte
}

// Wanted reports whether a file may have something to rewrite.
func Wanted(src []byte) bool {
	return bytes.Contains(src, []byte("string(")) || bytes.Contains(src, []byte("clear("))
}

// Rewrite returns those of a package's files that are not as they were. A file that does not
// parse stays as it is.
func Rewrite(files []File) []File {
	if !slices.ContainsFunc(files, func(f File) bool { return Wanted(f.Content) }) {
		return nil
	}
	fset := token.NewFileSet()
	parsed := make([]*ast.File, len(files))
	other := map[string]bool{}
	for i, f := range files {
		if file, err := parser.ParseFile(fset, f.Name, f.Content, parser.SkipObjectResolution); err == nil {
			parsed[i] = file
			declared(file, other)
		}
	}
	var changed []File
	for i, file := range parsed {
		if file == nil {
			continue
		}
		r := rewriter{other: other, src: files[i].Content, base: fset.File(file.Pos()).Base(), tag: patch.Tag(files[i].Name)}
		ast.Walk(walker{&r, nil}, file)
		if out := r.finish(); out != nil {
			changed = append(changed, File{files[i].Name, out})
		}
	}
	return changed
}

// declared adds the names that n declares, but for those of fields and methods.
func declared(n ast.Node, other map[string]bool) {
	names := func(xs ...ast.Expr) {
		for _, x := range xs {
			if id, ok := x.(*ast.Ident); ok && id != nil {
				other[id.Name] = true
			}
		}
	}
	members := func(list *ast.FieldList) {
		for _, field := range list.List {
			declared(field.Type, other)
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType:
			members(n.Fields)
			return false
		case *ast.InterfaceType:
			members(n.Methods)
			return false
		case *ast.ImportSpec:
			names(n.Name)
		case *ast.FuncDecl:
			if n.Recv == nil {
				names(n.Name)
			}
		case *ast.TypeSpec:
			names(n.Name)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				names(name)
			}
		case *ast.Field:
			for _, name := range n.Names {
				names(name)
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				names(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				names(n.Key, n.Value)
			}
		}
		return true
	})
}

// rewriter rewrites one file.
type rewriter struct {
	other map[string]bool // names that are declared in the package
	src   []byte
	base  int // the file's first position
	tag   string
	edits []patch.Edit
	slice bool // something is cleared
	text  bool // a string is made
}

// walker goes through a file; parent is what the next node is a part of.
type walker struct {
	*rewriter
	parent ast.Node
}

func (w walker) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			return nil // calls make no constants
		}
	case *ast.ArrayType:
		if n.Len != nil {
			ast.Walk(walker{w.rewriter, n}, n.Elt)
			return nil
		}
	case *ast.ParenExpr:
		return w
	case *ast.CallExpr:
		w.call(n)
	}
	return walker{w.rewriter, n}
}

// call lets what a call clears, or the string that it makes, take the way through a function.
func (r walker) call(n *ast.CallExpr) {
	fun, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok || len(n.Args) != 1 || n.Ellipsis.IsValid() || r.other[fun.Name] {
		return
	}
	switch fun.Name {
	case "clear":
		r.slice = true
		r.around(n.Args[0], "detraceSlice")
	case "string":
		if _, constant := ast.Unparen(n.Args[0]).(*ast.BasicLit); !constant && !direct(r.parent) {
			r.text = true
			r.around(n, "detraceText")
		}
	}
}

// direct reports whether the compiler looks at a string that is made of bytes as a part of
// parent before it optimises, and tells of the bytes.
func direct(parent ast.Node) bool {
	switch parent.(type) {
	case *ast.BinaryExpr, *ast.IndexExpr, *ast.SwitchStmt, *ast.RangeStmt:
		return true
	}
	return false
}

// around makes an expression the argument of a function.
func (r *rewriter) around(x ast.Expr, function string) {
	r.edits = append(r.edits, patch.At(int(x.Pos())-r.base, function+r.tag+"("), patch.At(int(x.End())-r.base, ")"))
}

// finish returns the file as it is to be, nil if that is as it was.
func (r *rewriter) finish() []byte {
	if len(r.edits) == 0 {
		return nil
	}
	out := append(patch.Apply(r.src, 0, len(r.src), r.edits), '\n')
	if r.slice {
		out = fmt.Appendf(out, "\n//go:noinline\n//go:norace\nfunc detraceSlice%s[S any](s S) S { return s }\n", r.tag)
	}
	if r.text {
		out = fmt.Appendf(out, "\n//go:noinline\n//go:norace\nfunc detraceText%s(s string) string { return s }\n", r.tag)
	}
	return out
}
