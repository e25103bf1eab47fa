package coalesce

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// A nest that writes no memory may be left early, from blocks that end in a return or a
// jump out of it. It is tried first, without hooks; if it is left then, nothing has come
// of the attempt, and it runs as it was.

// findExits finds the blocks that leave the nest.
func (n *nest) findExits() {
	depth := 0 // of what a break may leave
	var walk func(node ast.Node) bool
	walk = func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			depth++
			ast.Inspect(loopBody(s.(ast.Stmt)), walk)
			depth--
			return false
		case *ast.IfStmt:
			for _, way := range []ast.Stmt{s.Body, s.Else} {
				if block, ok := way.(*ast.BlockStmt); ok && n.leaves(block, depth) {
					n.exits = append(n.exits, block)
				} else if way != nil {
					ast.Inspect(way, walk)
				}
			}
			return false
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
			return false // the nest is refused
		}
		return true
	}
	ast.Inspect(n.stmt, walk)
}

func (n *nest) leaves(block *ast.BlockStmt, depth int) bool {
	if len(block.List) == 0 {
		return false
	}
	switch s := block.List[len(block.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		// Labels inside the nest are refused.
		return s.Label != nil || s.Tok == token.BREAK && depth == 1
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok {
			return false
		}
		fn, ok := n.callee(call.Fun).(*types.Builtin)
		return ok && fn.Name() == "panic"
	}
	return false
}

// either reads one way on from an if statement.
func (n *nest) either(s ast.Stmt, of *ast.IfStmt) {
	if block, ok := s.(*ast.BlockStmt); !ok || !slices.Contains(n.exits, block) {
		n.conditionally(s, of)
	}
}

// staying walks over the nest but for the blocks that leave it.
func (n *nest) staying(f func(ast.Node) bool) {
	ast.Inspect(n.stmt, func(node ast.Node) bool {
		if block, ok := node.(*ast.BlockStmt); ok && slices.Contains(n.exits, block) {
			return false
		}
		return f(node)
	})
}

// leaving is what stands in the place of the blocks that leave the nest.
func (e *emission) leaving() []patch.Edit {
	var all []patch.Edit
	for _, block := range e.exits {
		text := "{ "
		for _, name := range e.usedIn(block) {
			text += "_ = " + name + "; "
		}
		text += "return }" + e.rewriter.line(block.End())
		all = append(all, patch.Over(e.offset(block.Pos()), e.offset(block.End()), text))
	}
	return all
}

// usedIn is the nest's own variables that a block of it uses: elsewhere it may not.
func (e *emission) usedIn(block *ast.BlockStmt) []string {
	var names []string
	ast.Inspect(block, func(node ast.Node) bool {
		if id, ok := node.(*ast.Ident); ok {
			v, ok := e.info.Uses[id].(*types.Var)
			inside := ok && !v.IsField() && v.Pos() >= e.stmt.Pos() && v.Pos() < e.stmt.End() && !(v.Pos() >= block.Pos() && v.Pos() < block.End())
			if inside && !slices.Contains(names, v.Name()) {
				names = append(names, v.Name())
			}
		}
		return true
	})
	return names
}

// returns is the end of the nest as a function.
func (e *emission) returns() string {
	results := e.names(e.outputs)
	if e.mayBeLeft() {
		results = append(results, "true")
	}
	return "return " + strings.Join(results, ", ")
}

// attempt begins what is done when the nest, tried by the call run, was not left.
func (e *emission) attempt(run string) string {
	var declared, results string
	var outs []string
	for i, v := range e.outputs {
		outs = append(outs, fmt.Sprintf("detraceOut%d", i))
		declared += fmt.Sprintf("var %s %s; ", outs[i], e.types[v])
		results += fmt.Sprintf("%s = %s; ", v.Name(), outs[i])
	}
	return fmt.Sprintf("%s%s = %s; if detraceDone { %s", declared, strings.Join(append(outs, "detraceDone"), ", "), run, results)
}
