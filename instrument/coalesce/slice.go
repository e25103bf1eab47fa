package coalesce

import (
	"go/ast"
	"go/types"
)

// A part is what a variable of a nest is that stands for a part of a slice: elements of
// it from an index on.
type part struct {
	of    *place // the slice, which is the same all through the nest
	from  poly
	count poly // does not depend on loops
}

// defineSlice lets a variable that is assigned once stand for a part of a slice: that of
// a slice expression, or of a call that returns one. It reports whether it does.
func (n *nest) defineSlice(id *ast.Ident, e ast.Expr) bool {
	v, ok := n.info.Defs[id].(*types.Var)
	if !ok || n.assigned[v] != 1 {
		return false
	}
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.SliceExpr:
		if !n.ownPart(v, e) {
			n.parts[v] = n.part(e)
		}
		return true
	case *ast.CallExpr:
		fn, ok := n.callee(e.Fun).(*types.Func)
		if !ok {
			return false
		}
		if result := n.prog.returnsPart(fn); result != nil {
			n.follow(e, fn)
			n.parts[v] = n.returned
			return true
		}
	}
	return false
}

// returnsPart is the slice expression that is all of a function; nil if it is none.
func (p *Program) returnsPart(fn *types.Func) *ast.SliceExpr {
	d, ok := p.decls[fn]
	if !ok || len(d.decl.Body.List) != 1 {
		return nil
	}
	ret, ok := d.decl.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil
	}
	e, _ := ast.Unparen(ret.Results[0]).(*ast.SliceExpr)
	return e
}

// part reads a slice expression. That it is inside, and has elements, is for the guard to
// say: of what lies behind the slice's length, but inside its capacity, nothing is known.
func (n *nest) part(e *ast.SliceExpr) *part {
	t, ok := n.typeOf(e.X).Underlying().(*types.Slice)
	if !ok || e.Slice3 {
		n.refuse(e, "a part of other than a slice")
	}
	if v := n.use(e.X); v != nil && n.parts[v] != nil {
		n.refuse(e, "a part of a part of a slice")
	}
	p := &part{of: n.value(e.X), from: intPoly(0)}
	to := atom("len(" + p.of.text() + ")")
	if e.Low != nil {
		p.from = n.read(e.Low)
	}
	if e.High != nil {
		to = n.read(e.High)
	}
	if p.from == nil || to == nil || !p.of.stable(n) {
		n.refuse(e, "a part of a slice that is not followed")
	}
	p.count = to.sub(p.from)
	for _, l := range n.loops {
		if l.v != "" && p.count.mentions(l.v) {
			n.refuse(e, "parts of slices that are not of one length")
		}
	}
	n.exact(p.count, e)
	n.least = append(n.least, atLeast{p.count, 1})
	for _, index := range []poly{p.from, to.add(intPoly(-1))} {
		n.indexInside(n.element(p.of, index, t.Elem(), e), e)
	}
	return p
}

// indexInside has the guard look at an index that touches nothing.
func (n *nest) indexInside(p *place, at ast.Node) {
	n.refs = append(n.refs, &ref{place: p, pos: at.Pos(), chain: n.chain, silent: true})
}

// element is the place of the element of p at an index.
func (p *part) element(n *nest, index poly, elem types.Type, at ast.Node) *place {
	inside := &place{segs: []seg{{index: index, size: 1, length: p.count.String()}}, typ: elem}
	n.indexInside(inside, at)
	return n.element(p.of, p.from.add(index), elem, at)
}
