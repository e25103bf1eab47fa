package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/detrace/detrace/race"
)

// runProgram runs the judged program of cmd to its end. Signals that would end this
// process are passed on instead, so that what the program has found is still
// reported; stop gives them their ordinary meaning back and must be called in any
// case. interrupted says that there was one.
func runProgram(cmd *exec.Cmd) (ended *race.Program, interrupted bool, stop func(), err error) {
	signals := make(chan os.Signal, 8)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		// One that is ignored (nohup) stays so for the program too.
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	stop = func() { signal.Stop(signals) }
	if err := cmd.Start(); err != nil {
		return nil, false, stop, err
	}
	done, came := make(chan struct{}), make(chan bool)
	go func() { came <- forward(signals, cmd.Process, done) }()
	err = cmd.Wait()
	close(done)
	interrupted = <-came
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && cmd.ProcessState == nil {
		return nil, interrupted, stop, err
	}
	return endOf(cmd.ProcessState), interrupted, stop, nil
}

// forward passes signals on until done, and reports whether there were any.
func forward(signals <-chan os.Signal, p *os.Process, done <-chan struct{}) (any bool) {
	for {
		select {
		case s := <-signals:
			any = true
			typed := s == syscall.SIGINT || s == syscall.SIGQUIT
			if !typed || !inForeground() {
				p.Signal(s) // fails only when the program has ended
			}
		case <-done:
			return any
		}
	}
}

// inForeground reports whether a key that sends a signal sends it to the
// program too, as a member of the terminal's foreground process group.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

func endOf(state *os.ProcessState) *race.Program {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return &race.Program{ExitCode: -1, Signal: unix.SignalName(status.Signal())}
	}
	return &race.Program{ExitCode: state.ExitCode()}
}
