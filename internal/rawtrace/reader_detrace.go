//go:build !judged

package rawtrace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrNotStarted is returned for a file that no program has written to.
var ErrNotStarted = errors.New("the program never wrote its trace")

// Reader reads the events of a file, as often as wanted. Not safe for concurrent use.
type Reader struct {
	name string
	file io.ReadSeeker
	in   *bufio.Reader
	used uint64
	at   uint64
	text []byte // of a Name
}

// Open opens a file whose program has ended. Errors are ErrNotStarted, that it is no such
// file, what the system said, or that the program could not write all of it.
func Open(name string) (*Reader, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotStarted
	}
	if err != nil {
		return nil, err
	}
	r, err := NewReader(name, f)
	if err != nil {
		f.Close()
	}
	return r, err
}

// NewReader is Open for a file that is open. name is for errors.
func NewReader(name string, file io.ReadSeeker) (*Reader, error) {
	r := &Reader{name: name, file: file}
	if err := r.header(); err != nil {
		return nil, err
	}
	return r, r.Rewind()
}

func (r *Reader) header() error {
	page := make([]byte, HeaderSize)
	if _, err := io.ReadFull(r.file, page); err != nil || page[OffMagic] == 0 {
		return ErrNotStarted
	}
	if string(page[:len(Magic)]) != Magic {
		return fmt.Errorf("%s: no raw trace of this detrace", r.name)
	}
	if failed := binary.LittleEndian.Uint32(page[OffFailed:]); failed != 0 {
		return fmt.Errorf("the program could not go on writing its trace to %s: %w", r.name, syscall.Errno(failed))
	}
	if r.used = binary.LittleEndian.Uint64(page[OffUsed:]); r.used%EventSize != 0 {
		return r.damaged()
	}
	return nil
}

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.file.(io.Closer).Close() }

// Rewind goes back to the first event.
func (r *Reader) Rewind() error {
	r.at = HeaderSize
	if _, err := r.file.Seek(HeaderSize, io.SeekStart); err != nil {
		return err
	}
	if r.in == nil {
		r.in = bufio.NewReaderSize(r.file, 1<<18)
	} else {
		r.in.Reset(r.file)
	}
	return nil
}

func (r *Reader) damaged() error {
	return fmt.Errorf("%s: byte %d: the raw trace is damaged", r.name, r.at)
}

func (r *Reader) read(b []byte) error {
	if uint64(len(b)) > r.used-r.at {
		return r.damaged()
	}
	r.at += uint64(len(b))
	if _, err := io.ReadFull(r.in, b); err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

// Next returns the next event that is not Skip, io.EOF after the last one. file is that of a
// Name, valid until the next call.
func (r *Reader) Next() (e Event, file []byte, err error) {
	var b [EventSize]byte
	for e.Kind == Skip {
		if r.at == r.used {
			return Event{}, nil, io.EOF
		}
		if err := r.read(b[:]); err != nil {
			return Event{}, nil, err
		}
		u32 := binary.LittleEndian.Uint32
		e = Event{Kind: Kind(u32(b[0:])), Task: u32(b[4:]), Arg: u32(b[8:]), Place: u32(b[12:]),
			Addr: binary.LittleEndian.Uint64(b[16:]), Size: binary.LittleEndian.Uint64(b[24:])}
	}
	if e.Kind != Name {
		return e, nil, nil
	}
	n := (uint64(e.Arg) + EventSize - 1) &^ (EventSize - 1)
	if n > WindowSize {
		return Event{}, nil, r.damaged()
	}
	r.text = append(r.text[:0], make([]byte, n)...)
	if err := r.read(r.text); err != nil {
		return Event{}, nil, err
	}
	return e, r.text[:e.Arg], nil
}
