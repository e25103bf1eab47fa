package coalesce

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A place is where a value is, by the way there from a variable.
type place struct {
	segs   []seg
	typ    types.Type // of the value
	memory bool       // others may reach it
	str    bool       // in a string, which never changes
	// unknown is set for what is in a variable of the function's own that changes.
	unknown bool
}

// A seg is one step of a way: text, or an index.
type seg struct {
	text  string
	index poly // of an index; otherwise nil
	// Of an index: the size of an element, and the length of the array, or "" where the
	// way so far leads to a slice or string, which is followed.
	size   int64
	length string
	// follow is set for the field of what a pointer leads to.
	follow bool
}

// text is the place as a Go expression.
func (p *place) text() string { return segsText(p.segs) }

func segsText(segs []seg) string {
	var b strings.Builder
	for _, s := range segs {
		if s.index != nil {
			fmt.Fprintf(&b, "[%s]", s.index)
		} else {
			b.WriteString(s.text)
		}
	}
	return b.String()
}

// key is the same for equal places.
func (p *place) key() string { return p.text() }

// stable reports whether the place is the same one all through the nest.
func (p *place) stable(n *nest) bool {
	for _, l := range n.loops {
		if l.v != "" && p.mentions(l.v) {
			return false
		}
	}
	return true
}

func (p *place) mentions(v string) bool {
	return slices.ContainsFunc(p.segs, func(s seg) bool { return s.index != nil && s.index.mentions(v) })
}

// header is where the last step begins that leads to other memory: indices from there on
// are steps in one piece of memory.
func (p *place) header() int {
	for i := len(p.segs) - 1; i >= 0; i-- {
		if s := p.segs[i]; s.index != nil && s.length == "" || s.follow {
			return i
		}
	}
	return 0
}

func (p *place) then(s seg, t types.Type) *place {
	return &place{segs: append(slices.Clip(slices.Clone(p.segs)), s), typ: t, memory: p.memory, str: p.str, unknown: p.unknown}
}

// place reads what leads to the place that e names.
func (n *nest) place(e ast.Expr) *place {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := n.info.Uses[e].(*types.Var)
		if !ok {
			n.refuse(e, "%s is no variable", e.Name)
		}
		if p := n.meaning[v]; p != nil {
			return p
		}
		if v.Parent() == n.pkg.Scope() {
			return &place{segs: []seg{{text: n.name(v.Name(), v, e)}}, typ: v.Type(), memory: true}
		}
		shared := !n.own.private(v)
		if shared && !n.reachable(v) {
			n.refuse(e, "%s may be shared", e.Name)
		}
		return &place{segs: []seg{{text: n.name(v.Name(), v, e)}}, typ: v.Type(), memory: shared}
	case *ast.SelectorExpr:
		return n.fieldPlace(e)
	case *ast.IndexExpr:
		return n.indexPlace(e)
	}
	n.refuse(e, "memory that is reached in a way that is not followed")
	return nil
}

// value reads the slice, string, pointer or struct that e is, by which memory is reached.
func (n *nest) value(e ast.Expr) *place {
	p := n.place(e)
	n.touch(p, false, e)
	if v := n.use(e); v != nil && n.assigned[v] > 0 {
		n.refuse(e, "%s changes in the loop", v.Name())
	} else if p.unknown {
		n.refuse(e, "a field of what changes in the loop")
	}
	return p
}

func (n *nest) fieldPlace(e *ast.SelectorExpr) *place {
	s := n.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal {
		n.refuse(e, "%s is no field", e.Sel.Name)
	}
	field := seg{text: "." + e.Sel.Name}
	if !isPointer(n.typeOf(e.X)) {
		p := n.place(e.X)
		n.embedded(s, e)
		p = p.then(field, n.typeOf(e))
		if v := n.use(e.X); v != nil && n.assigned[v] > 0 {
			p.unknown = true
		}
		return p
	}
	p := n.pointer(e.X)
	n.embedded(s, e)
	field.follow = true
	p = p.then(field, n.typeOf(e))
	p.memory = true
	return p
}

// pointer reads a pointer that is followed.
func (n *nest) pointer(e ast.Expr) *place {
	p := n.value(e)
	if !p.stable(n) {
		n.refuse(e, "a pointer that is another one each time")
	}
	n.need(p.text() + " != nil")
	return p
}

// embedded looks at the fields that a selection goes through without naming them.
func (n *nest) embedded(s *types.Selection, e *ast.SelectorExpr) {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if ptr, ok := t.Underlying().(*types.Pointer); ok {
			t = ptr.Elem()
		}
		t = t.Underlying().(*types.Struct).Field(i).Type()
		if isPointer(t) {
			n.refuse(e, "a pointer that is not named is followed")
		}
	}
}

func (n *nest) indexPlace(e *ast.IndexExpr) *place {
	t := n.typeOf(e.X).Underlying()
	length := ""
	var p *place
	var part *part
	var elem types.Type
	switch t := t.(type) {
	case *types.Slice:
		elem = t.Elem()
		if v := n.use(e.X); v != nil && n.parts[v] != nil {
			part = n.parts[v]
			break
		}
		if v := n.use(e.X); v != nil && n.ownParts[v] {
			return n.ownPartElement(e)
		}
		p = n.value(e.X)
	case *types.Basic:
		p, elem = n.value(e.X), types.Typ[types.Byte]
		if t.Info()&types.IsString == 0 {
			n.refuse(e, "an index that is not looked into")
		}
	case *types.Array:
		if n.root(e) != nil {
			return n.ownElement(e, t)
		}
		p, elem, length = n.place(e.X), t.Elem(), fmt.Sprint(t.Len())
		if !p.memory || t.Len() < 2 {
			n.refuse(e, "an array on the stack")
		}
	case *types.Pointer:
		array, ok := t.Elem().Underlying().(*types.Array)
		if !ok {
			n.refuse(e, "an index into a %s", t)
		}
		p, elem, length = n.pointer(e.X), array.Elem(), fmt.Sprint(array.Len())
	default:
		n.refuse(e, "an index into a %s", t)
	}
	index := n.read(e.Index)
	if index == nil {
		return n.scatter(e, p, length, elem)
	}
	if part != nil {
		return part.element(n, index, elem, e)
	}
	q := n.element(p, index, elem, e)
	q.segs[len(q.segs)-1].length = length
	if _, constant := index.constant(); q.stable(n) && !(constant && length != "") {
		// Where it leads to may be looked at before it is known that the nest comes here.
		if length == "" {
			length = "len(" + p.text() + ")"
		}
		n.need(fmt.Sprintf("uint(%s) < uint(%s)", index, length))
	}
	_, q.str = t.(*types.Basic)
	q.memory = !q.str
	return q
}

// need has the guard ask for a condition.
func (n *nest) need(condition string) {
	if !slices.Contains(n.needs, condition) {
		n.needs = append(n.needs, condition)
	}
}

// element is the place of an element of the slice p.
func (n *nest) element(p *place, index poly, elem types.Type, at ast.Node) *place {
	q := p.then(seg{index: index, size: n.prog.sizes.Sizeof(elem)}, elem)
	q.memory = true
	return q
}
