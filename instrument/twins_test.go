package instrument

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/detrace/detrace"
)

// TestTwins looks at what the files of an overlay import: of the library beside the runtime
// none the package that has a twin, and the twins not each other's originals.
func TestTwins(t *testing.T) {
	for _, toolchain := range []string{"", "go1.25.4"} {
		t.Run("toolchain="+toolchain, func(t *testing.T) {
			goroot, version := installation(t, toolchain)
			overlay, err := PlanOverlay(detrace.Sources, goroot, version)
			if err != nil {
				t.Fatal(err)
			}
			redirected := 0
			for name, src := range overlay.files {
				if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "runtime/") || strings.HasPrefix(name, judgedRoot) {
					continue
				}
				file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
				if err != nil {
					t.Fatal(err)
				}
				for _, spec := range file.Imports {
					imported, err := strconv.Unquote(spec.Path.Value)
					switch {
					case err != nil:
						t.Fatal(err)
					case slices.Contains(twinned, imported):
						t.Errorf("%s imports %s", name, imported)
					case strings.HasPrefix(imported, twinRoot+"/"):
						redirected++
					}
				}
			}
			own, ok := overlay.files[twinRoot+"/byteorder/byteorder.go"]
			if !ok || redirected < 10 {
				t.Errorf("%s has %d imports of twins, and its own of byteorder: %v", version, redirected, ok)
			}
			original := filepath.Join(goroot, "src", "internal", "byteorder", "byteorder.go")
			if !strings.HasPrefix(string(own), "//line "+original+":1\n") {
				t.Errorf("the twin of %s begins with %.80q", original, own)
			}
		})
	}
}
