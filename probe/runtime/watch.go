//go:build judged

package runtime

import (
	"github.com/detrace/detrace/internal/offheap"
	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/shadow"
	"unsafe"
)

// What is found in a watched scope is kept as text, for the program itself: package
// detracetest fails a test with it.

//go:linkname detraceWatch
//go:linkname detraceFound

const (
	detwatchtext  = 1 << 22 // bytes of all texts together
	detwatchitems = 1 << 16
)

var detwatch struct {
	lock  offheap.Lock // guards the rest against other writers
	text  uintptr
	used  uintptr
	items offheap.Table[detfound]
	n     uint32
}

// detfound is something found, in the scopes of both its sides.
type detfound struct {
	scope, scope2 uint32
	race          bool
	text          uintptr
	len           uintptr
}

// detraceWatch begins a scope whose findings are kept.
func detraceWatch(name string) (scope uint32) {
	c := detscopecall{kind: detscopewatch, name: name}
	racecall(detop_scope, getg().racectx, uintptr(unsafe.Pointer(&c)), 0, 0)
	return c.scope
}

// detraceFound is the text of a finding of a scope, "" behind the last.
func detraceFound(scope, item uint32) (text string, race bool) {
	for i := uint32(0); i < offheap.Load32(&detwatch.n); i++ {
		f := detwatch.items.At(i)
		if scope == 0 || f.scope != scope && f.scope2 != scope {
			continue
		}
		if item--; item != ^uint32(0) {
			continue
		}
		if f.len == 0 {
			return "there is no room for its text\n", f.race
		}
		return unsafe.String((*byte)(unsafe.Pointer(f.text)), f.len), f.race
	}
	return "", false
}

func detwatchinit() {
	detwatch.lock.Lock()
	if detwatch.text == 0 {
		detwatch.items.Init(detwatchitems)
		detwatch.text = uintptr(offheap.Reserve(detwatchtext))
	}
	detwatch.lock.Unlock()
}

func detwatching(scope uint32) bool { return scope != 0 && detscopes.marks.At(scope).watched }

func detwatchpair(kind uint32, addr uintptr, first, second shadow.Access) {
	scope, scope2 := detscopeof(first.Strand), detscopeof(second.Strand)
	if detwatching(scope) || detwatching(scope2) {
		detkeep(detfound{scope: scope, scope2: scope2, race: kind == record.KindRace}, func() { detprintpair(kind, addr, first, second) })
	}
}

func detwatchreason(scope, code, stack uint32) {
	if detwatching(scope) {
		detkeep(detfound{scope: scope}, func() { detprintreason(code, stack) })
	}
}

// detkeep keeps what print writes, by the runtime's own means, as the text of f.
func detkeep(f detfound, print func()) {
	// A slice without its pointer's type: there need not be a P for write barriers.
	buf := (*struct{ array, len, cap uintptr })(unsafe.Pointer(&getg().writebuf))
	w := &detwatch
	w.lock.Lock()
	if w.n < detwatchitems {
		buf.array, buf.len, buf.cap = w.text+w.used, 0, detwatchtext-w.used
		print()
		f.text, f.len = buf.array, buf.len
		buf.array, buf.len, buf.cap = 0, 0, 0
		w.used += f.len
		*w.items.At(w.n) = f
		offheap.Store32(&w.n, w.n+1)
	}
	w.lock.Unlock()
}
