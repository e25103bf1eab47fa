package instrument

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// chooseOverlay is the file for go's -overlay flag, of cfg.Sources in the toolchain's GOROOT. To
// plan it reads all of the library, so a link beside the overlays says which one came of the
// same sources, GOROOT and program before.
func (b *build) chooseOverlay() (string, error) {
	dir := filepath.Join(b.cfg.Cache, "overlay")
	key, err := b.overlayKey()
	if err != nil {
		return "", err
	}
	link := filepath.Join(dir, "of-"+key)
	if manifest := knownOverlay(link); manifest != "" {
		return manifest, nil
	}
	plan, err := PlanOverlay(b.cfg.Sources, b.goroot, b.version)
	if err != nil {
		return "", err
	}
	manifest, err := plan.Write(dir)
	if err != nil {
		return "", err
	}
	// Whoever comes next plans again if this fails.
	if err := os.Remove(link); err == nil || errors.Is(err, fs.ErrNotExist) {
		_ = os.Symlink(filepath.Base(filepath.Dir(manifest)), link)
	}
	return manifest, nil
}

// overlayKey is a hash of all that decides what PlanOverlay makes, but for what somebody may
// have changed in GOROOT.
func (b *build) overlayKey() (string, error) {
	h := sha256.New()
	if err := b.writeMaker(h); err != nil {
		return "", err
	}
	err := fs.WalkDir(b.cfg.Sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(b.cfg.Sources, name)
		fmt.Fprintf(h, "%q %d\n%s\n", name, len(content), content)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)[:12]), err
}

// writeMaker writes which program makes something of which GOROOT.
func (b *build) writeMaker(w io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	info, err := os.Stat(self)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, self, info.Size(), info.ModTime().UnixNano(), b.version, b.goroot)
	return nil
}

// knownOverlay is the overlay that a link leads to, empty if there is none, or if a file that
// it stands for is younger than the link.
func knownOverlay(link string) string {
	info, err := os.Lstat(link)
	if err != nil {
		return ""
	}
	home, err := os.Readlink(link)
	if err != nil {
		return ""
	}
	manifest := filepath.Join(filepath.Dir(link), home, "overlay.json")
	content, err := os.ReadFile(manifest)
	var overlay struct{ Replace map[string]string }
	if err != nil || json.Unmarshal(content, &overlay) != nil {
		return ""
	}
	for name := range overlay.Replace {
		if changedSince(name, info.ModTime()) {
			return ""
		}
	}
	return manifest
}

// changedSince reports whether a file was written, or put in place, after some time. One that is
// not there was not.
func changedSince(name string, then time.Time) bool {
	info, err := os.Stat(name)
	return err == nil && info.ModTime().After(then)
}
