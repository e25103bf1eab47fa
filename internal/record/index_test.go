package record_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/detrace/detrace/internal/record"
)

func TestIndexTellsApart(t *testing.T) {
	var x record.Index
	x.Init()
	seen := make(map[*record.Entry]bool)
	for kind := uint32(1); kind <= 4; kind++ {
		for a := range uint64(30) {
			for b := range uint64(30) {
				e, again := x.Find(kind, a, b<<32)
				if again || seen[e] {
					t.Fatalf("(%d, %d, %d) was seen before", kind, a, b)
				}
				seen[e] = true
				if e2, again := x.Find(kind, a, b<<32); !again || e2 != e {
					t.Fatalf("(%d, %d, %d) is not found again", kind, a, b)
				}
			}
		}
	}
}

// When there is no more room, what is known is still found, and what is new is
// told apart from it: nobody may take it for seen, and so for written.
func TestIndexFull(t *testing.T) {
	var x record.Index
	x.Init()
	first, _ := x.Find(record.KindRace, 1, 2)
	n := uint64(0)
	for {
		e, seen := x.Find(record.KindStack, n, 0)
		if seen {
			t.Fatalf("stack %d is new and counts as seen", n)
		}
		if e == nil {
			break
		}
		if n++; n > 1<<24 {
			t.Fatal("the index is never full")
		}
	}
	if e, seen := x.Find(record.KindRace, 1, 2); e != first || !seen {
		t.Error("an old entry is not found in a full index")
	}
	if e, seen := x.Find(record.KindRace, 3, 4); e != nil || seen {
		t.Errorf("a new race in a full index: entry %v, seen %v", e, seen)
	}
}

// Occurrences count before there is a place in the file, and from then on in it.
func TestEntryCounts(t *testing.T) {
	f := newFile(record.HeaderSize + 256)
	var x record.Index
	x.Init()
	e, _ := x.Find(record.KindReason, 1, 1)
	var wg sync.WaitGroup
	count := func() {
		for range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for range 1000 {
					e.Count()
				}
			}()
		}
		wg.Wait()
	}
	count()
	f.Begin(record.KindReason)
	f.U64(1)
	for _, v := range []uint32{record.ReasonSelect, 0, 0, 0} {
		f.U32(v)
	}
	e.Place((*uint64)(unsafe.Pointer(f.End())))
	count()
	got, err := record.Parse(f.bytes())
	if err != nil || len(got.Reasons) != 1 || got.Reasons[0].Count != 8000 {
		t.Errorf("reasons %+v, error %v, want one with count 8000", got.Reasons, err)
	}
}
