package report

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/detrace/detrace/race"
)

// Malformed returns a warning for each comment in Go files that was meant as a directive
// and says nothing, by place. A file that cannot be read or parsed has none. Cost: one
// read of each file, and a parse of those with the word in it.
func Malformed(files []string) []race.Warning {
	var all []race.Warning
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err == nil && bytes.Contains(bytes.ToLower(source), []byte("detrace:")) {
			all = append(all, readNotes(file).faulty...)
		}
	}
	sortWarnings(all)
	return all
}

func sortWarnings(all []race.Warning) {
	slices.SortFunc(all, func(x, y race.Warning) int { return cmp.Or(comparePos(x.Pos, y.Pos), cmp.Compare(x.Detail, y.Detail)) })
}

// almostDirective is a comment that is a directive but for its beginning.
var almostDirective = regexp.MustCompile(`^(?i)(//|/\*)\s*(detrace:(` + ignoreDirective + `|` + commutativeDirective + `))\b`)

// parseDirective returns a directive without its place; or what is wrong with one, and what
// to do; or nothing for other comments.
func parseDirective(text string) (x *race.Directive, fault string) {
	rest, ok := strings.CutPrefix(text, directivePrefix)
	if !ok {
		if m := almostDirective.FindStringSubmatch(text); m != nil {
			return nil, fmt.Sprintf("%s is no directive: write //%s, in small letters with no space in front", m[0], strings.ToLower(m[2]))
		}
		return nil, ""
	}
	rest, _, _ = strings.Cut(rest, "//")
	rest = strings.TrimSpace(rest)
	kind, why := rest, ""
	if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
		kind, why = rest[:end], strings.TrimSpace(rest[end:])
	}
	switch {
	case kind != ignoreDirective && kind != commutativeDirective:
		return nil, fmt.Sprintf("%s%s is no directive: write %[1]s%[3]s or %[1]s%[4]s, and why", directivePrefix, kind, ignoreDirective, commutativeDirective)
	case why == "":
		return nil, fmt.Sprintf("%s%s gives no reason: write it behind, on the same line", directivePrefix, kind)
	}
	return &race.Directive{Kind: kind, Why: why}, ""
}

// layout is what there is on the lines of a file. Where it is in doubt, there is something.
type layout struct {
	code      map[int]bool  // more than a comment
	runs      map[int]bool  // code of functions or of what package variables begin with
	syncs     map[int]bool  // calls and operations of channels, or an end where deferred calls run
	commented map[int]*span // lines of the comment of a function
}

// span is the lines of a function.
type span struct{ first, last int }

func readLayout(set *token.FileSet, f *ast.File) *layout {
	l := &layout{map[int]bool{}, map[int]bool{}, map[int]bool{}, map[int]*span{}}
	line := func(p token.Pos) int { return set.Position(p).Line }
	mark := func(lines map[int]bool, at ...token.Pos) {
		for _, p := range at {
			lines[line(p)] = true
		}
	}
	ast.Inspect(f, func(x ast.Node) bool {
		switch x := x.(type) {
		case nil, *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.File:
			return true
		case *ast.FuncDecl:
			l.function(x, line)
		case *ast.FuncLit:
			mark(l.syncs, x.Body.Rbrace)
		case *ast.CallExpr:
			mark(l.syncs, x.Pos(), x.Lparen, x.Rparen)
			if sel, ok := x.Fun.(*ast.SelectorExpr); ok {
				mark(l.syncs, sel.Sel.Pos())
			}
		case *ast.SendStmt:
			mark(l.syncs, x.Pos(), x.Arrow)
		case *ast.UnaryExpr:
			if x.Op == token.ARROW {
				mark(l.syncs, x.Pos())
			}
		case *ast.RangeStmt:
			mark(l.syncs, x.Pos(), x.X.Pos(), x.Body.Rbrace)
		case *ast.SelectStmt, *ast.CommClause, *ast.ReturnStmt:
			mark(l.syncs, x.Pos())
		}
		mark(l.code, x.Pos(), x.End())
		return true
	})
	l.findRunning(f, line)
	return l
}

func (l *layout) function(f *ast.FuncDecl, line func(token.Pos) int) {
	if f.Body != nil {
		l.syncs[line(f.Body.Rbrace)] = true
	}
	if f.Doc == nil {
		return
	}
	for _, c := range f.Doc.List {
		l.commented[line(c.Pos())] = &span{line(f.Pos()), line(f.End())}
	}
}

// findRunning finds the lines with code that runs. The header of a function is none:
// its accesses are those of its statements.
func (l *layout) findRunning(f *ast.File, line func(token.Pos) int) {
	within := func(from, to token.Pos) {
		for i := line(from); i <= line(to); i++ {
			l.runs[i] = l.code[i]
		}
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil && len(decl.Body.List) > 0 {
				within(decl.Body.List[0].Pos(), decl.End())
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if spec, ok := spec.(*ast.ValueSpec); ok && decl.Tok == token.VAR && spec.Values != nil {
					within(spec.Pos(), spec.End())
				}
			}
		}
	}
}

// misplaced says why a directive says nothing about a line, and what to do; "" if it
// does. function is the one whose comment it stands in, if any.
func (l *layout) misplaced(kind string, line int, function *span) string {
	switch {
	case function != nil && kind == commutativeDirective:
	case function != nil && !l.runs[line]:
		return fmt.Sprintf("%s%s in the comment of a function says nothing about its lines: write it at the line to be ignored, or alone on the line before", directivePrefix, kind)
	case !l.runs[line]:
		return fmt.Sprintf("%s%s is about line %d, where nothing runs: write it at the end of the line that it is about, or alone on the line before", directivePrefix, kind, line)
	case kind == commutativeDirective && !l.syncs[line]:
		return fmt.Sprintf("%s%s is about line %d, where there is no lock, atomic operation or message: write it at the line that has one, or in the comment of the function", directivePrefix, kind, line)
	}
	return ""
}
