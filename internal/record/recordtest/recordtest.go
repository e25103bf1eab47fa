// Package recordtest writes records files for tests, through the writer of
// judged programs.
package recordtest

import (
	"encoding/binary"
	"unsafe"

	"github.com/detrace/detrace/internal/record"
)

// Builder is a records file in memory. Not safe for concurrent use.
type Builder struct {
	Writer record.Writer
	mem    []uint64
}

// New starts the file of a running program, with room for a megabyte.
func New() *Builder {
	b := &Builder{mem: make([]uint64, 1<<17)}
	b.Writer.Init(unsafe.Pointer(&b.mem[0]), uint64(len(b.mem))*8)
	return b
}

// Finish ends the program with an exit code.
func (b *Builder) Finish(code int) {
	b.Writer.Header32(record.OffExitCode, uint32(code))
	b.Writer.Header32(record.OffState, record.StateFinished)
}

// Bytes is a copy of the file up to its last record.
func (b *Builder) Bytes() []byte {
	all := unsafe.Slice((*byte)(unsafe.Pointer(&b.mem[0])), len(b.mem)*8)
	used := binary.LittleEndian.Uint64(all[record.OffUsed:])
	return append([]byte(nil), all[:record.HeaderSize+used]...)
}

// Stack writes a stack, innermost frame first.
func (b *Builder) Stack(id uint32, frames ...record.Frame) {
	b.begin(record.KindStack, id, uint32(len(frames)))
	for _, f := range frames {
		flags := uint32(0)
		if f.Std {
			flags = record.FrameStd
		}
		b.u32(uint32(f.Line), uint32(f.StartLine), flags)
		b.Writer.U16(uint16(len(f.Func)))
		b.Writer.U16(uint16(len(f.File)))
		b.Writer.Text(f.Func)
		b.Writer.Text(f.File)
	}
	b.Writer.End()
}

// Task writes a task; parent 0 makes it the root.
func (b *Builder) Task(id, parent, forkIndex, forkStack uint32) {
	b.begin(record.KindTask, id, parent, forkIndex, forkStack)
	b.Writer.End()
}

// Race writes a race.
func (b *Builder) Race(r record.Race) {
	b.begin(record.KindRace)
	for _, v := range []uint64{r.Count, r.Addr, r.ObjBase, r.ObjSize} {
		b.Writer.U64(v)
	}
	b.u32(r.First.Test, r.Second.Test)
	for _, a := range []record.Access{r.First, r.Second} {
		b.u32(a.Task, a.Index, uint32(a.Op), a.Stack)
	}
	b.Writer.End()
}

// Reason writes a reason.
func (b *Builder) Reason(r record.Reason) {
	b.begin(record.KindReason)
	b.Writer.U64(r.Count)
	b.u32(r.Code, r.Stack, r.Stack2, r.Test)
	b.Writer.End()
}

// Test writes the beginning of a test, and its end if it has one.
func (b *Builder) Test(number uint32, t record.Test) {
	kind := uint32(record.KindTest)
	if t.Part {
		kind = record.KindTestPart
	}
	b.begin(kind, number, uint32(len(t.Name)))
	b.Writer.Text(t.Name)
	b.Writer.End()
	if t.Outcome != record.Unfinished {
		b.begin(record.KindTestEnd, number, uint32(t.Outcome))
		b.Writer.U64(uint64(t.Elapsed))
		b.Writer.End()
	}
}

// Left writes a goroutine that outlived its test.
func (b *Builder) Left(l record.Left) {
	b.begin(record.KindLeft, l.Test, l.ForkStack)
	b.Writer.End()
}

func (b *Builder) begin(kind uint32, values ...uint32) {
	b.Writer.Begin(kind)
	b.u32(values...)
}

func (b *Builder) u32(values ...uint32) {
	for _, v := range values {
		b.Writer.U32(v)
	}
}
