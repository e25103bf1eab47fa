package record_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/internal/record/recordtest"
)

// file is a records file of exactly size bytes, 8-aligned, with a border behind it
// that nobody may write to.
type file struct {
	record.Writer
	mem  []uint64
	size int
}

const border = 512

func newFile(size int) *file {
	f := &file{mem: make([]uint64, size/8+border/8), size: size}
	for i := size / 8; i < len(f.mem); i++ {
		f.mem[i] = 0x5a5a5a5a5a5a5a5a
	}
	f.Init(unsafe.Pointer(&f.mem[0]), uint64(size))
	return f
}

func (f *file) bytes() []byte {
	return append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(&f.mem[0])), f.size)...)
}

func (f *file) overrun() bool {
	for _, w := range f.mem[f.size/8:] {
		if w != 0x5a5a5a5a5a5a5a5a {
			return true
		}
	}
	return false
}

func (f *file) stack(id uint32, name string) unsafe.Pointer {
	f.Begin(record.KindStack)
	f.U32(id)
	f.U32(1)
	f.U32(id)
	f.U32(1)
	f.U32(0)
	f.U16(uint16(len(name)))
	f.U16(1)
	f.Text(name)
	f.Text("f")
	return f.End()
}

// Whatever the file's size, it takes the records that fit, whole, and says when
// one did not; a smaller one may still fit after that.
func TestFileFull(t *testing.T) {
	for size := record.HeaderSize; size <= record.HeaderSize+200; size += 8 {
		f := newFile(size)
		written := 0
		for i := range uint32(3) {
			if f.stack(1+i, strings.Repeat("x", int(5+7*i))) != nil {
				written++
			}
		}
		f.Header32(record.OffState, record.StateFinished)
		got, err := record.Parse(f.bytes())
		if err != nil || got.Damage != nil {
			t.Fatalf("%d bytes: error %v, damage %v", size, err, got.Damage)
		}
		if len(got.Stacks) != written || got.Header.Dropped != (written < 3) {
			t.Errorf("%d bytes: %d of 3 records written, %d read, dropped %v", size, written, len(got.Stacks), got.Header.Dropped)
		}
		for id, s := range got.Stacks {
			if s[0].Func != strings.Repeat("x", int(5+7*(id-1))) {
				t.Errorf("%d bytes: stack %d is %+v", size, id, s)
			}
		}
		if f.overrun() {
			t.Fatalf("%d bytes: written beyond the end", size)
		}
	}
}

// What the header says already stays when a record is dropped.
func TestDroppingKeepsOtherFlags(t *testing.T) {
	const other = 1 << 7
	for _, c := range []struct {
		name string
		drop func(f *file)
	}{
		{"the file is full", func(f *file) { f.stack(1, strings.Repeat("x", 100)) }},
		{"something else is", func(f *file) { f.Drop() }},
	} {
		f := newFile(record.HeaderSize + 64)
		f.Header32(record.OffFlags, other)
		c.drop(f)
		if flags := binary.LittleEndian.Uint32(f.bytes()[record.OffFlags:]); flags != other|record.FlagDropped {
			t.Errorf("%s: flags %#x", c.name, flags)
		}
	}
}

// A Writer without a file takes everything and writes nothing.
func TestZeroWriter(t *testing.T) {
	var f file
	if f.On() || f.stack(1, "main.main") != nil {
		t.Error("the zero Writer wrote a record")
	}
	f.Drop()
	f.Header64(record.OffReads, 1)
	f.Begin(record.KindRace)
	f.Patch32(8, 1)
	f.End()
}

func TestPatch(t *testing.T) {
	f := newFile(record.HeaderSize + 256)
	f.stack(1, "a")
	f.Begin(record.KindTask)
	for _, v := range []uint32{0, 0, 5, 1} {
		f.U32(v)
	}
	f.Patch32(8, 2)
	f.Patch32(12, 1)
	f.End()
	got, err := record.Parse(f.bytes())
	if err != nil || got.Tasks[2] != (record.Task{Parent: 1, ForkIndex: 5, ForkStack: 1}) {
		t.Errorf("tasks %+v, error %v", got.Tasks, err)
	}
}

// Many threads write, count and mark at once; every record is whole in the end.
func TestConcurrentWriters(t *testing.T) {
	const threads, each = 4, 500
	b := recordtest.New()
	var wg sync.WaitGroup
	for n := range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				b.Stack(uint32(1+n*each+i), record.Frame{Func: fmt.Sprintf("f%d.%d", n, i), File: strings.Repeat("p", i%40), Line: i})
				b.Writer.Header64(record.OffReads, uint64(i))
			}
		}()
	}
	wg.Wait()
	got, err := record.Parse(b.Bytes())
	if err != nil || got.Damage != nil || len(got.Stacks) != threads*each {
		t.Fatalf("%d stacks, error %v, damage %v", len(got.Stacks), err, got.Damage)
	}
	for n := range threads {
		for i := range each {
			if s := got.Stacks[uint32(1+n*each+i)]; s[0].Func != fmt.Sprintf("f%d.%d", n, i) || s[0].Line != i {
				t.Fatalf("stack %d of thread %d is %+v", i, n, s)
			}
		}
	}
}
