package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

const (
	// taskPath is the package whose constructs can be run serially.
	taskPath = module + "/task"
	// serialTag is the build tag under which it does that.
	serialTag = "detrace_serial"
)

// chooseTasks lets package task run the program's tasks serially or in parallel, where it
// can tell of its constructs.
func (b *build) chooseTasks() {
	switch {
	case b.cfg.Parallel:
		b.chooseParallel()
	case !b.cfg.Native && !b.cfg.Test:
		b.chooseSerial()
	}
}

// chooseSerial lets package task run the program's tasks serially when nothing else
// in the program and its modules makes goroutines or makes them wait for each other:
// in a serial run, what waits for another task by a channel or a lock would wait
// forever. The standard library's own goroutines do no harm.
func (b *build) chooseSerial() {
	if b.usesTasks() && !b.someFile(hasConcurrency) {
		b.addTag(serialTag)
	}
}

// usesTasks reports whether package task is in the program.
func (b *build) usesTasks() bool {
	for _, pkg := range b.all {
		if pkg.ImportPath == taskPath {
			return true
		}
	}
	return false
}

// someFile reports whether is says so of a file of the program or its modules; what is of
// this module is not looked at unless it is to be built, nor is a file that is not Go: the go
// command has a better message.
func (b *build) someFile(is func(*ast.File) bool) bool {
	for _, pkg := range b.all {
		if pkg.Standard || strings.HasPrefix(pkg.ImportPath, module+"/") && pkg.DepOnly {
			continue
		}
		for _, name := range pkg.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), pkg.file(name), nil, parser.SkipObjectResolution)
			if err == nil && is(file) {
				return true
			}
		}
	}
	return false
}

func (b *build) addTag(tag string) {
	b.cfg.Tags = append(b.cfg.Tags[:len(b.cfg.Tags):len(b.cfg.Tags)], tag)
}

// waiting are the packages through which tasks can wait for each other, but for sync
// all with what is below them.
var waiting = []string{"sync", "os/signal", "golang.org/x/sync"}

// idle are the names of package context with which nothing ever happens to a context.
var idle = []string{"Background", "TODO", "Context", "WithValue", "Cause"}

// hasConcurrency reports whether a file starts goroutines or names what they wait
// for each other by.
func hasConcurrency(file *ast.File) (found bool) {
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, "\"`")
		if path == "context" && spec.Name != nil {
			return true
		}
		for _, w := range waiting {
			if path == w || w != "sync" && strings.HasPrefix(path, w+"/") {
				return true
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			found = found || ok && pkg.Name == "context" && !slices.Contains(idle, n.Sel.Name)
		}
		return !found
	})
	return found
}
