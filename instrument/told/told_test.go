package told

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/detrace/detrace/instrument/patch"
)

// body is the statements of a function in a file, and what they become.
type body struct{ what, src, want string }

var bodies = []body{
	{"a slice of known length", "clear(a[:])", "clear(S(a[:]))"},
	{"a map", "clear(m)", "clear(S(m))"},
	{"a key", "delete(m, string(b))", "delete(m, T(string(b)))"},
	{"a string that may be a key once", "s := string(b); _ = m[s]", "s := T(string(b)); _ = m[s]"},
	{"an argument", "use((string)(b))", "use(T((string)(b)))"},
	{"one in the other", "use(string([]byte(string(b))))", "use(T(string([]byte(T(string(b))))))"},
	{"an index", "_ = m[string(b)]", ""},
	{"a part of an index", "_ = n[key{string(b)}]", "_ = n[key{T(string(b))}]"},
	{"a comparison", "_ = (string(b)) == \"x\"", ""},
	{"a concatenation", "_ = \"x\" + string(b)", ""},
	{"a switch", "switch string(b) { case \"x\": }", ""},
	{"a range", "for range string(b) { }", ""},
	{"a constant", "const c = string('x'); _ = c", ""},
	{"a length of an array", "var c [len(string(\"x\"))]int; _ = c", ""},
	{"a literal", "use(string('x'))", ""},
	{"a method", "v.clear(a[:])", ""},
	{"a field", "_ = struct{ clear, string int }{}; clear(a[:])", "_ = struct{ clear, string int }{}; clear(S(a[:]))"},
	{"a variable", "string := func(b []byte) key { return key{} }; _ = n[string(b)]; delete(n, string(b))", ""},
	{"a parameter", "func(clear func([]int)) { clear(a[:]) }(nil)", ""},
}

func source(body string) string {
	return `package p

type key struct{ s string }
type value struct{}

func (value) clear([]int) {}
func use(s string) {}

func f(a *[4]int, b []byte, m map[string]int, n map[key]int, v value) {
	` + body + `
}
`
}

func TestRewrite(t *testing.T) {
	names := strings.NewReplacer("S(", "detraceSlice"+patch.Tag("p.go")+"(", "T(", "detraceText"+patch.Tag("p.go")+"(")
	for _, tt := range bodies {
		src := source(tt.src)
		check(t, tt.what, src)
		changed := Rewrite([]File{{"p.go", []byte(src)}})
		if tt.want == "" {
			if len(changed) > 0 {
				t.Errorf("%s became\n%s", tt.what, changed[0].Content)
			}
			continue
		}
		if len(changed) != 1 || changed[0].Name != "p.go" {
			t.Errorf("%s: %d files changed", tt.what, len(changed))
			continue
		}
		got := string(changed[0].Content)
		if want := source(names.Replace(tt.want)); !strings.HasPrefix(got, want) {
			t.Errorf("%s became\n%s\nand should be\n%s", tt.what, got, want)
		}
		check(t, tt.what, got)
	}
}

// check reports what is wrong with a file.
func check(t *testing.T, what, src string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, 0)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	cfg := types.Config{Importer: importer.Default()}
	if _, err := cfg.Check("p", fset, []*ast.File{file}, nil); err != nil {
		t.Errorf("%s: %v\n%s", what, err, src)
	}
}

// What one file of a package declares counts in all; a file that is no Go does not.
func TestRewritePackages(t *testing.T) {
	use := File{"use.go", []byte(source("clear(a[:]); use(string(b))"))}
	for _, tt := range []struct {
		other, clear, text string
	}{
		{"package p\n\nfunc clear([]int) {}\n", "clear(a[:])", "(string(b))"},
		{"package p\n\ntype string = []byte\n", "(a[:])", "use(string(b))"},
		{"package p\n\nimport clear \"os\"\n", "clear(a[:])", "(string(b))"},
		{"package p\n\nfunc {", "(a[:]))", "(string(b)))"},
		{"package p\n\ntype t struct{}\n\nfunc (t) clear() {}\n", "(a[:]))", "(string(b)))"},
	} {
		changed := Rewrite([]File{{"other.go", []byte(tt.other)}, use})
		if len(changed) != 1 {
			t.Errorf("%q: %d files changed", tt.other, len(changed))
			continue
		}
		for _, want := range []string{tt.clear, tt.text} {
			if !strings.Contains(string(changed[0].Content), want) {
				t.Errorf("%q: no %q in\n%s", tt.other, want, changed[0].Content)
			}
		}
	}
	if !Wanted(use.Content) || Wanted([]byte("package p\n")) {
		t.Error("what is wanted")
	}
}
