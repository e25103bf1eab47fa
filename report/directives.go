package report

import (
	"cmp"
	"go/parser"
	"go/token"
	"slices"

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
	faulty    []race.Warning
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
	l := readLayout(set, f)
	for _, group := range f.Comments {
		for _, c := range group.List {
			n.add(set.Position(c.Pos()), c.Text, l, set.Position(group.End()).Line)
		}
	}
	n.findCommuting(set, f)
	return n
}

// add notes a comment; one that stands alone is about the line after its group, and about
// the whole function in the comment of one.
func (n *notes) add(at token.Position, text string, l *layout, groupEnd int) {
	x, fault := parseDirective(text)
	if x == nil && fault == "" {
		return
	}
	pos := race.Pos{File: at.Filename, Line: at.Line}
	line := at.Line
	if !l.code[line] {
		line = groupEnd + 1
	}
	function := l.commented[at.Line]
	if fault == "" {
		fault = l.misplaced(x.Kind, line, function)
	}
	if fault != "" {
		n.faulty = append(n.faulty, race.Warning{Pos: pos, Detail: fault})
		return
	}
	x.Pos = pos
	n.lines[line] = append(n.lines[line], x)
	if function != nil && x.Kind == commutativeDirective {
		n.functions = append(n.functions, declared{function.first, function.last, x})
	}
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

// faulty is the directives, in the files that were looked at, that say nothing.
func (d *directives) faulty() []race.Warning {
	var all []race.Warning
	for _, n := range d.files {
		all = append(all, n.faulty...)
	}
	sortWarnings(all)
	return all
}

// unseen is the directives that say nothing in those of the files that were not looked at.
func (d *directives) unseen(files []string) []race.Warning {
	return Malformed(slices.DeleteFunc(slices.Clone(files), func(file string) bool { return d.files[file] != nil }))
}
