package event_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/reach"
)

// read returns all events of a trace.
func read(in io.Reader) (events []event.Event, err error) {
	r, err := event.NewReader("t", in)
	for err == nil {
		var e event.Event
		if e, err = r.Next(); err == nil {
			events = append(events, e)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return events, err
}

// write returns a trace of events that can all be written.
func write(t testing.TB, form func(io.Writer) *event.Writer, events []event.Event) []byte {
	t.Helper()
	var out bytes.Buffer
	w := form(&out)
	for _, e := range events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// every has one event of every kind, and extreme numbers.
func every() (events []event.Event) {
	for k := event.Kind(1); k <= event.AtomicWrite; k++ {
		for i, n := range []uint32{0, 1, 1<<32 - 1, 7} {
			e := event.Event{Kind: k, Task: n, Line: len(events) + 2}
			if k.HasArg() {
				e.Arg = n / 2
			}
			if k.Access() {
				e.Addr, e.Size = uint64(n)<<32, uint64(i)+1
				if k != event.Alloc && i > 0 {
					e.Site = []string{"", "a.go:1", "b.go:2", "a.go:1"}[i]
				}
			}
			events = append(events, e)
		}
	}
	last := event.Event{Kind: event.Write, Addr: 1<<64 - 1, Size: 1, Line: len(events) + 2}
	all := event.Event{Kind: event.Read, Addr: 1, Size: 1<<64 - 1, Line: len(events) + 3}
	return append(events, last, all)
}

func TestRoundTrip(t *testing.T) {
	for name, form := range map[string]func(io.Writer) *event.Writer{"text": event.NewTextWriter, "binary": event.NewBinaryWriter} {
		got, err := read(bytes.NewReader(write(t, form, every())))
		if err != nil || !slices.Equal(got, every()) {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, every())
		}
	}
}

// Comments and empty lines are gone in the binary form, but lines are those of the text.
func TestBinaryKeepsLines(t *testing.T) {
	const text = "detrace trace 1\n# one\n\nspawn 0 1\nend 1\n\n\n\n\nend 0\n"
	events, err := read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := read(bytes.NewReader(write(t, event.NewBinaryWriter, events)))
	if err != nil || !slices.Equal(again, events) || again[0].Line != 4 || again[2].Line != 10 {
		t.Errorf("got %v, %v, want %v", again, err, events)
	}
}

// The binary form is a fraction of the text, and says which it is.
func TestBinaryIsCompact(t *testing.T) {
	var events []event.Event
	for i := range 1000 {
		events = append(events, event.Event{Kind: event.Read, Addr: 0xc000100000 + 8*uint64(i), Size: 8, Site: fmt.Sprintf("sort.go:%d", i%20)})
	}
	text, binary := write(t, event.NewTextWriter, events), write(t, event.NewBinaryWriter, events)
	if len(binary) > len(text)/7 {
		t.Errorf("%d bytes of binary for %d of text", len(binary), len(text))
	}
	for _, trace := range [][]byte{text, binary} {
		r, err := event.NewReader("t", bytes.NewReader(trace))
		if err != nil || r.Binary() != (trace[0] != 'd') {
			t.Errorf("%.10q: binary %v, %v", trace, r.Binary(), err)
		}
	}
}

// What is malformed in a line is in testdata/traces; here is what no file there shows.
func TestTextErrors(t *testing.T) {
	const header = "detrace trace 1\n"
	long := strings.Repeat("x", 1<<16)
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", `t:1: the trace is empty; its first line must be "detrace trace 1"`},
		{"line too long", header + "\nread 0 0x1 1 " + long, "t:3: the line is longer than 65535 bytes; break it up or shorten the site"},
		{"comment too long", header + "#" + long + "\n", "t:2: the line is longer than"},
		{"header too long", long + long, "t:1: the line is longer than"},
		{"site too long", header + "read 0 0x1 1 " + long[:40000], "t:2: the site is longer than 32768 bytes"},
		{"control character in a site", header + "read 0 0x1 1 a\x00b", "t:2: a site has no spaces and no control characters"},
		{"carriage return in a line", header + "end 0\r\r\n", `t:2: "0\r" is not the number of a task`},
		{"long word", header + long[:1000], `t:2: there is no event "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"...;`},
	} {
		if _, err := read(strings.NewReader(tt.text)); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	for _, e := range []event.Event{
		{}, {Kind: event.Alloc + 1}, {Kind: event.Read}, {Kind: event.Read, Addr: 2, Size: 1<<64 - 1},
		{Kind: event.Read, Size: 1, Site: "a b"}, {Kind: event.Write, Size: 1, Site: "#1"}, {Kind: event.Alloc, Size: 1, Site: "a"},
		{Kind: event.Read, Size: 1, Site: strings.Repeat("x", 40000)},
	} {
		for _, form := range []func(io.Writer) *event.Writer{event.NewTextWriter, event.NewBinaryWriter} {
			if err := form(io.Discard).Write(e); err == nil {
				t.Errorf("%+v is written", e)
			}
		}
	}
}

// Every trace that is cut off or has a bit flipped is refused, or means the same.
func TestDamagedBinary(t *testing.T) {
	whole := write(t, event.NewBinaryWriter, every())
	for n := range whole {
		if _, err := read(bytes.NewReader(whole[:n])); err == nil {
			t.Errorf("the first %d of %d bytes are taken", n, len(whole))
		}
	}
	for i := range whole {
		for bit := range 8 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 1 << bit
			if _, err := read(bytes.NewReader(damaged)); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("with bit %d of byte %d flipped: %v", bit, i, err)
			}
		}
	}
	for _, tt := range []struct {
		name  string
		trace []byte
		want  string
	}{
		{"more at the end", append(bytes.Clone(whole), 0), "something follows its end"},
		{"version", []byte("\x89dtr\r\n\x1a\x02"), "the version of the trace is 2; this detrace reads version 1"},
		{"new lines translated", bytes.Replace(whole, []byte("\r\n"), []byte("\n"), 1), "this is no trace"},
		{"cut", whole[:len(whole)-1], "cut off"},
	} {
		if _, err := read(bytes.NewReader(tt.trace)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// memory is the bytes that a function allocates altogether.
func memory(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// skim reads a trace without keeping anything.
func skim(in []byte) error {
	r, err := event.NewReader("t", bytes.NewReader(in))
	for err == nil {
		_, err = r.Next()
	}
	return err
}

// TestMemory shows the bound that Reader states, with as many sites as fit.
func TestMemory(t *testing.T) {
	var events []event.Event
	for i := range 100000 {
		events = append(events, event.Event{Kind: event.Read, Addr: uint64(i), Size: 1, Site: fmt.Sprintf("%x", i)})
	}
	for _, form := range []func(io.Writer) *event.Writer{event.NewTextWriter, event.NewBinaryWriter} {
		in := write(t, form, events)
		limit := uint64(256<<10 + 16*len(in))
		if used := memory(func() { skim(in) }); used > limit {
			t.Errorf("%d bytes for a file of %d, want at most %d", used, len(in), limit)
		}
	}
}

func seeds(f *testing.F, add func(text []byte)) {
	files, err := filepath.Glob("../testdata/traces/*.trace")
	if err != nil || files == nil {
		f.Fatal("no traces", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		add(text)
	}
}

// checkRead reads whatever it is given; what it reads must survive both forms.
func checkRead(t *testing.T, in []byte) {
	var events []event.Event
	var err error
	if used, limit := memory(func() { err = skim(in) }), uint64(512<<10+16*len(in)); used > limit {
		t.Errorf("%d bytes for a file of %d, want at most %d", used, len(in), limit)
	}
	if !errors.Is(err, io.EOF) {
		if strings.ContainsAny(err.Error(), "\n\r\x00") {
			t.Errorf("an error of several lines: %q", err)
		}
		return
	}
	if events, err = read(bytes.NewReader(in)); err != nil {
		t.Fatalf("read once, and refused the second time: %v", err)
	}
	binary := write(t, event.NewBinaryWriter, events)
	again, err := read(bytes.NewReader(binary))
	if err != nil || !slices.Equal(again, events) {
		t.Fatalf("binary: got %v, %v, want %v", again, err, events)
	}
	text := write(t, event.NewTextWriter, events)
	again, err = read(bytes.NewReader(text))
	if err != nil || !bytes.Equal(write(t, event.NewTextWriter, again), text) || len(again) != len(events) {
		t.Fatalf("text: got %v, %v, want %v", again, err, events)
	}
}

func FuzzText(f *testing.F) {
	seeds(f, func(text []byte) { f.Add(text) })
	f.Fuzz(checkRead)
}

func FuzzBinary(f *testing.F) {
	seeds(f, func(text []byte) {
		if events, err := read(bytes.NewReader(text)); err == nil {
			f.Add(write(f, event.NewBinaryWriter, events))
		}
	})
	f.Fuzz(checkRead)
}

func BenchmarkEvents(b *testing.B) {
	var events []event.Event
	for i := range uint32(10000) {
		events = append(events, event.Event{Kind: event.Of(reach.Spawn), Arg: i + 1})
		for j := range uint64(8) {
			events = append(events, event.Event{Kind: event.Read + event.Kind(j%2), Task: i + 1, Addr: 0xc000100000 + 64*uint64(i) + 8*j, Size: 8, Site: "sort.go:17"})
		}
		events = append(events, event.Event{Kind: event.Of(reach.End), Task: i + 1})
	}
	for name, form := range map[string]func(io.Writer) *event.Writer{"text": event.NewTextWriter, "binary": event.NewBinaryWriter} {
		in := write(b, form, events)
		b.Run("read "+name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				if err := skim(in); !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(events))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
		b.Run("write "+name, func(b *testing.B) {
			for b.Loop() {
				w := form(io.Discard)
				for i := range events {
					if err := w.Write(events[i]); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(events))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}
