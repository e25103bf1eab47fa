package rawtrace

import (
	"unsafe"

	"github.com/detrace/detrace/internal/offheap"
)

// Writer appends events to mapped memory. Safe for concurrent use: Lock must be held for
// Append and AppendName, and makes them one step with what they tell of. The zero Writer has
// no file, and must not be appended to.
type Writer struct {
	lock   offheap.Lock
	extend func(offset uint64) (window unsafe.Pointer, errno uint32)
	header unsafe.Pointer
	window unsafe.Pointer
	used   uint64 // bytes of the file
	full   bool   // it cannot grow
}

// Init starts a file: header is its first page, and extend maps the window at an offset, a
// multiple of WindowSize, filled with zeros; it unmaps the window before. From its first
// error on, what happens is dropped; the file says so.
func (w *Writer) Init(header unsafe.Pointer, extend func(offset uint64) (window unsafe.Pointer, errno uint32), first unsafe.Pointer) {
	w.header, w.extend, w.window = header, extend, first
	w.used = HeaderSize
	for i := 0; i < len(Magic); i++ {
		*(*byte)(unsafe.Add(header, OffMagic+i)) = Magic[i]
	}
	w.commit(0)
}

// On reports whether there is a file.
func (w *Writer) On() bool { return w.header != nil }

// Lock takes the lock of the file.
func (w *Writer) Lock() { w.lock.Lock() }

// Unlock gives it back.
func (w *Writer) Unlock() { w.lock.Unlock() }

// Append appends an event.
func (w *Writer) Append(e Event) {
	if p := w.room(EventSize); p != nil {
		*(*Event)(p) = e
		w.commit(EventSize)
	}
}

// AppendName appends a Name of place. A file name of more than 65535 bytes is cut off.
func (w *Writer) AppendName(place uint32, file string, line uint32) {
	file = file[:min(len(file), 1<<16-1)]
	n := EventSize + (uint64(len(file))+EventSize-1)&^(EventSize-1)
	if p := w.room(n); p != nil {
		*(*Event)(p) = Event{Kind: Name, Place: place, Arg: uint32(len(file)), Addr: uint64(line)}
		copy(unsafe.Slice((*byte)(unsafe.Add(p, EventSize)), len(file)), file)
		w.commit(n)
	}
}

// room is where the next n bytes go, nil if there is no room.
func (w *Writer) room(n uint64) unsafe.Pointer {
	if w.full {
		return nil
	}
	at := w.used % WindowSize
	if at == 0 || at+n > WindowSize {
		next := (w.used + WindowSize - 1) &^ (WindowSize - 1)
		window, errno := w.extend(next)
		if errno != 0 {
			w.full = true
			offheap.Store32((*uint32)(unsafe.Add(w.header, OffFailed)), errno)
			return nil
		}
		w.window, w.used, at = window, next, 0
	}
	return unsafe.Add(w.window, at)
}

// commit makes the next n bytes part of the file.
func (w *Writer) commit(n uint64) {
	w.used += n
	offheap.Store64((*uint64)(unsafe.Add(w.header, OffUsed)), w.used)
}
