package instrument

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/detrace/detrace"
)

func TestJudgedSource(t *testing.T) {
	tests := []struct{ name, in, out string }{
		{"imports",
			"package p\n\nimport (\n\t\"github.com/detrace/detrace/internal/offheap\"\n\tr \"github.com/detrace/detrace/reach/jointree\"\n\t\"unsafe\"\n)\n\nvar s = \"github.com/detrace/detrace/reach\"\n",
			"package p\n\nimport (\n\t\"internal/runtime/detrace/offheap\"\n\tr \"internal/runtime/detrace/reach/jointree\"\n\t\"unsafe\"\n)\n\nvar s = \"github.com/detrace/detrace/reach\"\n"},
		{"single import", "package p\nimport \"github.com/detrace/detrace/shadow\"\n", "package p\nimport \"internal/runtime/detrace/shadow\"\n"},
		{"judged", "//go:build judged\n\npackage p\n", "//go:build race\n\npackage p\n"},
		{"judged and version", "//go:build judged && !go1.26\n\npackage p\n", "//go:build race && !go1.26\n\npackage p\n"},
		{"invariants", "//go:build !invariants\n\npackage p // invariants\n", "//go:build !detrace_invariants\n\npackage p // invariants\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := rewriteImports("x.go", rewriteTags([]byte(test.in)))
			if err != nil || string(out) != test.out {
				t.Errorf("got %v\n%s", err, out)
			}
		})
	}
}

// TestPortablePackagesImportOnlyEachOther holds what makes one core with two
// homes possible. What is in probe belongs to packages of the library and may import what they
// may.
func TestPortablePackagesImportOnlyEachOther(t *testing.T) {
	files, err := linkedFiles(detrace.Sources)
	if err != nil {
		t.Fatal(err)
	}
	// math/bits is instructions, not calls: nothing of it runs instrumented.
	portable := map[string]bool{"unsafe": true, "math/bits": true}
	for name := range files {
		portable[path.Dir(name)] = true
	}
	leaves := []string{"internal/runtime/atomic", "internal/runtime/sys", "internal/goarch"}
	for name, src := range files {
		if !strings.HasPrefix(name, judgedRoot+"/") {
			continue // a new file of a package of the library
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			leaf := strings.HasSuffix(name, "_judged.go") && slices.Contains(leaves, imported)
			if !portable[imported] && !leaf {
				t.Errorf("%s imports %s, which is not portable (or not in detrace.Sources)", name, imported)
			}
		}
	}
}

func TestLinkedFilesAreComplete(t *testing.T) {
	files, err := linkedFiles(detrace.Sources)
	if err != nil {
		t.Fatal(err)
	}
	hooks := false
	for name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_detrace.go") {
			t.Errorf("%s must not be linked", name)
		}
		hooks = hooks || strings.HasPrefix(name, "runtime/zdetrace_")
	}
	if !hooks || files[judgedRoot+"/offheap/offheap_judged.go"] == nil || files[judgedRoot+"/reach/jointree/jointree.go"] == nil {
		t.Errorf("hooks, offheap or jointree missing among %d files", len(files))
	}
}
