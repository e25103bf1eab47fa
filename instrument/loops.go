package instrument

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/detrace/detrace/instrument/coalesce"
	"github.com/detrace/detrace/instrument/told"
)

// rewritten is what a directory below Cache/loops says of the program it is named after.
type rewritten struct {
	Replace map[string]string // rewritten files, as in an overlay
	Loops   []coalesce.Loop
}

// rewriteOwn rewrites the sources of the program's own packages: those of the main module and
// of modules that stand beside it. Package told sees to it that all is told; then loops are
// coalesced, unless that is not wanted. What came of it is kept, by all that it depends on.
func (b *build) rewriteOwn() (*rewritten, error) {
	packages, key, err := b.ownPackages()
	if err != nil || packages == nil {
		return &rewritten{}, err
	}
	dir := filepath.Join(b.cfg.Cache, "loops")
	home := filepath.Join(dir, key)
	var c rewritten
	if known, err := os.ReadFile(filepath.Join(home, "loops.json")); err == nil && json.Unmarshal(known, &c) == nil {
		return &c, nil
	}
	result := b.rewrite(packages)
	c = rewritten{map[string]string{}, result.Loops}
	err = publish(dir, home, func(temp string) error {
		for name, content := range result.Files {
			base := fmt.Sprintf("%d-%s", len(c.Replace), filepath.Base(name))
			c.Replace[name] = filepath.Join(home, base)
			if err := writeDated(filepath.Join(temp, base), content); err != nil {
				return err
			}
		}
		all, err := json.Marshal(c)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(temp, "loops.json"), all, 0o666)
	})
	if err != nil {
		return nil, writeError("the rewritten loops", dir, err)
	}
	return &c, nil
}

// rewrite rewrites packages in both ways.
func (b *build) rewrite(packages []coalesce.Package) coalesce.Result {
	all := map[string][]byte{}
	for _, p := range packages {
		if !p.Rewrite {
			continue
		}
		files := make([]told.File, len(p.Files))
		for i, name := range p.Files {
			files[i] = told.File{Name: name, Content: p.Contents[name]}
		}
		for _, f := range told.Rewrite(files) {
			p.Contents[f.Name], all[f.Name] = f.Content, f.Content
		}
	}
	if b.cfg.NoCoalesce {
		return coalesce.Result{Files: all}
	}
	result := coalesce.Rewrite(b.cfg.Dir, packages)
	for name, content := range all {
		if result.Files[name] == nil {
			result.Files[name] = content
		}
	}
	return result
}

// ownPackages is the program's packages, nil if none of its own has anything to rewrite, and a
// hash of all that decides what becomes of them.
func (b *build) ownPackages() ([]coalesce.Package, string, error) {
	h := sha256.New()
	if err := b.writeMaker(h); err != nil {
		return nil, "", err
	}
	fmt.Fprintln(h, b.cfg.Dir, b.cfg.NoCoalesce)
	var packages []coalesce.Package
	wanted := false
	for _, pkg := range b.all {
		if strings.HasSuffix(pkg.ImportPath, ".test") {
			continue // the main function of a test binary, which has no loops
		}
		p := coalesce.Package{Path: pkg.ImportPath, Name: pkg.Name, ImportMap: pkg.ImportMap, Rewrite: pkg.ours(), Contents: map[string][]byte{}}
		fmt.Fprintln(h, pkg.ImportPath, pkg.Dir, pkg.ImportMap, pkg.GoFiles)
		for _, name := range pkg.GoFiles {
			name = pkg.file(name)
			p.Files = append(p.Files, name)
			if !p.Rewrite {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				return nil, "", nil // the go command has a better message
			}
			p.Contents[name] = src
			fmt.Fprintf(h, "%d\n%s\n", len(src), src)
			wanted = wanted || told.Wanted(src) || !b.cfg.NoCoalesce && coalesce.HasLoops(src)
		}
		packages = append(packages, p)
	}
	if !wanted {
		return nil, "", nil
	}
	return packages, fmt.Sprintf("%x", h.Sum(nil)[:12]), nil
}

// ours reports whether the overlay can replace the package's files and may: those in the
// module cache it cannot, and package task runs while its caller's tasks stand still.
func (pkg listed) ours() bool {
	path, _, _ := strings.Cut(pkg.ImportPath, " ") // without " [for.test]"
	if pkg.Standard || path == taskPath || path == module+"/sched" {
		return false
	}
	m := pkg.Module
	return m == nil || m.Main || m.Replace != nil && m.Replace.Version == ""
}

// addReplacements writes an overlay file that has those of an overlay and more.
func (b *build) addReplacements(overlay string, more map[string]string) (string, error) {
	if len(more) == 0 {
		return overlay, nil
	}
	content, err := os.ReadFile(overlay)
	if err != nil {
		return "", err
	}
	var manifest struct{ Replace map[string]string }
	if err := json.Unmarshal(content, &manifest); err != nil {
		return "", fmt.Errorf("%s: %w", overlay, err)
	}
	for name, with := range more {
		manifest.Replace[name] = with
	}
	if content, err = json.Marshal(manifest); err != nil {
		return "", err
	}
	both := filepath.Join(b.temp, "overlay.json")
	if err := os.WriteFile(both, content, 0o666); err != nil {
		return "", &Error{Reason: fmt.Sprintf("cannot write to the temporary directory: %v; set TMPDIR to a directory you can write to", err), Err: err}
	}
	return both, nil
}
