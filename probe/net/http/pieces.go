//go:build judged

// This is a new file of package net/http: which connection a request comes over is the
// choice of the client's schedule, so the requests that come over one are in no certain
// order.
package http

import "unsafe"

// detracePiece begins the next piece of what the calling goroutine does, see package
// runtime. own is the goroutine's own task, 0 before the first piece; it is returned.
//
//go:linkname detracePiece runtime.detracePiece
func detracePiece(own uint32) uint32

// detracePieces ends the last piece.
//
//go:linkname detracePieces runtime.detracePieces
func detracePieces(own uint32)

// detraceKeeps says that each piece leaves the object at that address to the next.
//
//go:linkname detraceKeeps runtime.detraceKeeps
func detraceKeeps(at unsafe.Pointer)

// detraceRequests are those that come over one connection.
type detraceRequests struct{ own uint32 }

// next begins the next request of c.
//
//go:noinline
func (r *detraceRequests) next(c *conn) {
	if r.own == 0 {
		in, _ := c.bufr.Peek(0)
		for _, at := range [...]unsafe.Pointer{
			unsafe.Pointer(c), unsafe.Pointer(c.r), unsafe.Pointer(c.bufr), unsafe.Pointer(unsafe.SliceData(in)),
			unsafe.Pointer(c.bufw), unsafe.Pointer(unsafe.SliceData(c.bufw.AvailableBuffer())),
		} {
			detraceKeeps(at)
		}
	}
	// The order in which they happen to come is told by an atomic variable that does not move,
	// as a stack does.
	c.curState.Add(0)
	r.own = detracePiece(r.own)
	c.curState.Load()
}

// end is called when the connection is over.
func (r *detraceRequests) end() { detracePieces(r.own) }
