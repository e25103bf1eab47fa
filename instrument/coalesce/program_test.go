package coalesce

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/types"
	"io"
	"os/exec"
	"path/filepath"
	"testing"
)

// What a package declares has the types that it has when all of the imports are looked at, those
// that only bodies of functions use as well.
func TestTypesOfImports(t *testing.T) {
	packages := listPackages(t, "net/http")
	all, needed := newProgram(packages), newProgram(packages)
	for _, pkg := range packages {
		if pkg.Path == "unsafe" {
			continue // its source only documents it
		}
		files, _, err := all.parse(pkg, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all.check(pkg, files, &types.Info{})
	}
	if _, err := (importer{needed, Package{}}).Import("net/http"); err != nil {
		t.Fatal(err)
	}
	if n := len(needed.packages); n < 20 || n > len(packages)-20 {
		t.Errorf("looked at %d of %d packages", n, len(packages))
	}
	for path, pkg := range needed.packages {
		want := declarations(all.packages[path])
		for what, is := range declarations(pkg) {
			if is != want[what] {
				t.Errorf("%s.%s is %s, want %s", path, what, is, want[what])
			}
		}
	}
}

// declarations is what a package declares, with types and methods, by name.
func declarations(pkg *types.Package) map[string]string {
	all := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		all[name] = fmt.Sprint(object, object.Type().Underlying())
		if named, ok := object.Type().(*types.Named); ok {
			for method := range named.Methods() {
				all[name] += "\n" + method.String()
			}
		}
	}
	return all
}

// listPackages is a package and all that it needs.
func listPackages(t *testing.T, path string) (packages []Package) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Name,Dir,GoFiles,ImportMap", path)
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			ImportPath, Name, Dir string
			GoFiles               []string
			ImportMap             map[string]string
		}
		if err := dec.Decode(&listed); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		pkg := Package{Path: listed.ImportPath, Name: listed.Name, ImportMap: listed.ImportMap}
		for _, name := range listed.GoFiles {
			pkg.Files = append(pkg.Files, filepath.Join(listed.Dir, name))
		}
		packages = append(packages, pkg)
	}
}
