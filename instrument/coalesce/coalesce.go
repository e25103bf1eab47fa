// Package coalesce rewrites Go sources so that loops over slices and arrays have their
// accesses checked together: what a nest of loops touches is told to the detector as a
// few boxes of elements, and the nest runs without a hook at each access. The result is
// exact: the elements told are those that the loops touch, no more and no less.
//
// A nest is rewritten to
//
//	if guard(x...) { tell...; y... = run(x...) } else { the nest as it was }
//
// guard and run are functions that the compiler does not instrument. run is the nest
// itself; guard is true when what was found by looking at the source holds for the
// values at hand: all indices are inside, no pointer is nil, no bound is so large that
// arithmetic could wrap. Then nothing in the nest can stop it half-way: it calls,
// blocks and leaves nowhere, and does not panic. Every tell has the line of the access
// that it stands for, and all other lines keep their numbers. Of what is touched on a
// condition, the nest notes in which rounds it was, and it is told afterwards. A nest that
// writes no memory of others may be left early, or asks on its way whether it would panic: it
// is told afterwards too, and if it is left, nothing is told and it runs again as it was.
//
// All of this is looked at on the source text with its types, in the steps of the files:
// [Program] has the packages, reach.go, own.go, shared.go and pure.go say what is a function's own and what others reach, loop.go,
// body.go, place.go, slice.go, operator.go, attempt.go, exit.go and call.go read a nest, fold.go
// makes boxes of its references, order.go, cover.go and merge.go deal with several of them,
// emit.go and tell.go write it down. scatter.go has elements at indices that are data, copy.go copies of numbers. trail.go and
// trailread.go read a trail, trailemit.go writes it down.
package coalesce

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/detrace/detrace/instrument/patch"
)

// A Loop is a loop of the program and what became of it.
type Loop struct {
	File      string
	Line      int
	Column    int
	Coalesced bool
	// Why is the reason why it was not coalesced.
	Why string `json:",omitempty"`
	// Proven are the references of a coalesced nest and the elements that each touches.
	Proven []string `json:",omitempty"`
	// Inside is set for a loop that is a part of a coalesced nest.
	Inside bool `json:",omitempty"`
}

// A Result is the files that are not as they were, by name, and all loops looked at.
type Result struct {
	Files map[string][]byte
	Loops []Loop
}

// refusal is why a loop cannot be coalesced. The walk over a nest panics with it.
type refusal struct {
	why string
	pos token.Pos
	// data is set if data decide what the loop does, which may be noted.
	data bool
}

// rewriter rewrites one file.
type rewriter struct {
	prog    *Program
	info    *types.Info
	pkg     *types.Package
	fset    *token.FileSet
	file    *ast.File
	src     []byte
	base    int // the file's first position
	own     *locals
	edits   []patch.Edit
	tail    []byte
	tag     string // makes names of this file its own
	nests   int
	noting  bool     // a loop of the file notes what it touches
	copying []string // types of numbers that are copied
	loops   []Loop
}

// function looks at the loops of one function.
func (r *rewriter) function(f *ast.FuncDecl) {
	if f.Body == nil || directives(f.Doc) || generic(f) {
		return
	}
	r.own = newLocals(r.prog, r.info, f)
	r.statements(f.Body)
}

// statements coalesces the outermost nests in n that can be.
func (r *rewriter) statements(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			if body := loopBody(n.Stmt); body != nil {
				r.refused(n.Stmt, refusal{why: "it has a label", pos: n.Pos()})
				r.statements(body)
				return false
			}
		case *ast.ForStmt, *ast.RangeStmt:
			return !r.loop(n.(ast.Stmt))
		case *ast.BlockStmt:
			r.copies(n.List)
		case *ast.CaseClause:
			r.copies(n.Body)
		case *ast.CommClause:
			r.copies(n.Body)
		}
		return true
	})
}

// loop coalesces the nest at s, or says why not.
func (r *rewriter) loop(s ast.Stmt) (done bool) {
	var n *nest
	why := r.try(func() { n = newNest(r, s) })
	if why == nil {
		r.emit(n)
		return true
	}
	var t *trailText
	whyNot := r.try(func() { t = r.prepareTrail(newTrail(r, s)) })
	if whyNot == nil {
		r.emitTrail(t)
		return true
	}
	if why.data {
		why = whyNot
	}
	r.refused(s, *why)
	return false
}

// try returns the refusal that f ends with.
func (r *rewriter) try(f func()) (why *refusal) {
	own := r.own
	defer func() {
		r.own = own // a refusal may come from inside a function that the nest calls
		if e := recover(); e != nil {
			refused, ok := e.(refusal)
			if !ok {
				panic(e)
			}
			why = &refused
		}
	}()
	f()
	return nil
}

func (r *rewriter) refused(s ast.Stmt, why refusal) {
	at := r.fset.Position(s.Pos())
	reason := why.why
	if there := r.fset.Position(why.pos); why.pos.IsValid() && there.Line != at.Line && there.Filename == at.Filename {
		reason = r.prog.relative(there) + ": " + reason
	}
	r.loops = append(r.loops, Loop{File: at.Filename, Line: at.Line, Column: at.Column, Why: reason})
}

func loopBody(s ast.Stmt) *ast.BlockStmt {
	switch s := s.(type) {
	case *ast.ForStmt:
		return s.Body
	case *ast.RangeStmt:
		return s.Body
	}
	return nil
}

// generic reports whether f or its receiver has type parameters.
func generic(f *ast.FuncDecl) bool {
	if f.Type.TypeParams != nil {
		return true
	}
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return false
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch t.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		return true
	}
	return false
}
