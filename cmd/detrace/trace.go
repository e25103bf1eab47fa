package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/report"
)

const traceHelp = `  -trace file            write a trace of the run, for 'detrace replay': the constructs of
                         package task, or for goroutines futures and promises that stand
                         for what synchronised; all accesses, but for repetitions; with
                         the bytes at which they begin and their places. In text, or in
                         the compact binary form if the name ends in .dtrace. The program
                         runs slower then, and needs 32 bytes for each of these events in
                         the directory of temporary files (see TMPDIR)
`

// binaryTrace is how the name of a trace in binary form ends.
const binaryTrace = ".dtrace"

// rawTrace is the file that the program writes its trace to, beside its records.
func rawTrace(records string) string { return records + ".trace" }

// traceFile is the file of -trace; nil without one.
type traceFile struct {
	*os.File
	made    bool // there was no such file before
	written bool
}

// openTrace opens the file of -trace, if any. It comes before the build: a file that
// cannot be written is known at once. What is in it stays until there is a trace.
func (r *runFlags) openTrace() (*traceFile, error) {
	if r.trace == "" {
		return nil, nil
	}
	_, err := os.Stat(r.trace)
	t := &traceFile{made: errors.Is(err, os.ErrNotExist)}
	if t.File, err = os.OpenFile(r.trace, os.O_WRONLY|os.O_CREATE, 0o666); err != nil {
		return nil, fmt.Errorf("-trace: %w", err)
	}
	return t, nil
}

// close must be the last call.
func (t *traceFile) close() {
	if t == nil {
		return
	}
	t.File.Close()
	if t.made && !t.written {
		os.Remove(t.Name())
	}
}

// write turns what the program wrote to the file named raw into the trace.
func (t *traceFile) write(raw string) error {
	if t == nil {
		return nil
	}
	in, err := rawtrace.Open(raw)
	if err != nil {
		return fmt.Errorf("there is no trace: %w", err)
	}
	defer in.Close()
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	t.written = true
	if err := t.writeEvents(in, dir); err != nil {
		return fmt.Errorf("the trace in %s is incomplete: %w", t.Name(), err)
	}
	return nil
}

func (t *traceFile) writeEvents(in *rawtrace.Reader, dir string) error {
	if info, err := t.Stat(); err == nil && info.Mode().IsRegular() {
		if err := t.Truncate(0); err != nil {
			return err
		}
	}
	out := event.NewTextWriter(t)
	if strings.HasSuffix(t.Name(), binaryTrace) {
		out = event.NewBinaryWriter(t)
	}
	site := func(file string, line int) string { return traceSite(dir, file, line) }
	if err := event.Convert(in, site, out.Write); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	return t.File.Close()
}

// traceSite is a place in a trace: the name of the file, relative to dir if it is below, with %
// and the code for what a site cannot have, and the line.
func traceSite(dir, file string, line int) string {
	if inside := report.Relative(dir, file); inside != file && filepath.IsLocal(inside) {
		file = inside
	}
	var b strings.Builder
	for i := range len(file) {
		if c := file[i]; c <= ' ' || c == 0x7f || c == '%' || c == '#' && i == 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + ":" + strconv.Itoa(line)
}
