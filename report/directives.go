package report

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/detrace/detrace/race"
)

// What a program says about itself, in comments:
//
//	//detrace:ignore WHY        on a line, or alone on the line before it
//	//detrace:commutative WHY   the same, or in the comment of a function
//
// The first takes away every pair and every reason with a place on that line. The second
// says of critical sections, atomic operations and channel operations that their order
// does not matter; it takes a reason away when both of its places are declared so. It
// never takes away a race, nor luck.
const (
	ignoreDirective      = "ignore"
	commutativeDirective = "commutative"
	directivePrefix      = "//detrace:"
)

// directives reads what the sources say.
type directives struct {
	files map[string]*notes
	used  map[race.Pos]*race.Directive
}

func newDirectives() *directives {
	return &directives{files: map[string]*notes{}, used: map[race.Pos]*race.Directive{}}
}

// notes is what one file says.
type notes struct {
	lines     map[int][]*race.Directive // by the line that they are about
	functions []declared
	commutes  map[int]string // lines all of whose atomic operations are of one kind that commutes
	faulty    []race.Directive
}

// declared is a function with a directive.
type declared struct {
	first, last int
	directive   *race.Directive
}

// of returns the notes of a file; one that cannot be read says nothing.
func (d *directives) of(file string) *notes {
	n := d.files[file]
	if n == nil {
		n = readNotes(file)
		d.files[file] = n
	}
	return n
}

func readNotes(file string) *notes {
	n := &notes{lines: map[int][]*race.Directive{}, commutes: map[int]string{}}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil || err != nil {
		return n
	}
	code := map[int]bool{} // lines with more than a comment
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
		default:
			code[set.Position(x.Pos()).Line] = true
			code[set.Position(x.End()).Line] = true
		}
		return true
	})
	for _, group := range f.Comments {
		for _, c := range group.List {
			n.add(set.Position(c.Pos()), c.Text, code, set.Position(group.End()).Line)
		}
	}
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			if x := parseDirective(set.Position(c.Pos()), c.Text); x != nil && x.Kind == commutativeDirective && x.Why != "" {
				n.functions = append(n.functions, declared{set.Position(fn.Pos()).Line, set.Position(fn.End()).Line, x})
			}
		}
	}
	n.findCommuting(set, f)
	return n
}

// parseDirective returns nil for other comments. One that would be a directive but for a
// space in front is of no kind.
func parseDirective(at token.Position, text string) *race.Directive {
	pos := race.Pos{File: at.Filename, Line: at.Line}
	rest, ok := strings.CutPrefix(text, directivePrefix)
	if !ok {
		if spacedDirective.MatchString(text) {
			return &race.Directive{Pos: pos}
		}
		return nil
	}
	rest, _, _ = strings.Cut(rest, "//")
	kind, why, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return &race.Directive{Kind: kind, Pos: pos, Why: strings.TrimSpace(why)}
}

var spacedDirective = regexp.MustCompile(`^//\s+detrace:(` + ignoreDirective + `|` + commutativeDirective + `)\b`)

// add notes a comment; one that stands alone is about the line after its group.
func (n *notes) add(at token.Position, text string, code map[int]bool, groupEnd int) {
	x := parseDirective(at, text)
	switch {
	case x == nil:
		return
	case x.Kind != ignoreDirective && x.Kind != commutativeDirective || x.Why == "":
		n.faulty = append(n.faulty, *x)
		return
	}
	line := at.Line
	if !code[line] {
		line = groupEnd + 1
	}
	n.lines[line] = append(n.lines[line], x)
}

// declares returns the directive of the given kind that is about a place, nil if there is
// none.
func (d *directives) declares(kind string, at race.Pos) *race.Directive {
	if at.File == "" {
		return nil
	}
	n := d.of(at.File)
	for _, x := range n.lines[at.Line] {
		if x.Kind == kind {
			return x
		}
	}
	if kind == commutativeDirective {
		for _, f := range n.functions {
			if f.first <= at.Line && at.Line <= f.last {
				return f.directive
			}
		}
	}
	return nil
}

// use counts that a directive took something away.
func (d *directives) use(x *race.Directive, count uint64) {
	used := d.used[x.Pos]
	if used == nil {
		used = &race.Directive{Kind: x.Kind, Pos: x.Pos, Why: x.Why}
		d.used[x.Pos] = used
	}
	used.Count += count
}

// ignores reports whether one of two places is on a line to be ignored, and counts it.
func (d *directives) ignores(count uint64, at ...race.Pos) bool {
	for _, p := range at {
		if x := d.declares(ignoreDirective, p); x != nil {
			d.use(x, count)
			return true
		}
	}
	return false
}

// commute reports whether two places are declared commutative, and counts it.
func (d *directives) commute(count uint64, first, second race.Pos) bool {
	one, two := d.declares(commutativeDirective, first), d.declares(commutativeDirective, second)
	if one == nil || two == nil {
		return false
	}
	d.use(one, count)
	if two.Pos != one.Pos {
		d.use(two, count)
	}
	return true
}

// list is the directives that took something away, by place.
func (d *directives) list() []race.Directive {
	var all []race.Directive
	for _, x := range d.used {
		all = append(all, *x)
	}
	slices.SortFunc(all, func(x, y race.Directive) int { return cmp.Or(comparePos(x.Pos, y.Pos), cmp.Compare(x.Kind, y.Kind)) })
	return all
}

// faulty is the directives, in the files that were looked at, that say nothing: of unknown
// kinds or without a reason.
func (d *directives) faulty() []race.Directive {
	var all []race.Directive
	for _, n := range d.files {
		all = append(all, n.faulty...)
	}
	slices.SortFunc(all, func(x, y race.Directive) int { return comparePos(x.Pos, y.Pos) })
	return all
}

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
