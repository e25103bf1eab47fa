package detrace_test

import (
	"go/build"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/detrace/detrace/"

// mayImport says, for the first matching prefix of a package's directory, which
// directories of this module it may import. Tests and the second home's files are
// free.
var mayImport = []struct {
	dir     string
	imports []string
}{
	{"reach/reachtest", []string{"reach", "dag", "internal"}},
	{"reach/structtest", []string{"reach", "construct", "event", "dag", "internal"}},
	{"reach/", []string{"reach", "internal"}},
	{"reach", nil},
	{"construct", []string{"reach", "internal"}},
	{"event", []string{"reach", "construct", "internal"}},
	{"dag", []string{"reach", "internal"}},
	{"tp3", []string{"event"}},
	{"task", nil},
	{"sched", nil},
	{"history/historytest", []string{"reach", "reach/structtest", "construct", "event", "dag", "history", "internal"}},
	{"history", []string{"reach", "internal"}},
	{"shadow", []string{"reach", "internal"}},
	{"detect/structured", []string{"reach", "reach/*", "history", "event", "construct", "dag", "detect/engines", "internal"}},
	{"detect/engines", []string{"reach", "reach/*"}},
	{"detect", []string{"reach", "reach/jointree", "detect/engines", "construct", "shadow", "internal"}},
	{"internal/", []string{"internal"}},
	{"race", nil},
	{"report", []string{"race", "reach", "report", "internal"}},
	{"instrument/patch", nil},
	{"instrument/coalesce", []string{"instrument/patch"}},
	{"instrument/told", []string{"instrument/patch"}},
	{"instrument", []string{"instrument/coalesce", "instrument/told"}},
	{"cmd/", []string{"", "instrument", "internal", "race", "reach", "report", "detect/engines", "detect/structured", "event", "tp3", "bench"}},
	{"conformance", []string{"", "instrument", "internal"}},
	{"bench/native", []string{"", "bench/measure", "instrument", "internal"}},
	{"bench/programs", []string{"bench/programs/choice", "task"}},
	{"bench/suite", []string{"bench/suite", "task"}},
	{"bench/engines", []string{"bench/measure", "reach", "reach/*", "construct", "event", "detect/engines", "internal"}},
	{"bench/projection", []string{"reach", "construct", "dag", "internal"}},
	{"bench", []string{"", "bench", "instrument", "race", "reach", "construct", "detect/engines", "internal"}},
	{"e2e", nil},
	{"examples", nil},
	{"", nil},
}

func TestImportsPointOneWay(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); name == "testdata" || name == "probe" || strings.HasPrefix(name, ".") && name != "." {
			return filepath.SkipDir
		}
		pkg, err := build.ImportDir(dir, 0)
		if _, none := err.(*build.NoGoError); none {
			return nil
		}
		if err != nil {
			return err
		}
		seen++
		for _, imported := range pkg.Imports {
			if to, ours := strings.CutPrefix(imported+"/", module); ours && !allowed(filepath.ToSlash(dir), strings.TrimSuffix(to, "/")) {
				t.Errorf("%s imports %s: see mayImport", dir, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 15 {
		t.Fatalf("saw %d packages: the walk is broken", seen)
	}
}

func allowed(dir, imported string) bool {
	for _, rule := range mayImport {
		if !strings.HasPrefix(dir+"/", rule.dir) && dir != rule.dir {
			continue
		}
		for _, to := range rule.imports {
			if imported == to || to == "reach/*" && strings.HasPrefix(imported, "reach/") || to != "" && to != "reach" && strings.HasPrefix(imported, to+"/") {
				return true
			}
		}
		return false
	}
	return false
}
