package instrument

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// uninstrumented are the import paths of those packages of b of which the
// detector sees no or not all accesses, sorted: those the compiler never
// instruments, and those with assembly.
func (b *build) uninstrumented() ([]string, error) {
	never, err := neverInstrumented(b.goroot)
	if err != nil {
		return nil, &Error{Reason: fmt.Sprintf("cannot tell which packages %s never instruments: %v; is this a complete Go installation?", b.version, err), Err: err}
	}
	var paths []string
	for _, pkg := range b.all {
		path, _, _ := strings.Cut(pkg.ImportPath, " ") // without " [for.test]"
		if never[path] || len(pkg.SFiles) > 0 {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// neverInstrumented reads the compiler's own lists of packages that it leaves
// alone whatever its flags.
func neverInstrumented(goroot string) (map[string]bool, error) {
	name := filepath.Join(goroot, "src", "cmd", "internal", "objabi", "pkgspecial.go")
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		return nil, err
	}
	never := map[string]bool{}
	// In the second list, a minus takes a package off the first.
	for _, list := range []string{"runtimePkgs", "extraNoInstrumentPkgs"} {
		paths := stringList(file, list)
		if len(paths) == 0 {
			return nil, fmt.Errorf("no list %s in %s", list, name)
		}
		for _, path := range paths {
			path, minus := strings.CutPrefix(path, "-")
			never[path] = !minus
		}
	}
	return never, nil
}

// stringList is the value of the package variable in file that is a slice
// literal of strings, or nil.
func stringList(file *ast.File, variable string) []string {
	var list []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != variable {
			return true
		}
		ast.Inspect(spec, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					list = append(list, s)
				}
			}
			return true
		})
		return false
	})
	return list
}
