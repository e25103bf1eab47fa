package main

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// watch adds up CPU time of this process, that of Go's collector included.
type watch struct{ sum, started time.Duration }

func (w *watch) start() { w.started = processTime() }
func (w *watch) stop()  { w.sum += processTime() - w.started }

func processTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic("the system has no clock for the time of a process: " + err.Error())
	}
	return time.Duration(t.Nano())
}

// resident is the memory of this process, now or at its peak since [resetPeak].
func resident(peak bool) int64 {
	field := []byte("VmRSS:")
	if peak {
		field = []byte("VmHWM:")
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic("the system does not say how much memory a process has: " + err.Error())
	}
	for line := range bytes.Lines(status) {
		if rest, ok := bytes.CutPrefix(line, field); ok {
			kB, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
			if err != nil {
				panic(err)
			}
			return kB << 10
		}
	}
	panic("the system does not say how much memory a process has")
}

func resetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }
