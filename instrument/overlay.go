package instrument

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"
)

// Overlay is the judged program's GOROOT as far as it differs from the
// user's: files by path below GOROOT/src, edited or new.
type Overlay struct {
	goroot string
	files  map[string][]byte
}

// PlanOverlay makes the overlay of goroot, whose version is goversion, from
// sources (the detrace module's files that are linked into judged programs).
// It reads the library's sources and writes none. The error is an [*Error] when
// this GOROOT does not have the expected form.
func PlanOverlay(sources fs.FS, goroot, goversion string) (*Overlay, error) {
	files, err := linkedFiles(sources)
	if err != nil {
		return nil, err
	}
	bodies, err := asmBodies(sources)
	if err != nil {
		return nil, err
	}
	edits := slices.Concat(edits, testingEdits, assemblyEdits, quietEdits, kernelEdits)
	for _, file := range editedFiles(edits) {
		src, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(file)))
		if err != nil {
			return nil, &Error{Reason: fmt.Sprintf("cannot instrument %s: %v; is this a complete Go installation?", goversion, err), Err: err}
		}
		if src, err = applyEdits(edits, goversion, file, src); err != nil {
			return nil, err
		}
		if file == raceAsm {
			for _, body := range bodies {
				if src, err = replaceAsm(body, goversion, file, src); err != nil {
					return nil, err
				}
			}
		}
		files[file] = src
	}
	files["runtime/zdetrace_goroot.go"] = gorootFile(goroot)
	if err := addTwins(goroot, files); err != nil {
		return nil, &Error{Reason: fmt.Sprintf("cannot instrument %s: %v; is this a complete Go installation?", goversion, err), Err: err}
	}
	return &Overlay{goroot, files}, nil
}

// gorootFile is a new file of package runtime that says where the library's files are. The go
// command keeps compiled packages of the library by their content, wherever this installation
// is, but those of an overlay name their files by full paths. With this file, another
// installation, or another link to this one, has another runtime, which all others come after.
func gorootFile(goroot string) []byte {
	return fmt.Appendf(nil, "//go:build race\n\npackage runtime\n\nconst detgoroot = %q\n", goroot+"/")
}

// Write puts the overlay in a directory of its own below dir, named by its
// content, and returns the file to give to go's -overlay flag. What is already
// there is not written again. The directory appears whole or not at all, so
// any number of processes may write to one dir, and a failure leaves nothing.
func (o *Overlay) Write(dir string) (string, error) {
	home := filepath.Join(dir, o.hash())
	manifest := filepath.Join(home, "overlay.json")
	if _, err := os.Stat(manifest); err == nil {
		return manifest, nil
	}
	if err := o.writeTo(dir, home); err != nil {
		return "", writeError("the instrumented files", dir, err)
	}
	return manifest, nil
}

func (o *Overlay) writeTo(dir, home string) error {
	return publish(dir, home, func(temp string) error {
		replace := map[string]string{}
		for name, content := range o.files {
			base := strings.ReplaceAll(name, "/", "-")
			if err := writeDated(filepath.Join(temp, base), content); err != nil {
				return err
			}
			replace[filepath.Join(o.goroot, "src", filepath.FromSlash(name))] = filepath.Join(home, base)
		}
		manifest, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(temp, "overlay.json"), manifest, 0o666)
	})
}

// publish makes the directory home in dir, with what fill writes to a temporary one.
func publish(dir, home string, fill func(temp string) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(dir, "new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return err
	}
	err = os.Rename(temp, home)
	// Another process was first with the same content.
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTEMPTY) {
		return nil
	}
	return err
}

// writeDated writes a file with a modification time in the past that depends on
// its content. The go command keeps an index of each package, which it takes
// to be current by names, sizes and times, and does not use it when a file is
// younger than two seconds; but Go 1.25 finds a new package of the standard
// library by the index alone.
func writeDated(name string, content []byte) error {
	if err := os.WriteFile(name, content, 0o666); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	date := time.Unix(1_000_000_000+int64(binary.LittleEndian.Uint32(sum[:])>>4), 0)
	return os.Chtimes(name, date, date)
}

// hash names the overlay by everything that is in it: the GOROOT's path, which
// the manifest holds, and each file.
func (o *Overlay) hash() string {
	names := make([]string, 0, len(o.files))
	for name := range o.files {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", o.goroot)
	for _, name := range names {
		fmt.Fprintf(h, "%q %d\n%s\n", name, len(o.files[name]), o.files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// writeError is the error of not having been able to write what to dir.
func writeError(what, dir string, err error) error {
	advice := "set XDG_CACHE_HOME to a directory you can write to"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		advice = "free some space or set XDG_CACHE_HOME to another disk"
	}
	return &Error{Reason: fmt.Sprintf("cannot write %s to %s: %v; %s", what, dir, err, advice), Err: err}
}
