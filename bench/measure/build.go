// Package measure builds programs without a detector, with Go's and with detrace's, and
// says what a process of them takes.
package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/detrace/detrace"
	"github.com/detrace/detrace/instrument"
)

// A Tool is what a program is built with.
type Tool int

// The tools.
const (
	Plain Tool = iota
	Race       // go build -race
	Judged
	Single // as Judged, with the accesses of loops checked one by one
	Tools  // how many there are
)

// Binaries are the programs that one main package was built to, by tool. An empty name
// means that this machine cannot build it so.
type Binaries [Tools]string

// A Builder builds main packages below Out, one at a time.
type Builder struct {
	Out string
	// Progress is told what a build is doing that takes long. May be nil.
	Progress func(line string)
	// Parallel says that judged programs run tasks of package task in parallel.
	Parallel bool
	// NoRace says why there is no "go build -race" here; empty until one failed.
	NoRace string
	// Single asks for the tool Single.
	Single bool
}

// ModuleRoot is the directory of this module, whose programs are built from there.
func ModuleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/detrace/detrace").Output()
	if err != nil || strings.TrimSpace(string(out)) == "" {
		return "", errors.New("run this from inside the detrace module")
	}
	return strings.TrimSpace(string(out)), nil
}

// Build builds the main package in dir with all tools. The error is about the plain
// program or the judged one; that of -race is kept in NoRace.
func (b *Builder) Build(ctx context.Context, dir string) (Binaries, error) {
	base := filepath.Join(b.Out, filepath.Base(dir))
	v := Binaries{base + ".plain", base + ".race", base + ".detrace", ""}
	if b.Parallel {
		v[Judged] += ".parallel"
	}
	b.say("building " + filepath.Base(dir))
	if out, err := goBuild(ctx, dir, v[Plain], "CGO_ENABLED=0"); err != nil {
		return v, fmt.Errorf("cannot build %s: %w\n%s", dir, err, out)
	}
	if !b.race(ctx, dir, v[Race]) {
		v[Race] = ""
	}
	err := b.judged(ctx, dir, v[Judged], true)
	if err == nil && b.Single {
		v[Single] = v[Judged] + ".single"
		err = b.judged(ctx, dir, v[Single], false)
	}
	return v, err
}

// judged builds with detrace.
func (b *Builder) judged(ctx context.Context, dir, binary string, coalesce bool) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	compiling := false
	_, err = instrument.Build(ctx, instrument.Config{
		Sources: detrace.Sources, Cache: filepath.Join(cache, "detrace"), Dir: dir, Patterns: []string{"."}, Output: binary,
		NoCoalesce: !coalesce,
		Parallel:   b.Parallel,
		Progress: func(line string) {
			if !compiling {
				b.say(line)
			}
			compiling = true
		},
	})
	return err
}

// race builds with Go's race detector, which needs a C compiler.
func (b *Builder) race(ctx context.Context, dir, binary string) bool {
	if b.NoRace != "" {
		return false
	}
	out, err := goBuild(ctx, dir, binary, "CGO_ENABLED=1", "-race")
	if err != nil && ctx.Err() == nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		b.NoRace = "go build -race failed: " + first
		b.say("nothing will be measured with Go's race detector: " + b.NoRace)
	}
	return err == nil
}

func (b *Builder) say(line string) {
	if b.Progress != nil {
		b.Progress(line)
	}
}

func goBuild(ctx context.Context, dir, binary, env string, flags ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", binary}, flags...), ".")...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env)
	return cmd.CombinedOutput()
}
