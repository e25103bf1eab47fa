package report

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/detrace/detrace/race"
)

// addsOnly reports whether all atomic operations at two places commute with each other:
// additions, or bits set, or bits cleared, of which nobody uses the result.
func (d *directives) addsOnly(first, second race.Pos) bool {
	kind := d.of(first.File).commutes[first.Line]
	return kind != "" && kind == d.of(second.File).commutes[second.Line]
}

// findCommuting finds the lines whose atomic operations are all additions, or all
// ors, or all ands, that are statements of their own.
func (n *notes) findCommuting(set *token.FileSet, f *ast.File) {
	statements := map[*ast.CallExpr]bool{}
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.ExprStmt:
			if call, ok := x.X.(*ast.CallExpr); ok {
				statements[call] = true
			}
		case *ast.DeferStmt:
			statements[x.Call] = true
		case *ast.GoStmt:
			statements[x.Call] = true
		case *ast.CallExpr:
			n.call(set.Position(x.Pos()).Line, set.Position(x.End()).Line, atomicKind(x), statements[x])
		}
		return true
	})
	for line, kind := range n.commutes {
		if kind == mixed {
			delete(n.commutes, line)
		}
	}
}

// mixed marks lines with other operations.
const mixed = "mixed"

func (n *notes) call(line, last int, kind string, statement bool) {
	if kind == "" {
		return
	}
	if old := n.commutes[line]; old != "" && old != kind || !statement || line != last {
		kind = mixed
	}
	n.commutes[line] = kind
}

// atomicKind is what a call may do to a variable atomically, by its name: "" for nothing,
// mixed for what does not commute.
func atomicKind(call *ast.CallExpr) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	for _, name := range []string{"CompareAndSwap", "Swap", "Load", "Store", "Add", "And", "Or"} {
		rest, ok := strings.CutPrefix(sel.Sel.Name, name)
		if !ok || rest != "" && !slices.Contains([]string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"}, rest) {
			continue
		}
		switch name {
		case "Add", "And", "Or":
			return name
		}
		return mixed
	}
	return ""
}
