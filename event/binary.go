package event

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// The binary form: magic, a byte with the version, one record per event, the end.
//
// A record is a byte head, whose low bits are the kind, and then, in this order,
//
//	how many lines after the last event it stands    only with the flag skips; else 1
//	the task                                         only without the flag sameTask
//	for a kind with an argument:  the argument less the one before, signed
//	for an access:                the address less the end of the last access, signed
//	                              the size
//	                              only with the flag sited: 0, the length of a new site and
//	                              the site; or the number of an earlier one, from 1
//
// as varints of encoding/binary. The end is a head of 0, the number of events, and
// the CRC-32 (IEEE) of all bytes before the sum, four bytes little-endian. Nothing may
// follow. Lines are counted as in a text trace, where the first event is in line 2.
const (
	magic         = "\x89dtr\r\n\x1a"
	binaryVersion = 1

	kindBits = 0x1f
	sameTask = 0x20
	sited    = 0x40
	skips    = 0x80
)

// last is what the next record is relative to.
type last struct {
	line int
	task uint32
	arg  uint32
	end  uint64 // of the last access
}

// NewBinaryWriter returns a writer of the compact binary form. Close must be the
// last call, or the trace counts as truncated. An event without a line gets the one
// after the last event's.
func NewBinaryWriter(out io.Writer) *Writer {
	sum := crc32.NewIEEE()
	w := &Writer{out: bufio.NewWriterSize(io.MultiWriter(out, sum), maxLine)}
	b := binaryWriter{w: w, last: last{line: 1}, sites: make(map[string]uint64)}
	w.encode = b.encode
	w.finish = func() {
		w.line = binary.AppendUvarint(append(w.line, 0), uint64(w.events))
		w.out.Write(w.line)
		w.out.Flush() // the sum is of what has been written
		w.line = binary.LittleEndian.AppendUint32(w.line[:0], sum.Sum32())
	}
	w.out.WriteString(magic)
	w.out.WriteByte(binaryVersion)
	return w
}

type binaryWriter struct {
	w     *Writer
	last  last
	sites map[string]uint64
}

func (b *binaryWriter) encode(e *Event) {
	lines := uint64(1)
	head := byte(e.Kind)
	if e.Line > b.last.line+1 {
		lines = uint64(e.Line - b.last.line)
		head |= skips
	}
	if e.Task == b.last.task {
		head |= sameTask
	}
	if e.Site != "" {
		head |= sited
	}
	out := append(b.w.line, head)
	if head&skips != 0 {
		out = binary.AppendUvarint(out, lines)
	}
	if head&sameTask == 0 {
		out = binary.AppendUvarint(out, uint64(e.Task))
	}
	b.last.line += int(lines)
	b.last.task = e.Task
	if e.Kind.HasArg() {
		out = binary.AppendVarint(out, int64(e.Arg)-int64(b.last.arg))
		b.last.arg = e.Arg
	}
	if e.Kind.Access() {
		out = binary.AppendVarint(out, int64(e.Addr-b.last.end))
		out = binary.AppendUvarint(out, e.Size)
		b.last.end = e.Addr + e.Size
	}
	if head&sited != 0 {
		out = b.site(out, e.Site)
	}
	b.w.line = out
}

func (b *binaryWriter) site(out []byte, site string) []byte {
	if i := b.sites[site]; i != 0 {
		return binary.AppendUvarint(out, i)
	}
	b.sites[site] = uint64(len(b.sites) + 1)
	out = binary.AppendUvarint(append(out, 0), uint64(len(site)))
	return append(out, site...)
}

type binaryReader struct {
	name   string
	in     *bufio.Reader
	window []byte // the next bytes of in, at least a record's if there are so many
	used   int    // of the window
	offset int64  // of the window
	sum    uint32 // of what is before the window
	events uint64
	last   last
	sites  []string
}

// maxRecord is more than the bytes of a record but for a site.
const maxRecord = 80

func (b *binaryReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: event %d, byte %d: %s", b.name, b.events+1, b.offset+int64(b.used), fmt.Sprintf(format, args...))
}

func (b *binaryReader) cut() error { return b.errorf("the trace is cut off; record it again") }

// corrupt is the error of a trace that no writer wrote.
func (b *binaryReader) corrupt(what string) error {
	return b.errorf("the trace is damaged (%s); record it again", what)
}

// fill moves the window behind what is used and makes it n bytes long, or shorter where the
// file ends.
func (b *binaryReader) fill(n int) (err error) {
	b.sum = crc32.Update(b.sum, crc32.IEEETable, b.window[:b.used])
	b.in.Discard(b.used) // it is in the buffer
	b.offset += int64(b.used)
	b.used = 0
	if b.window, err = b.in.Peek(n); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w", b.name, err)
	}
	return nil
}

func (b *binaryReader) header() error {
	b.last.line = 1
	if err := b.fill(len(magic) + 1); err != nil {
		return err
	}
	n := min(len(b.window), len(magic))
	if string(b.window[:n]) != magic[:n] {
		return fmt.Errorf("%s: this is no trace: it has neither the first line %q nor the first bytes of the binary form", b.name, header)
	}
	if b.used = len(b.window); n == b.used {
		return b.cut()
	}
	if version := b.window[n]; version != binaryVersion {
		return fmt.Errorf("%s: the version of the trace is %d; this detrace reads version %d", b.name, version, binaryVersion)
	}
	return nil
}

// uvarint reads a number of at most limit.
func (b *binaryReader) uvarint(limit uint64, what string) (uint64, error) {
	n, length := binary.Uvarint(b.window[b.used:])
	if length == 0 {
		return 0, b.cut()
	}
	if length < 0 || n > limit {
		return 0, b.corrupt(what + " out of range")
	}
	b.used += length
	return n, nil
}

func (b *binaryReader) varint(what string) (int64, error) {
	n, err := b.uvarint(math.MaxUint64, what)
	return int64(n>>1) ^ -int64(n&1), err
}

func (b *binaryReader) next() (Event, error) {
	if err := b.fill(maxRecord); err != nil {
		return Event{}, err
	}
	if len(b.window) == 0 {
		return Event{}, b.cut()
	}
	head := b.window[0]
	b.used = 1
	if head == 0 {
		return Event{}, b.end()
	}
	e := Event{Kind: Kind(head & kindBits), Task: b.last.task}
	if e.Kind == 0 || e.Kind > lastKind {
		return Event{}, b.corrupt("there is no such kind of event")
	}
	if head&sited != 0 && (!e.Kind.Access() || e.Kind == Alloc) {
		return Event{}, b.corrupt("an event with a site that cannot have one")
	}
	lines := uint64(1)
	if head&skips != 0 {
		var err error
		if lines, err = b.uvarint(uint64(math.MaxInt-b.last.line), "line"); err != nil {
			return Event{}, err
		}
		if lines == 0 {
			return Event{}, b.corrupt("two events in one line")
		}
	}
	b.last.line += int(lines)
	e.Line = b.last.line
	if head&sameTask == 0 {
		task, err := b.uvarint(math.MaxUint32, "task")
		if err != nil {
			return Event{}, err
		}
		e.Task, b.last.task = uint32(task), uint32(task)
	}
	if err := b.rest(&e, head&sited != 0); err != nil {
		return Event{}, err
	}
	b.events++
	return e, nil
}

// rest reads what depends on the kind.
func (b *binaryReader) rest(e *Event, site bool) error {
	if e.Kind.HasArg() {
		delta, err := b.varint("argument")
		if err != nil {
			return err
		}
		if arg := int64(b.last.arg) + delta; delta > math.MaxUint32 || arg < 0 || arg > math.MaxUint32 {
			return b.corrupt("argument out of range")
		}
		e.Arg = uint32(int64(b.last.arg) + delta)
		b.last.arg = e.Arg
	}
	if !e.Kind.Access() {
		return nil
	}
	delta, err := b.varint("address")
	if err != nil {
		return err
	}
	e.Addr = b.last.end + uint64(delta)
	if e.Size, err = b.uvarint(math.MaxUint64, "size"); err != nil {
		return err
	}
	b.last.end = e.Addr + e.Size
	if site {
		if e.Site, err = b.site(); err != nil {
			return err
		}
	}
	if wrong := e.check(); wrong != "" {
		return b.corrupt(wrong)
	}
	return nil
}

func (b *binaryReader) site() (string, error) {
	i, err := b.uvarint(uint64(len(b.sites)), "site")
	if err != nil {
		return "", err
	}
	if i > 0 {
		return b.sites[i-1], nil
	}
	n, err := b.uvarint(maxLine/2, "length of a site")
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", b.corrupt("an empty site")
	}
	if err := b.fill(int(n)); err != nil {
		return "", err
	}
	if b.used = len(b.window); b.used < int(n) {
		return "", b.cut()
	}
	b.sites = append(b.sites, string(b.window))
	return b.sites[len(b.sites)-1], nil
}

// end checks the end of the trace and returns io.EOF if all is well.
func (b *binaryReader) end() error {
	events, err := b.uvarint(math.MaxUint64, "number of events")
	if err != nil {
		return err
	}
	if err := b.fill(5); err != nil {
		return err
	}
	switch {
	case len(b.window) < 4:
		return b.cut()
	case events != b.events || binary.LittleEndian.Uint32(b.window) != b.sum:
		return b.corrupt("its checksum or number of events is wrong")
	case len(b.window) > 4:
		return b.corrupt("something follows its end")
	}
	return io.EOF
}
