package event

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// header is the first line of a text trace.
const header = "detrace trace 1"

// kinds are the first words of the lines of a text trace.
var kinds = func() map[string]Kind {
	m := make(map[string]Kind)
	for k := Kind(1); k <= lastKind; k++ {
		m[k.String()] = k
	}
	return m
}()

// form is how a line of kind k reads.
func form(k Kind) string {
	switch {
	case k == Alloc:
		return "alloc TASK 0xADDR SIZE"
	case k.Access():
		return k.String() + " TASK 0xADDR SIZE [SITE]"
	case !k.HasArg():
		return k.String() + " TASK"
	}
	switch c, _ := k.Construct(); {
	case c.Forks():
		return k.String() + " TASK CHILD"
	case k == kinds["get"]:
		return "get TASK FUTURE"
	case k == kinds["join"]:
		return "join TASK NEIGHBOUR"
	}
	return k.String() + " TASK PROMISE"
}

type textReader struct {
	name  string
	in    *bufio.Reader
	line  int
	sites map[string]string
	words [maxWords][]byte
}

// maxWords is more than any event has.
const maxWords = 6

func (t *textReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", t.name, t.line, fmt.Sprintf(format, args...))
}

func (t *textReader) header() error {
	line, err := t.read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:1: the trace is empty; its first line must be %q", t.name, header)
	}
	if err != nil {
		return err
	}
	line = bytes.TrimRight(line, " \t")
	if string(line) == header {
		return nil
	}
	if version, ok := strings.CutPrefix(string(line), "detrace trace "); ok && len(version) < 20 {
		return t.errorf("the version of the trace is %q; this detrace reads version 1", version)
	}
	return t.errorf("this is no trace: its first line must be %q", header)
}

// read returns the next line without what ends it. io.EOF: there is none.
func (t *textReader) read() ([]byte, error) {
	line, err := t.in.ReadSlice('\n')
	if len(line) > 0 {
		t.line++
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, t.errorf("the line is longer than %d bytes; break it up or shorten the site", maxLine-1)
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: %w", t.name, err)
	case len(line) == 0:
		return nil, io.EOF
	}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

func (t *textReader) next() (Event, error) {
	for {
		line, err := t.read()
		if err != nil {
			return Event{}, err
		}
		if words := t.split(line); len(words) > 0 {
			return t.event(words)
		}
	}
}

// split returns the words of a line up to a comment, at most maxWords.
func (t *textReader) split(line []byte) [][]byte {
	n := 0
	for i := 0; n < maxWords; n++ {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if start == i || line[start] == '#' {
			break
		}
		t.words[n] = line[start:i]
	}
	return t.words[:n]
}

func (t *textReader) event(words [][]byte) (Event, error) {
	e := Event{Kind: kinds[string(words[0])], Line: t.line}
	least, most := 2, 2
	switch {
	case e.Kind == 0:
		return Event{}, t.errorf("there is no event %s; see 'detrace help replay' for those that there are", quote(words[0]))
	case e.Kind == Alloc:
		least, most = 4, 4
	case e.Kind.Access():
		least, most = 4, 5
	case e.Kind.HasArg():
		least, most = 3, 3
	}
	if len(words) < least {
		return Event{}, t.errorf("something is missing; the line must read: %s", form(e.Kind))
	}
	if len(words) > most {
		return Event{}, t.errorf("%s is too much; the line must read: %s", quote(words[most]), form(e.Kind))
	}
	var ok bool
	if e.Task, ok = number32(words[1]); !ok {
		return Event{}, t.errorf("%s is not the number of a task, from 0 to %d in decimal", quote(words[1]), uint32(math.MaxUint32))
	}
	if e.Kind.HasArg() {
		if e.Arg, ok = number32(words[2]); !ok {
			return Event{}, t.errorf("%s is not a number from 0 to %d in decimal; the line must read: %s", quote(words[2]), uint32(math.MaxUint32), form(e.Kind))
		}
	}
	if e.Kind.Access() {
		if err := t.access(&e, words); err != nil {
			return Event{}, err
		}
	}
	return e, nil
}

func (t *textReader) access(e *Event, words [][]byte) error {
	var ok bool
	if e.Addr, ok = address(words[2]); !ok {
		return t.errorf("%s is not an address: hexadecimal with 0x, at most 0x%x", quote(words[2]), uint64(math.MaxUint64))
	}
	if e.Size, ok = number(words[3], math.MaxUint64); !ok {
		return t.errorf("%s is not a size: bytes in decimal, at most %d", quote(words[3]), uint64(math.MaxUint64))
	}
	if len(words) > 4 {
		site, seen := t.sites[string(words[4])]
		if !seen {
			site = string(words[4])
			t.sites[site] = site
		}
		e.Site = site
	}
	if wrong := e.check(); wrong != "" {
		return t.errorf("%s", wrong)
	}
	return nil
}

// quote is a word for an error, cut where it is long.
func quote(word []byte) string {
	if len(word) > 40 {
		return fmt.Sprintf("%q...", word[:40])
	}
	return fmt.Sprintf("%q", word)
}

func number32(word []byte) (uint32, bool) {
	n, ok := number(word, math.MaxUint32)
	return uint32(n), ok
}

// number is a decimal number of at most limit.
func number(word []byte, limit uint64) (n uint64, ok bool) {
	for _, c := range word {
		digit := uint64(c - '0')
		if digit > 9 || n > (limit-digit)/10 {
			return 0, false
		}
		n = 10*n + digit
	}
	return n, len(word) > 0
}

// address is a hexadecimal number with 0x.
func address(word []byte) (n uint64, ok bool) {
	if len(word) < 3 || word[0] != '0' || word[1] != 'x' {
		return 0, false
	}
	for _, c := range word[2:] {
		var digit byte
		switch {
		case c-'0' <= 9:
			digit = c - '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			digit = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		if n>>60 != 0 {
			return 0, false
		}
		n = n<<4 | uint64(digit)
	}
	return n, true
}

// Writer writes a trace. Not safe for concurrent use.
type Writer struct {
	out    *bufio.Writer
	line   []byte
	now    Event
	encode func(*Event)
	finish func()
	events int
	failed error
}

// NewTextWriter returns a writer of the text form. Close must be the last call.
func NewTextWriter(out io.Writer) *Writer {
	w := &Writer{out: bufio.NewWriterSize(out, maxLine), finish: func() {}}
	w.encode = w.text
	w.out.WriteString(header + "\n")
	return w
}

// Write appends e. An error says what is wrong with the event, which is then left
// out, or with the file.
func (w *Writer) Write(e Event) error {
	if w.failed != nil {
		return w.failed
	}
	if wrong := e.check(); wrong != "" {
		return fmt.Errorf("event %d, %s: %s", w.events+1, e, wrong)
	}
	w.line = w.line[:0]
	w.now = e
	w.encode(&w.now)
	w.events++
	_, w.failed = w.out.Write(w.line)
	return w.failed
}

// Close writes out what is left. It does not close the file.
func (w *Writer) Close() error {
	if w.failed != nil {
		return w.failed
	}
	w.line = w.line[:0]
	w.finish()
	if _, err := w.out.Write(w.line); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *Writer) text(e *Event) {
	line := append(w.line, e.Kind.String()...)
	line = strconv.AppendUint(append(line, ' '), uint64(e.Task), 10)
	if e.Kind.HasArg() {
		line = strconv.AppendUint(append(line, ' '), uint64(e.Arg), 10)
	}
	if e.Kind.Access() {
		line = strconv.AppendUint(append(line, " 0x"...), e.Addr, 16)
		line = strconv.AppendUint(append(line, ' '), e.Size, 10)
		if e.Site != "" {
			line = append(append(line, ' '), e.Site...)
		}
	}
	w.line = append(line, '\n')
}
