package conformance

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/detrace/detrace/instrument"
)

var goversion = flag.String("goversion", "", "the toolchain to test against, such as go1.25.4, instead of the one in use")

// goroot selects the toolchain of -goversion for this test and everything it
// starts, and returns its GOROOT.
func goroot(t *testing.T) string {
	t.Helper()
	if *goversion != "" {
		t.Setenv("GOTOOLCHAIN", *goversion)
	}
	cmd := exec.Command("go", "env", "GOROOT", "GOMODCACHE")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go env: %v\n%s", err, stderr.Bytes())
	}
	root, modcache, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if strings.HasPrefix(root, modcache+"/") {
		return linkGoroot(t, root)
	}
	return root
}

// linkGoroot makes root, a toolchain in the module cache, the one of this test
// by a path outside. The go command accepts no overlay for files in the module
// cache, and the tests of the standard library are built where they lie.
func linkGoroot(t *testing.T, root string) string {
	t.Helper()
	// Always the same path, because results in the go command's cache depend on it.
	link := filepath.Join(userCache(t), "conformance", filepath.Base(root))
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, link); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	t.Setenv("GOROOT", link)
	t.Setenv("GOTOOLCHAIN", "local")
	t.Setenv("PATH", filepath.Join(link, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return link
}

// buildTests compiles the tests of a package in a directory of the standard
// library (name a pattern, or the files) with the detector in sources, and
// returns the binary. Overlays are kept in cache.
func buildTests(t *testing.T, sources fs.FS, cache, dir string, patterns ...string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "judged.test")
	start := time.Now()
	_, err := instrument.Build(t.Context(), instrument.Config{
		Sources: sources, Cache: cache, Dir: dir, Patterns: patterns, Test: true, NoDebug: true, Output: binary,
	})
	if e := (*instrument.Error)(nil); errors.As(err, &e) {
		t.Fatalf("%s%v", e.Output, e)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("built in %.1f s", time.Since(start).Seconds())
	return binary
}

// userCache is where the detrace command keeps overlays too, so that the go
// command's cache serves both.
func userCache(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "detrace")
}

// execute runs a test binary in dir, with the variables of env added to the
// environment, and returns all it wrote. It is killed after limit, which the
// error says; an exit code is an error too.
func execute(t *testing.T, limit time.Duration, dir string, env []string, binary string, args ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append([]string{"PWD=" + dir}, env...)...)
	cmd.WaitDelay = 5 * time.Second
	start := time.Now()
	out, err := cmd.CombinedOutput()
	t.Logf("ran in %.1f s", time.Since(start).Seconds())
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	return out, err
}

// tail is the end of an output, for a failure's message.
func tail(out []byte) []byte { return out[max(0, len(out)-3000):] }
