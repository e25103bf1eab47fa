package event

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxLine is the longest line of a text trace in bytes, and the longest site of a
// binary one.
const maxLine = 1 << 16

// Reader reads the events of a trace, in either form, one after the other. It keeps
// the sites that it has seen and one line: at most 256 KiB and 16 times the bytes
// read. Not safe for concurrent use.
type Reader struct {
	next   func() (Event, error)
	binary bool
	failed error
}

// NewReader reads a trace and finds out which form it has. name is the file's name
// in errors.
func NewReader(name string, in io.Reader) (*Reader, error) {
	buffered := bufio.NewReaderSize(in, maxLine)
	start, err := buffered.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r := new(Reader)
	if len(start) > 0 && start[0] == magic[0] {
		b := &binaryReader{name: name, in: buffered}
		r.next, r.binary, err = b.next, true, b.header()
	} else {
		t := &textReader{name: name, in: buffered, sites: make(map[string]string)}
		r.next, err = t.next, t.header()
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Binary reports whether the trace is in binary form.
func (r *Reader) Binary() bool { return r.binary }

// Next returns the next event, and io.EOF after the last one. Any other error says
// where the trace is malformed; then there is nothing more to read. Next does not know
// which events are possible: see Binder.
func (r *Reader) Next() (Event, error) {
	if r.failed != nil {
		return Event{}, r.failed
	}
	e, err := r.next()
	r.failed = err
	return e, err
}

// check says what no trace can carry, "" if e is well-formed.
func (e Event) check() string {
	if e.Kind == 0 || e.Kind > lastKind {
		return "there is no such kind of event"
	}
	if !e.Kind.Access() {
		return ""
	}
	switch {
	case e.Size == 0:
		return "the size is 0; an access has at least one byte"
	case e.Addr+(e.Size-1) < e.Addr:
		return "the access reaches past the last address, 0xffffffffffffffff"
	case e.Site != "" && e.Kind == Alloc:
		return "an alloc has no site"
	case len(e.Site) > maxLine/2:
		return fmt.Sprintf("the site is longer than %d bytes", maxLine/2)
	case e.Site != "" && e.Site[0] == '#':
		return "a site cannot begin with #, which begins a comment"
	}
	for i := range len(e.Site) {
		if c := e.Site[i]; c <= ' ' || c == 0x7f {
			return "a site has no spaces and no control characters"
		}
	}
	return ""
}
