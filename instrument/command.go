package instrument

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// patience is how long a cancelled go command may take to remove what it has
// begun before it is killed.
const patience = 3 * time.Second

// newCommand is a command in a process group of its own, so that cancelling
// ctx ends the compilers it has started as well.
func newCommand(ctx context.Context, path, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir)
	cmd.Env = append(cmd.Env, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
	cmd.WaitDelay = patience
	return cmd
}

// run runs cmd to its end. When ctx is done it returns ctx's error, after
// every process of the command is gone.
func run(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Run()
	if ctx.Err() == nil {
		return err
	}
	if cmd.Process != nil {
		// Those that are left may still write to the directories that the
		// caller is about to remove. Nobody left is the usual case.
		if kill := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); kill != nil && !errors.Is(kill, syscall.ESRCH) {
			return errors.Join(ctx.Err(), kill)
		}
	}
	return ctx.Err()
}

// lastLine is the last line of what a failed command said, or else its error.
func lastLine(output string, err error) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}
