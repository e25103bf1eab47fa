// Package instrument builds Go programs so that they judge themselves: with
// the compiler's own race pass and with a runtime in which the detector stands
// behind the race hooks. Sources, go.mod and go.sum are only read.
//
// The runtime is that of the Go installation the user's module selects, seen
// through an overlay which this package generates from it: a few anchored
// edits, and the detector's portable packages as packages of the standard
// library, at internal/runtime/detrace.
package instrument

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/detrace/detrace/instrument/coalesce"
)

// Config says what to build.
type Config struct {
	// Sources are the files linked into judged programs: detrace.Sources.
	Sources fs.FS
	// Cache is a directory of detrace's own that outlives the build, created
	// when missing: overlays are kept there.
	Cache string
	// Dir is where the go command runs.
	Dir string
	// Patterns name exactly one package, or are the .go files of one.
	Patterns []string
	// Tags are build tags in addition to those in GOFLAGS.
	Tags []string
	// Native leaves the tasks of package task goroutines where they could run
	// serially.
	Native bool
	// NoCoalesce leaves a hook at every access in loops.
	NoCoalesce bool
	// Parallel lets package task tell of its constructs while its tasks are
	// goroutines, instead of running them serially.
	Parallel bool
	// Test builds the package's test binary; without it the package must be
	// a main package.
	Test bool
	// NoDebug leaves out of the program what only debuggers read. To write that takes a third of
	// the time of a build whose packages are in the go command's cache.
	NoDebug bool
	// Output is the file to write, relative to Dir. It must not be empty.
	Output string
	// Progress is told, in one line each time and from one goroutine, what a
	// build that takes long is doing. A build whose packages are in the go
	// command's cache says nothing. May be nil.
	Progress func(line string)
}

// A Result describes the program that was built.
type Result struct {
	// GoVersion is the version of the toolchain that was used, and GoRoot the
	// path of its installation as it stands in the program's file names.
	GoVersion, GoRoot string
	// Uninstrumented are the import paths of the program's packages of which
	// the detector sees no or not all accesses, sorted.
	Uninstrumented []string
	// Files are the source files of the program's own packages, those of the main module and of
	// modules that stand beside it, in the order of packages.
	Files []string
	// Loops are the loops of the program's own packages, in the order of packages and
	// files, and which of them have their accesses checked together. Empty with
	// NoCoalesce.
	Loops []coalesce.Loop
}

// Build builds the program of cfg. When it cannot, because of the program, the
// installation or the system, the error is an [*Error]; when ctx is done it is
// ctx's. The go command runs in a process group of its own: the caller turns
// signals into the end of ctx. No temporary file is left behind in any case.
func Build(ctx context.Context, cfg Config) (_ *Result, err error) {
	t, err := prepare(ctx, &cfg)
	if err != nil {
		return nil, err
	}
	if err := checkOutput(cfg); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp(t.tempDir, "detrace-build-*")
	if err != nil {
		return nil, &Error{Reason: fmt.Sprintf("cannot create a temporary directory: %v; set TMPDIR to a directory you can write to", err), Err: err}
	}
	defer os.RemoveAll(temp)
	b := &build{toolchain: t, cfg: cfg, temp: temp}
	if err := b.load(ctx); err != nil {
		return nil, err
	}
	b.chooseTasks()
	if b.overlay, err = b.chooseOverlay(); err != nil {
		return nil, err
	}
	own, err := b.rewriteOwn()
	if err != nil {
		return nil, err
	}
	if b.overlay, err = b.addReplacements(b.overlay, own.Replace); err != nil {
		return nil, err
	}
	if err := b.compile(ctx); err != nil {
		return nil, err
	}
	uninstrumented, err := b.uninstrumented()
	if err != nil {
		return nil, err
	}
	return &Result{t.version, t.goroot, uninstrumented, b.files(), own.Loops}, nil
}

// prepare makes the directory of cfg absolute, looks at its patterns, and finds the
// toolchain that serves there.
func prepare(ctx context.Context, cfg *Config) (t *toolchain, err error) {
	if cfg.Dir, err = filepath.Abs(cfg.Dir); err != nil {
		return nil, err
	}
	if err := checkPatterns(*cfg); err != nil {
		return nil, err
	}
	return resolveToolchain(ctx, cfg.Dir, cfg.Cache)
}

// checkPatterns finds patterns that the go command would misunderstand.
func checkPatterns(cfg Config) error {
	for _, pattern := range cfg.Patterns {
		if strings.HasPrefix(pattern, "-") {
			return &Error{Reason: fmt.Sprintf("%q is not a package", pattern)}
		}
		if !strings.HasSuffix(pattern, ".go") {
			continue
		}
		if _, err := os.Stat(cfg.path(pattern)); err != nil {
			return &Error{Reason: fmt.Sprintf("cannot load %s: %v", pattern, cause(err)), Err: err}
		}
	}
	return nil
}

// path is name as the go command sees it, which runs in Dir.
func (cfg Config) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(cfg.Dir, name)
}

// cause is err without the operation and path that os functions add.
func cause(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// checkOutput finds what would only be found after everything is compiled.
func checkOutput(cfg Config) error {
	output := cfg.path(cfg.Output)
	dir := filepath.Dir(output)
	if info, err := os.Stat(output); err == nil && info.IsDir() {
		dir = output
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	if err == nil {
		err = unix.Access(dir, unix.W_OK|unix.X_OK)
	}
	if err != nil {
		return &Error{Reason: fmt.Sprintf("cannot write the program to %s: %s: %v", cfg.Output, dir, cause(err)), Err: err}
	}
	return nil
}
