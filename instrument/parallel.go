package instrument

import (
	"go/ast"
	"strings"
)

const (
	// parallelTag is the build tag under which package task tells of its constructs
	// while its tasks are goroutines.
	parallelTag = "detrace_parallel"
	// futuresTag is added when the program may create futures.
	futuresTag = "detrace_futures"
	// othersTag is added when not only package task makes goroutines or has them wait.
	othersTag = "detrace_others"
)

// chooseParallel lets package task tell of its constructs, if the program uses any.
// Goroutines that the program starts itself are left to the native engine when they use
// constructs too, as are locks and channels.
func (b *build) chooseParallel() {
	if !b.usesTasks() {
		return
	}
	b.addTag(parallelTag)
	futures, others := false, false
	b.someFile(func(file *ast.File) bool {
		futures = futures || createsFutures(file)
		others = others || hasConcurrency(file)
		return futures && others
	})
	if futures {
		b.addTag(futuresTag)
	}
	if others {
		b.addTag(othersTag)
	}
}

// createsFutures reports whether a file names Create of package task, under whatever
// name it imports it.
func createsFutures(file *ast.File) (found bool) {
	as := ""
	for _, spec := range file.Imports {
		if strings.Trim(spec.Path.Value, "\"`") == taskPath {
			as = "task"
			if spec.Name != nil {
				as = spec.Name.Name
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			found = found || ok && as != "" && pkg.Name == as && n.Sel.Name == "Create"
		case *ast.Ident:
			found = found || as == "." && n.Name == "Create"
		}
		return !found
	})
	return found
}
