package projection

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
)

// file is a file of costs with these events.
func file(t *testing.T, all []rawtrace.Event) *rawtrace.Reader {
	t.Helper()
	window := make([]uint64, rawtrace.WindowSize/8)
	base := unsafe.Pointer(&window[0])
	var w rawtrace.Writer
	w.Init(base, nil, base)
	for _, e := range all {
		w.Append(e)
	}
	in, err := rawtrace.NewReader("costs", bytes.NewReader(unsafe.Slice((*byte)(base), rawtrace.WindowSize)))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// did is that a task stopped its own work, and did a construct that the detector knew of from began
// to told.
func did(kind reach.Kind, task, other uint32, halted, began, told uint64) []rawtrace.Event {
	return []rawtrace.Event{
		{Kind: rawtrace.Halted, Task: task, Addr: halted},
		{Kind: rawtrace.Kind(kind), Task: task, Arg: other},
		{Kind: rawtrace.Cost, Task: task, Addr: began, Size: told},
	}
}

// The main task spawns one that takes 50, takes 10 itself and joins it.
func TestRead(t *testing.T) {
	events := slices.Concat(
		did(reach.Spawn, 1, 7, 1000, 1003, 1005),
		[]rawtrace.Event{{Kind: rawtrace.Halted, Task: 1, Addr: 1015}}, // to wait
		did(reach.End, 7, 0, 1065, 1066, 1068),
		did(reach.Sync, 1, 0, 0, 0, 0)[1:],
		[]rawtrace.Event{{Kind: rawtrace.Halted, Addr: 1100}},
	)
	events[len(events)-2].Addr, events[len(events)-2].Size = 1072, 1075
	d, err := Read(file(t, events), 1110)
	if err != nil {
		t.Fatal(err)
	}
	want := []strand{
		{own: 1003, last: 2, preds: 0},
		{own: 51, last: 2, preds: 1},           // the child
		{own: 10, preds: 1},                    // the continuation, which waits
		{first: 3, own: 4 + 25 + 10, preds: 2}, // wakes up, and goes on to the end
	}
	if d.Len() != len(want) {
		t.Fatalf("%d strands: %+v", d.Len(), d.strands)
	}
	for i, s := range d.strands {
		if s.first != want[i].first || s.own != want[i].own || s.last != want[i].last || s.preds != want[i].preds {
			t.Errorf("strand %d: %+v, want %+v", i+1, s, want[i])
		}
	}
	if d.Work() != 1110 || d.Span() != 1110-10 {
		t.Errorf("work %d, span %d", d.Work(), d.Span())
	}
}

// What the clock itself takes is nobody's.
func TestClock(t *testing.T) {
	events := append([]rawtrace.Event{{Kind: rawtrace.Clock, Size: 2000}}, did(reach.Finish, 1, 0, 100, 101, 110)...)
	d, err := Read(file(t, events), 110)
	if err != nil || d.strands[0].own != 98 || d.strands[0].last != 7 || d.Work() != 105 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestReadFails(t *testing.T) {
	cost := rawtrace.Event{Kind: rawtrace.Cost, Task: 1}
	for _, test := range []struct {
		events []rawtrace.Event
		want   string
	}{
		{nil, "no construct"},
		{[]rawtrace.Event{{Kind: rawtrace.Halted, Addr: 5}}, "no construct"},
		{[]rawtrace.Event{cost}, "a cost of nothing"},
		{[]rawtrace.Event{{Kind: rawtrace.Read, Task: 1}, cost}, "no construct"},
		{did(reach.EndFinish, 1, 0, 1, 2, 3), "no finish open"},
		{append(did(reach.Finish, 1, 0, 1, 2, 3), did(reach.End, 2, 0, 4, 5, 6)...), "task 2 of the file of costs was not started"},
		{did(reach.Get, 1, 2, 1, 2, 3), "task 2 of the file of costs was not started"},
	} {
		if _, err := Read(file(t, test.events), time.Second); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
}
