package coalesce

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/detrace/detrace/instrument/patch"
)

// few is the number of rounds below which a single loop is not worth the calls.
const few = 8

// fewScattered is the same for a loop that notes indices.
const fewScattered = 24

// emit replaces the nest by its guarded form.
func (r *rewriter) emit(n *nest) {
	e := &emission{nest: n, number: r.nests}
	if why := e.prepare(); why != nil {
		r.refused(n.stmt, *why)
		return
	}
	r.nests++
	for _, fn := range n.follows {
		r.prog.hooked[fn] = true
	}
	at := r.fset.Position(n.stmt.Pos())
	original := r.line(n.stmt.Pos()) + r.text(n.stmt)
	inputs := e.handed()
	var b strings.Builder
	guard := fmt.Sprintf("%s(%s)", e.name("Guard"), strings.Join(inputs, ", "))
	if n.mayBeLeft() {
		fmt.Fprintf(&b, "{ detraceDone := %s; if detraceDone { ", guard)
	} else {
		fmt.Fprintf(&b, "if %s { ", guard)
	}
	for i := range e.branches {
		fmt.Fprintf(&b, "var detraceMask%d [%d]uint64; ", i, maskBits/64)
		inputs = append(inputs, fmt.Sprintf("&detraceMask%d", i))
	}
	b.WriteString(e.scattering())
	for _, name := range e.scatteredNames() {
		inputs = append(inputs, "&"+name)
	}
	run := fmt.Sprintf("%s(%s)", e.name("Run"), strings.Join(inputs, ", "))
	if n.mayBeLeft() {
		fmt.Fprintf(&b, "%s%s%s} }; if !detraceDone { %s } }", e.attempt(run), e.tells(false), e.tells(true), original)
	} else {
		fmt.Fprintf(&b, "%s%s", e.tells(false), r.line(n.stmt.Pos()))
		if len(e.outputs) > 0 {
			fmt.Fprintf(&b, "%s = ", strings.Join(e.names(e.outputs), ", "))
		}
		fmt.Fprintf(&b, "%s; %s} else { %s }", run, e.tells(true), original)
	}
	r.edits = append(r.edits, patch.Over(r.offset(n.stmt.Pos()), r.offset(n.stmt.End()), b.String()))
	r.tail = append(r.tail, e.functions(original)...)
	r.report(n, e.boxes, at)
}

func (r *rewriter) report(n *nest, boxes []*box, at token.Position) {
	l := Loop{File: at.Filename, Line: at.Line, Column: at.Column, Coalesced: true}
	for _, b := range boxes {
		if !b.silent {
			l.Proven = append(l.Proven, fmt.Sprintf("%s: %s", r.prog.relative(r.fset.Position(b.pos)), b))
		}
	}
	for _, s := range n.scattered {
		l.Proven = append(l.Proven, fmt.Sprintf("%s: read elements of %s at indices that are data", r.prog.relative(r.fset.Position(s.expr.Pos())), s.in.text()))
	}
	for _, block := range n.exits {
		l.Proven = append(l.Proven, fmt.Sprintf("%s: if it is left here, it begins again, one by one", r.prog.relative(r.fset.Position(block.Pos()))))
	}
	for _, c := range n.checks {
		l.Proven = append(l.Proven, fmt.Sprintf("%s: %s: then it begins again, one by one", r.prog.relative(r.fset.Position(c.why.pos)), c.asks))
	}
	r.loops = append(r.loops, l)
	for _, inner := range n.loops[1:] {
		at := r.fset.Position(inner.stmt.Pos())
		r.loops = append(r.loops, Loop{File: at.Filename, Line: at.Line, Column: at.Column, Coalesced: true, Inside: true})
	}
}

func (r *rewriter) offset(p token.Pos) int  { return int(p) - r.base }
func (r *rewriter) text(n ast.Node) string  { return string(r.src[r.offset(n.Pos()):r.offset(n.End())]) }
func (r *rewriter) name(what string) string { return "detrace" + what + r.tag }
func (e *emission) name(what string) string {
	return fmt.Sprintf("%s_%d", e.rewriter.name(what), e.number)
}
func (e *emission) names(vs []*types.Var) (names []string) {
	for _, v := range vs {
		names = append(names, v.Name())
	}
	return names
}

// line is the directive that gives the following text the position p.
func (r *rewriter) line(p token.Pos) string {
	at := r.fset.Position(p)
	return fmt.Sprintf("/*line :%d:%d*/", at.Line, at.Column)
}

// An emission is the text of one nest in the making.
type emission struct {
	*nest
	number  int
	boxes   []*box
	inputs  []*types.Var // the function's variables that the nest uses
	outputs []*types.Var // and those it assigns
	consts  []string     // declarations of the function's constants that it uses
	types   map[*types.Var]string
	// branches are those of which something is told, after the nest has run.
	branches []*branch
	covered  int // references of which only borders are told
}

func (e *emission) prepare() (why *refusal) {
	defer func() {
		if x := recover(); x != nil {
			refused, ok := x.(refusal)
			if !ok {
				panic(x)
			}
			why = &refused
		}
	}()
	e.types = map[*types.Var]string{}
	e.variables()
	order(e.refs)
	e.uncovered()
	for _, ref := range e.refs {
		b := fold(ref)
		if b == nil {
			panic(refusal{why: fmt.Sprintf("%s: touched on a condition, and not evenly spaced", segsText(ref.place.segs)), pos: ref.pos})
		}
		e.note(ref)
		for _, p := range b.counts() {
			e.exact(p, e.stmt)
		}
		if len(b.each) > 0 && len(b.each) == len(b.chain) {
			panic(refusal{why: fmt.Sprintf("%s: its elements are not evenly spaced", segsText(ref.place.segs)), pos: ref.pos})
		}
		if b.outside() {
			panic(refusal{why: fmt.Sprintf("%s: an index is outside", segsText(ref.place.segs)), pos: ref.pos})
		}
		e.boxes = append(e.boxes, b)
	}
	if e.mostlyConditional() {
		panic(refusal{why: "most of what it touches depends on conditions", pos: e.stmt.Pos()})
	}
	e.merge()
	return nil
}

// mostlyConditional reports whether more elements are told that are touched on conditions
// than are touched without, or need not be told.
// To note rounds and to look at each of them costs as much as hooks then.
func (e *emission) mostlyConditional() bool {
	balance := -e.covered
	for _, b := range e.boxes {
		switch {
		case b.silent || b.border || !slices.ContainsFunc(b.segs, func(s seg) bool { return s.index != nil }):
		case b.branch != nil:
			balance++
		default:
			balance--
		}
	}
	return balance > 0
}

// outside reports whether an index is a constant that the compiler would not accept.
func (b *box) outside() bool {
	for _, s := range b.segs {
		if s.index == nil {
			continue
		}
		k, ok := s.index.constant()
		if length, err := strconv.ParseInt(s.length, 10, 64); ok && (k < 0 || err == nil && k >= length) {
			return true
		}
	}
	return false
}

// counts are the numbers of rounds which must be above 0 for anything to be touched.
func (b *box) counts() []poly {
	var all []poly
	add := func(p poly) {
		if k, ok := p.constant(); ok && k > 0 || slices.ContainsFunc(all, p.equal) {
			return
		}
		all = append(all, p)
	}
	for _, p := range b.when {
		add(p)
	}
	for _, d := range b.dims {
		add(d.count)
	}
	return all
}

// variables finds what the nest uses of the function around it.
func (e *emission) variables() {
	seen := map[types.Object]bool{}
	e.staying(func(node ast.Node) bool {
		id, ok := node.(*ast.Ident)
		if !ok {
			return true
		}
		obj := e.info.Uses[id]
		if obj == nil || seen[obj] || obj.Parent() == nil || obj.Parent() == types.Universe || obj.Pkg() != e.pkg ||
			obj.Parent() == e.pkg.Scope() || obj.Pos() >= e.stmt.Pos() && obj.Pos() < e.stmt.End() {
			return true
		}
		seen[obj] = true
		switch obj := obj.(type) {
		case *types.Var:
			e.types[obj] = e.typeText(obj.Type(), id)
			e.inputs = append(e.inputs, obj)
			e.nest.name(obj.Name(), obj, id)
			if e.assigned[obj] > 0 && e.own.private(obj) {
				e.outputs = append(e.outputs, obj)
			}
		case *types.Const:
			if obj.Val().Kind() != constant.Int {
				e.refuse(id, "the constant %s is the function's own and no integer", obj.Name())
			}
			declared := ""
			if b, ok := obj.Type().(*types.Basic); !ok || b.Info()&types.IsUntyped == 0 {
				declared = e.typeText(obj.Type(), id)
			}
			e.consts = append(e.consts, fmt.Sprintf("const %s %s = %s; ", obj.Name(), declared, obj.Val().ExactString()))
		case *types.TypeName:
			e.refuse(id, "the type %s is the function's own", obj.Name())
		}
		return true
	})
}

// typeText is a type in the words of the file.
func (e *emission) typeText(t types.Type, at ast.Node) string {
	if size := e.prog.sizes.Sizeof(t); size > 1024 || size > 128 && !isArray(t) {
		e.refuse(at, "a variable of type %s is too large to be handed over", t)
	}
	text := types.TypeString(t, func(p *types.Package) string {
		if p == e.pkg {
			return ""
		}
		for _, spec := range e.file.Imports {
			if imported := e.info.PkgNameOf(spec); imported != nil && imported.Imported() == p && imported.Name() != "_" && imported.Name() != "." {
				return imported.Name()
			}
		}
		e.refuse(at, "the file does not import %s", p.Path())
		return ""
	})
	e.nameable(t, at)
	return text
}

// nameable refuses types that have no name in the file's scope.
func (e *emission) nameable(t types.Type, at ast.Node) {
	switch t := t.(type) {
	case *types.Named:
		obj := t.Obj()
		if obj.Parent() != types.Universe && (obj.Pkg() != nil && obj.Parent() != obj.Pkg().Scope() || obj.Pkg() != e.pkg && !obj.Exported()) || t.TypeArgs().Len() > 0 {
			e.refuse(at, "the type %s has no name here", t)
		}
	case *types.Basic:
	case *types.Pointer:
		e.nameable(t.Elem(), at)
	case *types.Slice:
		e.nameable(t.Elem(), at)
	case *types.Array:
		e.nameable(t.Elem(), at)
	default:
		e.refuse(at, "a variable of type %s", t)
	}
}

// open begins what is done for each round of loops, if anything is touched in it.
func (b *box) open() string {
	var s strings.Builder
	for i, l := range b.each {
		fmt.Fprintf(&s, "for %s, detraceRounds%d := %s, %s; detraceRounds%d > 0; %s, detraceRounds%d = %s%+d, detraceRounds%d-1 { ",
			l.v, i, l.lo, l.count, i, l.v, i, l.v, l.step, i)
	}
	if counts := b.counts(); len(counts) > 0 {
		for i, p := range counts {
			fmt.Fprintf(&s, "%s%s > 0", map[bool]string{true: "if ", false: " && "}[i == 0], p)
		}
		s.WriteString(" { ")
	}
	return s.String()
}

func (b *box) close() string {
	n := len(b.each)
	if len(b.counts()) > 0 {
		n++
	}
	return strings.Repeat(" }", n)
}

// dimensions is the counts and strides in bytes as arguments; of one index, which goes up
// by elements, if seg is not negative.
func (b *box) dimensions(seg int) string {
	var s strings.Builder
	free := maxDims
	if b.whole && seg < 0 {
		fmt.Fprintf(&s, ", %d, 1", amd64.Sizeof(b.place.typ))
		free--
	}
	for i := range free {
		if i >= len(b.dims) {
			s.WriteString(", 1, 0")
			continue
		}
		step := poly{}
		for k, p := range b.dims[i].steps {
			if k == seg {
				step = p
			} else if seg < 0 && p != nil {
				step = step.plus(b.segs[k].size, p)
			}
		}
		fmt.Fprintf(&s, ", %s, %s", b.dims[i].count, step)
	}
	return s.String()
}

// functions is the guard and the nest as functions of their own.
func (e *emission) functions(original string) string {
	var results []string
	params, begin, end := e.taken()
	run := slices.Clone(params)
	for i := range e.branches {
		run = append(run, fmt.Sprintf("detraceMask%d *[%d]uint64", i, maskBits/64))
	}
	for _, name := range e.scatteredNames() {
		run = append(run, fmt.Sprintf("%s *[%d]uintptr", name, 2+mostScattered))
	}
	for i, v := range e.outputs {
		results = append(results, fmt.Sprintf("detraceResult%d %s", i, e.types[v]))
	}
	if e.mayBeLeft() {
		results = append(results, "detraceDone bool")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n//go:norace\nfunc %s(%s) bool { %s%s", e.name("Guard"), strings.Join(params, ", "), strings.Join(e.consts, "")+begin, e.rewriter.line(e.stmt.Pos()))
	for _, condition := range append(e.conditions(), e.roundsFit()...) {
		fmt.Fprintf(&b, "if !(%s) { return false }; ", condition)
	}
	for _, box := range e.boxes {
		if inside := e.inside(box); inside != "" {
			fmt.Fprintf(&b, "%sif !(%s) { return false }%s; ", box.open(), inside, box.close())
		}
	}
	fmt.Fprintf(&b, "return true }\n\n//go:norace\nfunc %s(%s) (%s) { %s%s; %s }\n",
		e.name("Run"), strings.Join(run, ", "), strings.Join(results, ", "), strings.Join(e.consts, "")+begin, e.noting(original), e.lastScattered()+end+e.returns())
	return b.String()
}

// conditions are those under which the numbers of rounds can be computed, and that there
// are any.
func (e *emission) conditions() []string {
	all := slices.Clone(e.needs)
	loopVars := map[string]bool{}
	for _, l := range e.loops {
		loopVars[l.v] = true
	}
	var small []string
	for _, p := range e.bounds {
		for t := range p {
			for _, a := range atoms(t) {
				if !loopVars[a] && !slices.Contains(small, a) {
					small = append(small, a)
				}
			}
		}
	}
	slices.Sort(small)
	bits := e.atomBits()
	for _, a := range small {
		all = append(all, fmt.Sprintf("uint(%s+1<<%d) < 1<<%d", a, bits, bits+1))
	}
	for _, l := range e.least {
		all = append(all, fmt.Sprintf("%s >= %d", l.count, l.least))
	}
	least := 1
	switch {
	case len(e.loops) == 1 && len(e.scattered) > 0:
		least = fewScattered
	case len(e.loops) == 1:
		least = few
	}
	return append(all, fmt.Sprintf("%s >= %d", e.loops[0].count, least))
}

// atomBits is how many bits the atoms of the nest's bounds may have.
func (e *emission) atomBits() int {
	bits := mostAtomBits
	for _, p := range e.bounds {
		for !p.exact(bits) {
			bits--
		}
	}
	return bits
}

// inside is the condition that all indices of a box are inside.
func (e *emission) inside(b *box) string {
	var all []string
	for i, s := range b.segs {
		if s.index == nil {
			continue
		}
		length := s.length
		if length == "" {
			length = "len(" + segsText(b.segs[:i]) + ")"
		}
		all = append(all, fmt.Sprintf("%s(%s, %s%s)", e.rewriter.name("Inside"), length, s.index, b.dimensions(i)))
	}
	return strings.Join(all, " && ")
}

// finish is the rewritten file.
func (r *rewriter) finish() []byte {
	for _, decl := range r.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && r.prog.hooked[r.info.Defs[f.Name]] {
			at := r.offset(f.Pos())
			r.edits = append(r.edits, patch.At(at, "//go:noinline\n//line :"+strconv.Itoa(r.fset.Position(f.Pos()).Line)+":1\n"))
		}
	}
	if len(r.edits) == 0 {
		return nil
	}
	pkg := r.offset(r.file.Name.End())
	r.edits = append(r.edits, patch.At(pkg, "; import detraceunsafe \"unsafe\""))
	out := append(patch.Apply(r.src, 0, len(r.src), r.edits), '\n')
	out = append(out, r.tail...)
	out = append(out, r.copyHelpers()...)
	return fmt.Appendf(out, `
//go:noescape
//go:linkname %[1]s runtime.detraceLoop
func %[1]s(op uint32, base detraceunsafe.Pointer, n0, stride0, n1, stride1, n2, stride2 int)

//go:noescape
//go:linkname %[3]s runtime.detraceMasked
func %[3]s(op uint32, base detraceunsafe.Pointer, mask *[%[4]d]uint64, first, row, plane, n0, stride0, n1, stride1, n2, stride2 int)

//go:noescape
//go:linkname %[5]s runtime.detraceHere
func %[5]s(at *uintptr)

//go:noescape
//go:linkname %[6]s runtime.detraceEither
func %[6]s(op uint32, here uintptr, base detraceunsafe.Pointer, one, other *[%[4]d]uint64, first, n, stride int)

//go:noescape
//go:linkname %[7]s runtime.detraceScattered
func %[7]s(op uint32, base detraceunsafe.Pointer, size uintptr, at *[%[8]d]uintptr)

//go:linkname %[2]s runtime.detraceInside
func %[2]s(length, first, n0, step0, n1, step1, n2, step2 int) bool
`, r.name("Loop"), r.name("Inside"), r.name("Masked"), maskBits/64, r.name("Here"), r.name("Either"), r.name("Scattered"), 2+mostScattered)
}
