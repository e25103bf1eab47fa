package coalesce

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// Loops tell of the first byte of each number, and so do hooks. Of what the runtime copies all bytes are told,
// as it does not know of what they are: then the bytes of a number have two histories, and lines that loops go over
// are split. So a copy of numbers is told of as the two loops that it is.

// copies rewrites those of the statements, which follow each other, that copy numbers.
func (r *rewriter) copies(statements []ast.Stmt) {
	for _, s := range statements {
		expr, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := ast.Unparen(expr.X).(*ast.CallExpr)
		if !ok {
			continue
		}
		if number := r.copied(call); number != nil {
			if !slices.Contains(r.copying, number.Name()) {
				r.copying = append(r.copying, number.Name())
			}
			text := fmt.Sprintf("if detraceN, detraceBytes, detraceTo, detraceFrom := %s%s(%s, %s); detraceN > 0 { %s%[6]s(1, detraceFrom, detraceN, %[7]d, 1, 0, 1, 0); "+
				"%[6]s(2, detraceTo, detraceN, %[7]d, 1, 0, 1, 0); %[8]s(detraceTo, detraceFrom, detraceBytes) }",
				r.name("Ends"), number.Name(), r.text(call.Args[0]), r.text(call.Args[1]), r.line(s.Pos()), r.name("Loop"), r.prog.sizes.Sizeof(number), r.name("Move"))
			r.edits = append(r.edits, patch.Over(r.offset(s.Pos()), r.offset(s.End()), text))
		}
	}
}

// copied is the type of the numbers that a call copies; nil if it copies none, they are of one byte or of two
// words, their type has a name of its own, or there are functions in the call, which may have loops.
func (r *rewriter) copied(call *ast.CallExpr) (number *types.Basic) {
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || len(call.Args) != 2 {
		return nil
	}
	if b, ok := r.info.Uses[name].(*types.Builtin); !ok || b.Name() != "copy" {
		return nil
	}
	for _, arg := range call.Args {
		t, ok := r.info.TypeOf(arg).Underlying().(*types.Slice)
		if !ok {
			return nil
		}
		number, ok = t.Elem().(*types.Basic)
		if !ok || number.Info()&types.IsNumeric == 0 {
			return nil
		}
	}
	if size := r.prog.sizes.Sizeof(number); size == 1 || size > 8 {
		return nil
	}
	if r.pkg.Scope().Lookup(number.Name()) != nil || r.pkg.Scope().Lookup("uintptr") != nil {
		return nil
	}
	ast.Inspect(call, func(node ast.Node) bool {
		if _, ok := node.(*ast.FuncLit); ok {
			number = nil
		}
		return true
	})
	return number
}

// copyHelpers are the functions that rewritten copies call: where the numbers are and how many, and the copy.
func (r *rewriter) copyHelpers() string {
	if len(r.copying) == 0 {
		return ""
	}
	var b strings.Builder
	for _, number := range r.copying {
		fmt.Fprintf(&b, `
//go:norace
func %[1]s%[2]s(to, from []%[2]s) (n int, bytes uintptr, begin, of detraceunsafe.Pointer) {
	if n = len(to); n > len(from) {
		n = len(from)
	}
	if n > 0 {
		begin, of = detraceunsafe.Pointer(&to[0]), detraceunsafe.Pointer(&from[0])
	}
	return n, uintptr(n) * detraceunsafe.Sizeof(%[2]s(0)), begin, of
}
`, r.name("Ends"), number)
	}
	fmt.Fprintf(&b, `
//go:noescape
//go:linkname %[1]s runtime.memmove
func %[1]s(to, from detraceunsafe.Pointer, bytes uintptr)
`, r.name("Move"))
	return b.String()
}
