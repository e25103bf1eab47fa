package instrument

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// supported is what PlanOverlay has been verified against, for errors.
const supported = "Go 1.25 and 1.26 on linux/amd64"

var supportedLanguages = []string{"go1.25", "go1.26"}

// A toolchain is the Go installation that the user's module selects, in the
// form that accepts an overlay of its own standard library.
type toolchain struct {
	goroot  string
	version string // as in runtime.Version
	flags   goflags
	tempDir string // GOTMPDIR, or empty
	dir     string // where the go command runs
}

// resolveToolchain asks the go command on PATH, in dir, which installation
// the module there selects (GOTOOLCHAIN, the toolchain line of go.mod or
// go.work). cache is where a link to it is made when one is needed.
func resolveToolchain(ctx context.Context, dir, cache string) (*toolchain, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, &Error{Reason: fmt.Sprintf("cannot build in %s: %v", dir, cause(err)), Err: err}
	} else if !info.IsDir() {
		return nil, &Error{Reason: fmt.Sprintf("cannot build in %s: not a directory", dir)}
	}
	command, err := exec.LookPath("go")
	if err != nil {
		return nil, &Error{Reason: "no go command on PATH; install Go or add its bin directory to PATH", Err: err}
	}
	env, err := goEnv(ctx, command, dir)
	if err != nil {
		return nil, err
	}
	if err := checkSupported(env); err != nil {
		return nil, err
	}
	flags, err := parseGoflags(env["GOFLAGS"])
	if err != nil {
		return nil, err
	}
	goroot := filepath.Clean(env["GOROOT"])
	if inside(goroot, env["GOMODCACHE"]) {
		if goroot, err = linkGoroot(goroot, cache); err != nil {
			return nil, err
		}
	}
	if _, err := os.Stat(filepath.Join(goroot, "bin", "go")); err != nil {
		return nil, &Error{Reason: fmt.Sprintf("no go command in GOROOT %s; is this a complete Go installation?", goroot), Err: err}
	}
	return &toolchain{goroot, env["GOVERSION"], flags, env["GOTMPDIR"], dir}, nil
}

// goEnv is what "go env" says in dir.
func goEnv(ctx context.Context, command, dir string) (map[string]string, error) {
	cmd := newCommand(ctx, command, dir, nil, "env", "-json",
		"GOROOT", "GOVERSION", "GOOS", "GOARCH", "GOMODCACHE", "GOFLAGS", "GOTMPDIR")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	env := map[string]string{}
	err := run(ctx, cmd)
	if err == nil {
		err = json.Unmarshal(stdout.Bytes(), &env)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &Error{Reason: fmt.Sprintf("go env failed in %s: %s", dir, lastLine(stderr.String(), err)), Output: stderr.String(), Err: err}
	}
	return env, nil
}

// checkSupported refuses a platform or version without a verified overlay.
func checkSupported(env map[string]string) error {
	if env["GOOS"] != "linux" || env["GOARCH"] != "amd64" {
		return &Error{Reason: fmt.Sprintf("only %s is supported; this build is for %s/%s (GOOS, GOARCH)", supported, env["GOOS"], env["GOARCH"])}
	}
	// Experiments and vendors add words after the version.
	number, _, _ := strings.Cut(env["GOVERSION"], " ")
	number, _, _ = strings.Cut(number, "-")
	if !slices.Contains(supportedLanguages, version.Lang(number)) {
		return &Error{Reason: fmt.Sprintf("only %s is supported; this module is built with %s from %s (see GOTOOLCHAIN in go help environment)",
			supported, env["GOVERSION"], env["GOROOT"])}
	}
	return nil
}

// inside reports whether path is dir or below it.
func inside(path, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// linkGoroot is a path to goroot outside the module cache, below which the go
// command accepts no overlay: a symbolic link in cache, made when missing.
func linkGoroot(goroot, cache string) (string, error) {
	sum := sha256.Sum256([]byte(goroot))
	link := filepath.Join(cache, fmt.Sprintf("goroot-%x", sum[:8]))
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", writeError("a link to the Go toolchain", cache, err)
	}
	if err := os.Symlink(goroot, link); err != nil && !errors.Is(err, os.ErrExist) {
		return "", writeError("a link to the Go toolchain", cache, err)
	}
	return link, nil
}

// command is a go command of t. Every one runs the resolved installation and
// no other, with temp as the place of its temporary files.
func (t *toolchain) command(ctx context.Context, temp string, args ...string) *exec.Cmd {
	env := []string{"GOROOT=" + t.goroot, "GOTOOLCHAIN=local", "CGO_ENABLED=0", "GOTMPDIR=" + temp}
	return newCommand(ctx, filepath.Join(t.goroot, "bin", "go"), t.dir, env, args...)
}
