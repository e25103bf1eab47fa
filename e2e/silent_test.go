package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/detrace/detrace/race"
)

// TestSilent runs correct programs that use much of the standard library from many
// goroutines at once. Nothing may be said of them: what the library orders by its own locks,
// caches and pools is nobody's luck.
func TestSilent(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "testdata", "silent", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs in testdata/silent: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			binary := filepath.Join(dir, name)
			if out, code := command(t, root, nil, detrace, "build", "-o", binary, "./testdata/silent/"+name+".go"); code != 0 {
				t.Fatalf("detrace build: exit code %d\n%s", code, out)
			}
			for run := range 2 * *runs {
				records, rendered := filepath.Join(dir, "records"), filepath.Join(dir, "report.json")
				if err := os.RemoveAll(records); err != nil {
					t.Fatal(err)
				}
				env := []string{"DETRACE_RECORDS=" + records, "DETRACE_QUIET=1", fmt.Sprint("GOMAXPROCS=", 1+run%2)}
				if out, code := command(t, dir, env, binary); code != 0 {
					t.Fatalf("the program ended with %d\n%s", code, out)
				}
				text, _ := command(t, root, nil, detrace, "report", "-binary", binary, "-format", "json="+rendered, "-format", "text", records)
				if r := decode(t, rendered); r.Verdict != race.Determinate {
					t.Errorf("run %d, GOMAXPROCS=%d: verdict %s\n%s", run, 1+run%2, r.Verdict, text)
				}
			}
		})
	}
}
