package instrument

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// twinned are packages of the library that the compiler never instruments, as the runtime uses
// them, though others give them memory of the program: strconv.AppendInt the slice it appends
// to. A judged program has a twin of each, a copy under another path, and the library beside
// the runtime imports that.
var twinned = []string{"internal/byteorder", "internal/strconv"}

// twinRoot is where the twins are, below GOROOT/src.
const twinRoot = "internal/detrace"

// twin is the path of the twin of the package called imported, if that has one.
func twin(imported string) (string, bool) {
	return twinRoot + "/" + path.Base(imported), slices.Contains(twinned, imported)
}

// addTwins adds to files, by path below GOROOT/src, the twins of those packages that this
// GOROOT has, and whatever of the library imports them, as it is in files or, if not there,
// in goroot.
func addTwins(goroot string, files map[string][]byte) error {
	for _, pkg := range twinned {
		names, err := filepath.Glob(filepath.Join(goroot, "src", filepath.FromSlash(pkg), "*.go"))
		if err != nil {
			return err
		}
		at, _ := twin(pkg)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if src, err = redirectImports(name, src, twin); err != nil {
				return err
			}
			// Reports name the file that there is.
			files[at+"/"+filepath.Base(name)] = append([]byte("//line "+name+":1\n"), src...)
		}
	}
	src := os.DirFS(filepath.Join(goroot, "src"))
	return fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // changed meanwhile
		case err != nil:
			return err
		case d.IsDir() && keepsImports(name):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, edited := files[name]
		if !edited {
			if text, err = fs.ReadFile(src, name); err != nil {
				return err
			}
		}
		if !bytes.Contains(text, []byte(`"internal/`)) {
			return nil
		}
		redirected, err := redirectImports(name, text, twin)
		if err == nil && len(redirected) != len(text) {
			files[name] = redirected
		}
		return err
	})
}

// keepsImports reports whether what is in the directory dir, below GOROOT/src, imports what it
// did: the runtime and what may be below it, and what is no part of the library.
func keepsImports(dir string) bool {
	return slices.Contains([]string{"cmd", "internal", "runtime", "vendor"}, dir) || path.Base(dir) == "testdata"
}

// redirectImports gives the imports of src another path, where there is one.
func redirectImports(name string, src []byte, another func(imported string) (string, bool)) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	// From the end, so that the offsets before it stay true.
	for _, spec := range slices.Backward(file.Imports) {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if to, ok := another(imported); ok {
			lo, hi := fset.Position(spec.Path.Pos()).Offset, fset.Position(spec.Path.End()).Offset
			src = slices.Concat(src[:lo], []byte(strconv.Quote(to)), src[hi:])
		}
	}
	return src, nil
}
