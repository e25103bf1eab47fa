package record

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// Writer appends records to mapped memory. Safe for concurrent use: Begin
// takes the lock that End or Abandon releases; the writes between belong to
// the caller. The zero Writer drops everything.
type Writer struct {
	lock  offheap.Lock
	base  unsafe.Pointer
	size  uint64
	start uint64 // of the record being written
	pos   uint64
	full  bool
}

// Init starts a file in the zeroed memory [base, base+size).
func (w *Writer) Init(base unsafe.Pointer, size uint64) {
	w.base, w.size = base, size
	w.pos = HeaderSize
	for i := 0; i < len(Magic); i++ {
		*(*byte)(unsafe.Add(base, OffMagic+i)) = Magic[i]
	}
	w.Header32(OffVersion, Version)
}

// On reports whether there is a file.
func (w *Writer) On() bool { return w.base != nil }

// Header32 stores a header field. Any thread.
func (w *Writer) Header32(off uintptr, v uint32) {
	if w.base != nil {
		offheap.Store32((*uint32)(unsafe.Add(w.base, off)), v)
	}
}

// Header64 stores a header field. Any thread.
func (w *Writer) Header64(off uintptr, v uint64) {
	if w.base != nil {
		offheap.Store64((*uint64)(unsafe.Add(w.base, off)), v)
	}
}

// Begin opens a record of the given kind.
func (w *Writer) Begin(kind uint32) {
	w.lock.Lock()
	w.start, w.full = w.pos, w.base == nil
	w.U32(0)
	w.U32(kind)
}

// U32 appends a value to the open record.
func (w *Writer) U32(v uint32) {
	if p := w.room(4); p != nil {
		*(*uint32)(p) = v
	}
}

// U16 appends a value to the open record.
func (w *Writer) U16(v uint16) {
	if p := w.room(2); p != nil {
		*(*[2]byte)(p) = [2]byte{byte(v), byte(v >> 8)}
	}
}

// U64 appends a value to the open record.
func (w *Writer) U64(v uint64) {
	w.U32(uint32(v))
	w.U32(uint32(v >> 32))
}

// Text appends the bytes of s to the open record, without a length.
func (w *Writer) Text(s string) {
	if p := w.room(uint64(len(s))); p != nil {
		copy(unsafe.Slice((*byte)(p), len(s)), s)
	}
}

// Patch32 overwrites the value at offset off of the open record.
func (w *Writer) Patch32(off uint64, v uint32) {
	if !w.full {
		*(*uint32)(unsafe.Add(w.base, w.start+off)) = v
	}
}

func (w *Writer) room(n uint64) unsafe.Pointer {
	if w.full || w.pos+n+8 > w.size {
		w.full = true
		return nil
	}
	p := unsafe.Add(w.base, w.pos)
	w.pos += n
	return p
}

// End commits the open record and returns where its payload lies, or nil when
// the file was full and the record was dropped.
func (w *Writer) End() unsafe.Pointer {
	payload := unsafe.Pointer(nil)
	if w.full {
		w.flag(FlagDropped)
		w.pos = w.start
	} else {
		w.pos = (w.pos + 7) &^ 7
		w.Patch32(0, uint32(w.pos-w.start))
		payload = unsafe.Add(w.base, w.start+8)
		w.Header64(OffUsed, w.pos-HeaderSize)
	}
	w.lock.Unlock()
	return payload
}

// Drop says in the file that something had to be left out.
func (w *Writer) Drop() {
	w.lock.Lock()
	w.flag(FlagDropped)
	w.lock.Unlock()
}

// flag sets f among the flags of the header; the lock is held.
func (w *Writer) flag(f uint32) {
	if w.base != nil {
		flags := (*uint32)(unsafe.Add(w.base, OffFlags))
		offheap.Store32(flags, offheap.Load32(flags)|f)
	}
}
