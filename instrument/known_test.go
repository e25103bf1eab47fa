package instrument

import (
	"io/fs"
	"path/filepath"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"github.com/detrace/detrace"
)

// What came of the same sources is found again, unless GOROOT was changed meanwhile.
func TestOverlayIsPlannedOnce(t *testing.T) {
	goroot, version := installation(t, "")
	b := &build{toolchain: &toolchain{goroot: goroot, version: version}, cfg: Config{Sources: detrace.Sources, Cache: t.TempDir()}}
	first, err := b.chooseOverlay()
	if err != nil {
		t.Fatal(err)
	}
	links, err := filepath.Glob(filepath.Join(b.cfg.Cache, "overlay", "of-*"))
	if err != nil || len(links) != 1 || knownOverlay(links[0]) != first {
		t.Fatalf("links %v, want one to %s", links, first)
	}
	if again, err := b.chooseOverlay(); err != nil || again != first {
		t.Errorf("%s, %v; before %s", again, err, first)
	}
	// As if all that it stands for had been written after it.
	if err := unix.Lutimes(links[0], make([]unix.Timeval, 2)); err != nil {
		t.Fatal(err)
	}
	if manifest := knownOverlay(links[0]); manifest != "" {
		t.Errorf("%s is taken to be current", manifest)
	}
	if again, err := b.chooseOverlay(); err != nil || again != first || knownOverlay(links[0]) != first {
		t.Errorf("%s, %v; before %s", again, err, first)
	}
	b.cfg.Sources = changed(t, detrace.Sources, "probe/runtime/ops.go")
	if other, err := b.chooseOverlay(); err != nil || other == first {
		t.Errorf("other sources: %s, %v", other, err)
	}
}

// changed is sources with one line more in a file.
func changed(t *testing.T, sources fs.FS, file string) fs.FS {
	t.Helper()
	all := fstest.MapFS{}
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sources, name)
		if name == file {
			content = append(content, "// more\n"...)
		}
		all[name] = &fstest.MapFile{Data: content}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
