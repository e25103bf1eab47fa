package rawtrace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

// memory is a file in memory with room for so many windows.
type memory struct {
	Writer
	windows [][]uint64
	room    int
}

func newMemory(room int) *memory {
	m := &memory{room: room}
	first, _ := m.extend(0)
	m.Init(first, m.extend, first)
	return m
}

func (m *memory) extend(offset uint64) (unsafe.Pointer, uint32) {
	if len(m.windows) == m.room {
		return nil, 28 // ENOSPC
	}
	if offset != uint64(len(m.windows))*WindowSize {
		panic(fmt.Sprintf("window at %d", offset))
	}
	w := make([]uint64, WindowSize/8)
	m.windows = append(m.windows, w)
	return unsafe.Pointer(&w[0]), 0
}

func (m *memory) bytes() (all []byte) {
	for _, w := range m.windows {
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), WindowSize)...)
	}
	return all
}

// What is written comes back, across the ends of windows, as often as it is read.
func TestRoundTrip(t *testing.T) {
	const events = 3 * WindowSize / EventSize / 2
	m := newMemory(3)
	event := func(i int) Event {
		return Event{Kind: Read, Task: uint32(i), Arg: 7, Place: uint32(i % 1000), Addr: uint64(i) << 32, Size: 1 << 63}
	}
	name := func(i int) string { return strings.Repeat("n", i%100) }
	for i := range events {
		if i%1000 == 0 {
			m.AppendName(uint32(i), name(i/1000), uint32(i+5))
		}
		m.Append(event(i))
	}
	r, err := NewReader("t", bytes.NewReader(m.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for i := range events {
			if i%1000 == 0 {
				e, file, err := r.Next()
				if err != nil || e.Kind != Name || e.Place != uint32(i) || e.Addr != uint64(i+5) || string(file) != name(i/1000) {
					t.Fatalf("event %d: got name %+v %q, %v", i, e, file, err)
				}
			}
			if e, _, err := r.Next(); err != nil || e != event(i) {
				t.Fatalf("event %d: got %+v, %v", i, e, err)
			}
		}
		if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatalf("got %v, want the end", err)
		}
		if err := r.Rewind(); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that could not grow says so.
func TestFull(t *testing.T) {
	m := newMemory(1)
	for range WindowSize / EventSize {
		m.Append(Event{Kind: Alloc})
	}
	if _, err := NewReader("t", bytes.NewReader(m.bytes())); err == nil || !strings.Contains(err.Error(), "could not go on writing its trace to t: no space left") {
		t.Errorf("got %v", err)
	}
}

func TestDamage(t *testing.T) {
	m := newMemory(1)
	m.Append(Event{Kind: Alloc})
	m.AppendName(3, "file", 7)
	whole := m.bytes()
	for _, tt := range []struct {
		name   string
		damage func(b []byte) []byte
		want   string
	}{
		{"empty", func([]byte) []byte { return nil }, ErrNotStarted.Error()},
		{"never written", func(b []byte) []byte { return make([]byte, len(b)) }, ErrNotStarted.Error()},
		{"another file", func(b []byte) []byte { b[1] = 'x'; return b }, "t: no raw trace"},
		{"odd length", func(b []byte) []byte { b[OffUsed]++; return b }, "t: byte 0: the raw trace is damaged"},
		{"cut off", func(b []byte) []byte { return b[:HeaderSize+EventSize] }, "t: EOF"},
		{"a name past the end", func(b []byte) []byte { b[HeaderSize+EventSize+8] = 200; return b }, "damaged"},
		{"a name without end", func(b []byte) []byte { b[HeaderSize+EventSize+11] = 200; return b }, "damaged"},
	} {
		r, err := NewReader("t", bytes.NewReader(tt.damage(bytes.Clone(whole))))
		for err == nil {
			_, _, err = r.Next()
		}
		if !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrNotStarted) {
		t.Errorf("got %v", err)
	}
}
