package instrument

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"strings"
)

// A listed is a package as "go list" describes it.
type listed struct {
	ImportPath   string
	Name         string
	Dir          string
	ForTest      string
	Standard     bool
	DepOnly      bool
	GoFiles      []string
	SFiles       []string
	TestGoFiles  []string
	XTestGoFiles []string
	// IgnoredGoFiles are those that CGO_ENABLED=0 or a build tag leaves out.
	IgnoredGoFiles []string
	ImportMap      map[string]string
	Module         *listModule
	Error          *listError
}

// A listModule is the module of a package, as far as it matters where its files are.
type listModule struct {
	Main    bool
	Replace *struct{ Version string }
}

// A listError is why a package could not be loaded.
type listError struct {
	ImportStack []string
	Pos         string
	Err         string
}

const listFields = "-json=ImportPath,Name,Dir,ForTest,Standard,DepOnly,GoFiles,SFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,ImportMap,Module,Error"

// load loads what the patterns name, and finds why it cannot be built before
// the go command is asked to.
func (b *build) load(ctx context.Context) error {
	what := strings.Join(b.cfg.Patterns, " ")
	args := append([]string{"list", "-e", "-deps", listFields}, b.flags.listArgs(b.cfg.Tags)...)
	if b.cfg.Test {
		args = append(args, "-test")
	}
	cmd := b.command(ctx, b.temp, append(args, b.cfg.Patterns...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := run(ctx, cmd); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return commandError("load "+what, stderr.String(), err)
	}
	for dec := json.NewDecoder(&stdout); ; {
		var pkg listed
		if err := dec.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("output of go list: %w", err)
		}
		b.all = append(b.all, pkg)
		if !pkg.DepOnly && pkg.ForTest == "" && !strings.HasSuffix(pkg.ImportPath, ".test") {
			b.roots = append(b.roots, pkg)
		}
	}
	if len(b.roots) == 0 {
		return commandError("load "+what, stderr.String(), errors.New("no packages"))
	}
	return b.check()
}

// check finds errors in what was loaded.
func (b *build) check() error {
	if len(b.roots) > 1 {
		return &Error{Reason: fmt.Sprintf("%s matches %d packages, %s and %s among them; name one",
			strings.Join(b.cfg.Patterns, " "), len(b.roots), b.roots[0].ImportPath, b.roots[1].ImportPath)}
	}
	root := b.roots[0]
	tests := len(root.TestGoFiles) + len(root.XTestGoFiles)
	switch {
	case b.cfg.Test && tests == 0 && root.Error == nil:
		return &Error{Reason: fmt.Sprintf("package %s has no test files", root.ImportPath)}
	case !b.cfg.Test && len(root.GoFiles) == 0 && tests > 0:
		return &Error{Reason: fmt.Sprintf("package %s has only test files, no program; name a main package", root.ImportPath)}
	}
	for _, pkg := range b.all {
		if pkg.Error != nil {
			return pkg.loadError()
		}
	}
	if !b.cfg.Test && root.Name != "main" {
		return &Error{Reason: fmt.Sprintf("package %s is not a program but package %s; name a main package", root.ImportPath, root.Name)}
	}
	return nil
}

// loadError is the error of pkg as one line.
func (pkg listed) loadError() error {
	// The go command continues a line with its advice on the next one.
	reason := strings.Join(strings.Fields(pkg.Error.Err), " ")
	if len(pkg.Error.ImportStack) > 1 && strings.Contains(reason, "import cycle") {
		reason += ": " + strings.Join(pkg.Error.ImportStack, " imports ")
	}
	if pkg.needsCgo() {
		reason = fmt.Sprintf("package %s needs cgo, which detrace builds without (CGO_ENABLED=0)", pkg.ImportPath)
	}
	if pkg.Error.Pos != "" {
		return &Error{Reason: pkg.Error.Pos + ": " + reason}
	}
	return &Error{Reason: fmt.Sprintf("cannot load %s: %s", pkg.ImportPath, reason)}
}

// files are the source files of the program's own packages, each once.
func (b *build) files() []string {
	var files []string
	seen := map[string]bool{}
	for _, pkg := range b.all {
		if !pkg.ours() || strings.HasSuffix(pkg.ImportPath, ".test") {
			continue
		}
		for _, name := range pkg.GoFiles {
			file := pkg.file(name)
			if !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
	}
	return files
}

// file is the path of one of the package's GoFiles.
func (pkg listed) file(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(pkg.Dir, name)
}

// needsCgo reports whether pkg has no files but those that import "C".
func (pkg listed) needsCgo() bool {
	for _, name := range pkg.IgnoredGoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			continue // the go command has a better message
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"C"` {
				return len(pkg.GoFiles) == 0
			}
		}
	}
	return false
}
