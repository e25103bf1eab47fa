// Package docs_test checks that what the documentation names is there.
package docs_test

import (
	"bufio"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = ".."

// row is a row of a table of papers.md.
type row struct {
	line    int
	section string
	cells   []string
}

// label is what the paper calls the row.
func (r *row) label() string {
	label, _, _ := strings.Cut(r.cells[0], ":")
	return label
}

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	function = regexp.MustCompile(`^(\(\*?\w+\)\.)?\w+$`)
	isTest   = regexp.MustCompile(`^(Test|Fuzz|Benchmark)[^a-z]`)
)

// Every code span of papers.md names a function, a test, a file or a directory that
// exists; the columns hold what their heads say; and the last table lists the rows
// without a test.
func TestPapers(t *testing.T) {
	tree := tree{}
	untested, listed := map[string]int{}, map[string]int{}
	rows := 0
	for _, r := range read(t, "papers.md") {
		errorf := func(format string, args ...any) {
			t.Helper()
			t.Errorf("papers.md:%d: %s", r.line, fmt.Sprintf(format, args...))
		}
		tested := false
		for column, cell := range r.cells {
			dir := ""
			for _, span := range codeSpan.FindAllStringSubmatch(cell, -1) {
				name, err := tree.resolve(span[1], &dir)
				if err != nil {
					errorf("%v", err)
				}
				test := isTest.MatchString(name)
				tested = tested || column == 2 && test
				if len(r.cells) == 4 && (column == 1 && test || column == 2 && !test) {
					errorf("`%s` is in the wrong column", span[1])
				}
			}
		}
		key := func(section, label string) string { return section + ", " + label }
		switch {
		case slices.Contains(r.cells, ""):
			errorf("an empty cell")
		case r.section == "What nothing checks":
			listed[key(r.cells[0], r.cells[1])] = r.line
		case len(r.cells) == 4:
			rows++
			if !tested {
				untested[key(r.section, r.label())] = r.line
			}
		}
	}
	if rows < 150 {
		t.Errorf("saw %d rows: the reader is broken", rows)
	}
	for _, k := range slices.Sorted(maps.Keys(untested)) {
		if listed[k] == 0 {
			t.Errorf("papers.md:%d: %s has no test and is not in the last table", untested[k], k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(listed)) {
		if untested[k] == 0 {
			t.Errorf("papers.md:%d: %s is in the last table, and is no row without a test", listed[k], k)
		}
	}
}

// read returns the rows of all tables, and every other line as a row of one cell.
func read(t *testing.T, name string) (rows []row) {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section, columns := "", 0
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		switch {
		case strings.HasPrefix(text, "## "):
			section = text[3:]
		case strings.HasPrefix(text, "|--"):
			columns = strings.Count(text, "|") - 1
			rows = rows[:len(rows)-1] // the head
		case strings.HasPrefix(text, "|"):
			cells := strings.Split(strings.Trim(text, "|"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if columns > 0 && len(cells) != columns {
				t.Errorf("%s:%d: %d cells in a table of %d columns", name, n, len(cells), columns)
			}
			rows = append(rows, row{n, section, cells})
		default:
			columns = 0
			if codeSpan.MatchString(text) {
				rows = append(rows, row{n, section, []string{text}})
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// tree is the functions of the directories seen so far: methods as (T).M or (*T).M,
// and whether they are in a test file.
type tree map[string]map[string]bool

// resolve checks that a span names something: "dir Function", "Function" in the
// directory named last, or the path of a file or directory. It returns the function.
func (tr tree) resolve(span string, dir *string) (name string, err error) {
	path, name, pair := strings.Cut(span, " ")
	if !pair && *dir != "" && function.MatchString(span) {
		path, name = *dir, span
	}
	if name == "" {
		_, err := os.Stat(filepath.Join(root, path))
		return "", err
	}
	*dir = path
	functions, err := tr.functions(path)
	if err != nil {
		return "", err
	}
	inTest, ok := functions[name]
	switch {
	case !ok:
		return name, fmt.Errorf("there is no %s in %s", name, path)
	case inTest != isTest.MatchString(name):
		return name, fmt.Errorf("%s in %s is in a test file and no test, or a test and in none", name, path)
	}
	return name, nil
}

// functions parses the Go files of a directory.
func (tr tree) functions(dir string) (map[string]bool, error) {
	if tr[dir] != nil {
		return tr[dir], nil
	}
	files, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err == nil && len(files) == 0 {
		err = &fs.PathError{Op: "find Go files in", Path: dir, Err: errors.New("there are none")}
	}
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				found[nameOf(f)] = strings.HasSuffix(file, "_test.go")
			}
		}
	}
	tr[dir] = found
	return found, nil
}

// nameOf is a function's name with its receiver's type, without type parameters.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver, star := f.Recv.List[0].Type, ""
	if p, ok := receiver.(*ast.StarExpr); ok {
		receiver, star = p.X, "*"
	}
	switch generic := receiver.(type) {
	case *ast.IndexExpr:
		receiver = generic.X
	case *ast.IndexListExpr:
		receiver = generic.X
	}
	return fmt.Sprintf("(%s%s).%s", star, receiver.(*ast.Ident).Name, f.Name.Name)
}
