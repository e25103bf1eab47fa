package offheap

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

func TestReserveIsZeroed(t *testing.T) {
	const n = 1 << 20
	p := Reserve(n)
	defer Unreserve(p, n)
	if uintptr(p)%pageSize != 0 {
		t.Errorf("%p is not at a page", p)
	}
	for i, b := range unsafe.Slice((*byte)(p), n) {
		if b != 0 {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}

// Address space costs nothing: far more than the memory of the machine is there.
func TestReserveIsLazy(t *testing.T) {
	const n = 1 << 42
	p := Reserve(n)
	defer Unreserve(p, n)
	last := (*byte)(unsafe.Add(p, uintptr(n-1)))
	*last = 1
	if *last != 1 {
		t.Error("the last byte holds nothing")
	}
}

func TestReserveRefused(t *testing.T) {
	defer func() {
		if s, ok := recover().(string); !ok || !strings.Contains(s, "ulimit -v") {
			t.Errorf("got %v, want advice", s)
		}
	}()
	Reserve(1 << 60)
}

// Discard makes the whole pages of its range zero and leaves everything else.
func TestDiscard(t *testing.T) {
	const pages = 8
	for _, r := range []struct{ lo, n uintptr }{
		{0, pages * pageSize}, {pageSize, pageSize}, {1, pageSize}, {1, 2 * pageSize}, {100, 10}, {pageSize - 1, pageSize + 2}, {0, 0},
	} {
		p := Reserve(pages * pageSize)
		all := unsafe.Slice((*byte)(p), pages*pageSize)
		for i := range all {
			all[i] = 7
		}
		Discard(unsafe.Add(p, r.lo), r.n)
		first, last := (r.lo+pageSize-1)/pageSize*pageSize, (r.lo+r.n)/pageSize*pageSize
		for i, b := range all {
			inside := uintptr(i) >= first && uintptr(i) < last
			if (b == 0) != inside {
				t.Fatalf("discard %d at %d: byte %d is %d", r.n, r.lo, i, b)
			}
		}
		Unreserve(p, pages*pageSize)
	}
}

type triple struct{ a, b, c uint32 }

// A table discards exactly the elements it is told to, wherever pages end.
func TestTableDiscard(t *testing.T) {
	const n = 3000 // elements of 12 bytes straddle pages
	for _, r := range []struct{ lo, hi uint32 }{
		{0, n}, {5, 6}, {5, 5}, {300, 700}, {341, 342}, {1, n - 1}, {340, 1024}, {1024, 2048},
	} {
		var table Table[triple]
		table.Init(n)
		if table.Max() != n {
			t.Fatalf("max %d", table.Max())
		}
		for i := range uint32(n) {
			*table.At(i) = triple{i + 1, i + 2, i + 3}
		}
		table.Discard(r.lo, r.hi)
		for i := range uint32(n) {
			want := triple{i + 1, i + 2, i + 3}
			if i >= r.lo && i < r.hi {
				want = triple{}
			}
			if *table.At(i) != want {
				t.Fatalf("discard %d to %d: element %d is %v", r.lo, r.hi, i, *table.At(i))
			}
		}
		table.Close()
	}
}

func TestLock(t *testing.T) {
	const threads, each = 4, 5000
	var l Lock
	n := 0
	var wg sync.WaitGroup
	for range threads {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range each {
				l.Lock()
				n++
				l.Unlock()
			}
		}()
	}
	wg.Wait()
	if n != threads*each {
		t.Errorf("%d increments of %d", n, threads*each)
	}
	if !l.TryLock() || l.TryLock() {
		t.Error("TryLock of a free lock takes it, of a taken one does not")
	}
	l.Unlock()
	if !l.TryLock() {
		t.Error("the lock stays taken")
	}
}

func TestPointer(t *testing.T) {
	p := Reserve(pageSize)
	defer Unreserve(p, pageSize)
	if Pointer(uintptr(p)) != p {
		t.Error("a pointer does not come back")
	}
}

// What a stock hands out is nobody else's and all zero, also when somebody has used it before.
func TestStock(t *testing.T) {
	var s Stock[[3]uint32]
	s.Init(5)
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 2))
	used := map[uint32]bool{}
	for range 1000 {
		switch i := s.Take(); {
		case i == 0 && len(used) != 4:
			t.Fatalf("no room beside %d elements", len(used))
		case i != 0 && (used[i] || *s.At(i) != [3]uint32{}):
			t.Fatalf("element %d is %v, used %v", i, *s.At(i), used[i])
		case i != 0:
			used[i], *s.At(i) = true, [3]uint32{1, 2, 3}
		}
		for i := range used {
			if r.IntN(3) == 0 {
				delete(used, i)
				s.Put(i)
			}
		}
	}
	if s.High() != 4 {
		t.Errorf("ids up to %d", s.High())
	}
}
