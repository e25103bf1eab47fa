package instrument

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// A build is one call of [Build], filled step by step.
type build struct {
	*toolchain
	cfg     Config
	temp    string   // for the go command's temporary files
	roots   []listed // the packages that the patterns name
	all     []listed // these and all they need, dependencies first
	overlay string   // for the flag -overlay
}

// compile compiles and links.
func (b *build) compile(ctx context.Context) error {
	if !b.cfg.Test {
		return b.run(ctx, "build", "-v", "-o", b.cfg.Output)
	}
	// "go test" cannot name the packages it compiles; "go list -export"
	// compiles the same ones and can.
	if err := b.run(ctx, "list", "-v", "-export", "-deps", "-test", "-f={{if 0}}{{end}}"); err != nil {
		return err
	}
	return b.run(ctx, "test", "-c", "-vet=off", "-o", b.cfg.Output)
}

// run runs a go command that compiles, and tells cfg.Progress of it.
func (b *build) run(ctx context.Context, verb string, flags ...string) error {
	args := append([]string{verb}, b.flags.args(b.overlay, b.cfg.Tags)...)
	if b.cfg.NoDebug {
		args = append(args, b.flags.noDebug()...)
	}
	cmd := b.command(ctx, b.temp, append(append(args, flags...), b.cfg.Patterns...)...)
	progress := newProgress(b.all, b.cfg.Progress)
	cmd.Stderr = progress
	err := run(ctx, cmd)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return commandError("build "+b.roots[0].ImportPath, progress.rest(), err)
}

// commandError is the error of a go command that was to do something and that
// said output.
func commandError(do, output string, err error) error {
	for _, full := range []error{unix.ENOSPC, unix.EDQUOT} {
		if strings.Contains(output, full.Error()) {
			return &Error{Reason: fmt.Sprintf("cannot %s: %v; free some space, or set TMPDIR and GOCACHE to another disk", do, full), Output: output, Err: full}
		}
	}
	reason := "see the messages above"
	if strings.TrimSpace(output) == "" {
		reason = err.Error()
	} else if trimmed := strings.TrimSpace(output); !strings.Contains(trimmed, "\n") {
		reason, output = trimmed, ""
	}
	return &Error{Reason: fmt.Sprintf("cannot %s: %s", do, reason), Output: output, Err: err}
}
