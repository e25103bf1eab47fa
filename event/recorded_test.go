package event_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
)

// raw is a raw trace of events; a Name is followed by the file.
func raw(t *testing.T, events []rawtrace.Event) *rawtrace.Reader {
	t.Helper()
	window := make([]uint64, rawtrace.WindowSize/8)
	base := unsafe.Pointer(&window[0])
	var w rawtrace.Writer
	w.Init(base, func(uint64) (unsafe.Pointer, uint32) { return nil, 1 }, base)
	for _, e := range events {
		if e.Kind == rawtrace.Name {
			w.AppendName(e.Place, fmt.Sprint("f", e.Place, ".go"), uint32(e.Addr))
			continue
		}
		w.Append(e)
	}
	r, err := rawtrace.NewReader("raw", bytes.NewReader(unsafe.Slice((*byte)(base), rawtrace.WindowSize)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func site(file string, line int) string { return fmt.Sprint(file, ":", line) }

// convert is the trace of raw events, without its first line. It must be possible.
func convert(t *testing.T, events []rawtrace.Event) string {
	t.Helper()
	var out bytes.Buffer
	w := event.NewTextWriter(&out)
	if err := event.Convert(raw(t, events), site, w.Write); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := event.NewBinder(100)
	defer b.Close()
	got, err := read(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got {
		if e.Kind.Access() {
			_, err = b.Access(e)
		} else {
			err = b.Control(e, func(*reach.Construct) reach.Refusal { return reach.Refusal{} })
		}
		if err != nil {
			t.Errorf("%v in\n%s", err, &out)
		}
	}
	if err := b.Finish(); err != nil {
		t.Errorf("%v in\n%s", err, &out)
	}
	_, text, _ := strings.Cut(out.String(), "\n")
	return strings.TrimSuffix(strings.ReplaceAll(text, "\n", "; "), "; ")
}

func control(kind reach.Kind, task, arg uint32) rawtrace.Event {
	return rawtrace.Event{Kind: rawtrace.Kind(kind), Task: task, Arg: arg}
}

func inFinish(kind reach.Kind, task, arg uint32, finish uint64) rawtrace.Event {
	return rawtrace.Event{Kind: rawtrace.Kind(kind), Task: task, Arg: arg, Size: finish}
}

func onPromise(kind reach.Kind, task uint32, promise uint64) rawtrace.Event {
	return rawtrace.Event{Kind: rawtrace.Kind(kind), Task: task, Addr: promise}
}

func start(task, child uint32) rawtrace.Event {
	return rawtrace.Event{Kind: rawtrace.Go, Task: task, Arg: child}
}

func ended(task uint32) rawtrace.Event { return rawtrace.Event{Kind: rawtrace.Ended, Task: task} }

// at is an event of a task at an address: a synchronisation, or an access of a byte.
func at(kind rawtrace.Kind, task uint32, addr uint64) rawtrace.Event {
	return rawtrace.Event{Kind: kind, Task: task, Addr: addr, Size: 1}
}

func TestConvert(t *testing.T) {
	main := start(0, 1)
	const (
		write, readByte                  = rawtrace.Write, rawtrace.Read
		acquire, release, merge, swapped = rawtrace.Acquire, rawtrace.Release, rawtrace.ReleaseMerge, rawtrace.ReleaseAcquire
	)
	news := func(e rawtrace.Event) rawtrace.Event { e.Arg = 1; return e }
	for _, tt := range []struct {
		name   string
		events []rawtrace.Event
		want   string
	}{
		{"nothing", nil, "end 0"},
		{"accesses with places", []rawtrace.Event{main,
			{Kind: rawtrace.Name, Place: 9, Addr: 12}, {Kind: write, Task: 1, Place: 9, Addr: 0x10, Size: 1},
			{Kind: rawtrace.AtomicRead, Task: 1, Place: 9, Addr: 0x20, Size: 1}, {Kind: rawtrace.AtomicWrite, Task: 1, Addr: 0x20, Size: 4}},
			"write 0 0x10 1 f9.go:12; atomicread 0 0x20 1 f9.go:12; atomicwrite 0 0x20 4; end 0"},
		{"a goroutine is an async", []rawtrace.Event{main, start(1, 2), at(write, 1, 1), at(write, 2, 1), ended(2)},
			"async 0 2; write 0 0x1 1; write 2 0x1 1; end 2; end 0"},
		{"two goroutines of the runtime", []rawtrace.Event{main, start(0, 2), at(write, 1, 1), at(write, 2, 1), ended(2)},
			"async 0 1; async 0 2; write 1 0x1 1; write 2 0x1 1; end 2; end 1; end 0"},
		{"who does nothing is left out", []rawtrace.Event{main, start(1, 2), start(2, 3), ended(3), start(1, 4), start(4, 5), at(write, 5, 1)},
			"async 0 4; async 4 5; write 5 0x1 1; end 5; end 4; end 0"},
		{"a release replaces", []rawtrace.Event{main, start(1, 2), start(1, 3), at(write, 2, 1), at(release, 2, 64), at(write, 3, 2), at(release, 3, 64), at(acquire, 1, 64), at(write, 1, 3)},
			"async 0 2; async 0 3; write 2 0x1 1; write 3 0x2 1; promise 3 1; set 3 1; await 0 1; write 0 0x3 1; end 3; end 2; end 0"},
		{"merges add up, and are taken once", []rawtrace.Event{main, start(1, 2), start(1, 3), at(write, 2, 1), at(merge, 2, 64), at(write, 3, 2), at(merge, 3, 64), at(acquire, 1, 64), at(write, 1, 3),
			at(merge, 3, 64), at(acquire, 1, 64)},
			"async 0 2; async 0 3; write 2 0x1 1; promise 2 1; set 2 1; write 3 0x2 1; promise 3 2; set 3 2; await 0 1; await 0 2; write 0 0x3 1; promise 3 3; set 3 3; await 0 3; end 3; end 2; end 0"},
		{"who does nothing hands over", []rawtrace.Event{main, start(1, 2), start(1, 3), start(1, 4), at(write, 2, 1), at(release, 2, 64), at(acquire, 3, 64), at(release, 3, 72), at(acquire, 4, 72), at(write, 4, 1)},
			"async 0 2; async 0 3; async 0 4; write 2 0x1 1; promise 2 1; set 2 1; await 3 1; promise 3 2; set 3 2; await 4 2; write 4 0x1 1; end 4; end 3; end 2; end 0"},
		{"a child that did nothing has nothing to tell", []rawtrace.Event{main, start(1, 2), at(release, 2, 64), at(acquire, 1, 64), at(write, 1, 1)},
			"write 0 0x1 1; end 0"},
		{"but to others", []rawtrace.Event{main, start(1, 3), at(write, 1, 1), start(1, 2), at(release, 2, 64), at(acquire, 3, 64), at(write, 3, 1)},
			"async 0 3; write 0 0x1 1; async 0 2; promise 2 1; set 2 1; await 3 1; write 3 0x1 1; end 3; end 2; end 0"},
		{"an exchange stands for what was before", []rawtrace.Event{main, start(1, 2), start(1, 3), at(write, 2, 1), at(swapped, 2, 64), at(write, 3, 1), news(at(swapped, 3, 64)), news(at(swapped, 2, 64)), at(write, 2, 2)},
			"async 0 2; async 0 3; write 2 0x1 1; promise 2 1; set 2 1; write 3 0x1 1; promise 3 2; set 3 2; await 3 1; await 2 2; write 2 0x2 1; end 3; end 2; end 0"},
		{"new memory holds nothing", []rawtrace.Event{main, start(1, 2), at(write, 2, 1), at(release, 2, 64),
			{Kind: rawtrace.Alloc, Addr: 60, Size: 8}, at(acquire, 1, 64), at(write, 1, 1)},
			"async 0 2; write 2 0x1 1; alloc 0 0x3c 8; write 0 0x1 1; end 2; end 0"},
		{"memory that nobody used is not new", []rawtrace.Event{main, {Kind: rawtrace.Alloc, Addr: 0x1000, Size: 4096}, at(write, 1, 0x1000), {Kind: rawtrace.Alloc, Addr: 0x1000, Size: 64}, at(write, 1, 0x2000), {Kind: rawtrace.Alloc, Addr: 0x1000, Size: 1}},
			"write 0 0x1000 1; alloc 0 0x1000 64; write 0 0x2000 1; alloc 0 0x1000 1; end 0"},
		{"constructs", []rawtrace.Event{main, control(reach.Spawn, 1, 2), at(readByte, 2, 1), control(reach.End, 2, 0), control(reach.Sync, 1, 0), inFinish(reach.Finish, 1, 0, 1), inFinish(reach.Async, 1, 3, 1),
			onPromise(reach.Set, 3, 5), control(reach.End, 3, 0), inFinish(reach.EndFinish, 1, 0, 1), onPromise(reach.Await, 1, 5), control(reach.Create, 1, 4), control(reach.End, 4, 0), control(reach.Get, 1, 4),
			control(reach.Fork, 1, 5), control(reach.End, 5, 0), control(reach.Join, 1, 5)},
			"spawn 0 2; read 2 0x1 1; end 2; sync 0; finish 0; async 0 3; promise 3 1; set 3 1; end 3; endfinish 0; await 0 1; create 0 4; end 4; get 0 4; fork 0 5; end 5; join 0 5; end 0"},
		{"a goroutine in a finish is a future", []rawtrace.Event{main, inFinish(reach.Finish, 1, 0, 1), start(1, 2), at(write, 2, 1), start(2, 3), at(write, 3, 1), inFinish(reach.EndFinish, 1, 0, 1), at(write, 1, 1)},
			"finish 0; create 0 2; write 2 0x1 1; create 2 3; write 3 0x1 1; endfinish 0; write 0 0x1 1; end 3; end 2; end 0"},
		{"what is left without a join is not joined", []rawtrace.Event{main, control(reach.Create, 1, 2), control(reach.Spawn, 2, 3), control(reach.End, 3, 0), inFinish(reach.Finish, 2, 0, 1), inFinish(reach.Async, 2, 4, 1), control(reach.End, 4, 0),
			{Kind: rawtrace.Abandon, Task: 2}, control(reach.End, 2, 0), control(reach.Get, 1, 2)},
			"create 0 2; create 2 3; end 3; create 2 4; end 4; end 2; get 0 2; end 0"},
		{"finishes that end out of order", []rawtrace.Event{main, inFinish(reach.Finish, 1, 0, 1), inFinish(reach.Async, 1, 2, 1), control(reach.End, 2, 0), inFinish(reach.Finish, 1, 0, 2), inFinish(reach.Async, 1, 3, 2), control(reach.End, 3, 0),
			{Kind: rawtrace.JoinOutOfOrder, Task: 1, Size: 1}, inFinish(reach.EndFinish, 1, 0, 2)},
			"create 0 2; end 2; finish 0; async 0 3; end 3; get 0 2; endfinish 0; end 0"},
		{"the end comes in the middle of all", []rawtrace.Event{main, inFinish(reach.Finish, 1, 0, 1), inFinish(reach.Async, 1, 2, 1), inFinish(reach.Finish, 2, 0, 2), control(reach.Spawn, 2, 3)},
			"finish 0; async 0 2; finish 2; spawn 2 3; end 3; endfinish 2; end 2; endfinish 0; end 0"},
		{"finalizers know what was", []rawtrace.Event{main, start(1, 2), at(write, 2, 1), ended(2), start(1, 3), at(write, 1, 2), {Kind: rawtrace.AcquireAll, Task: 3}, at(write, 3, 1), ended(3), ended(1)},
			"async 0 2; write 2 0x1 1; promise 2 1; set 2 1; end 2; async 0 3; write 0 0x2 1; promise 0 2; set 0 2; await 3 1; await 3 2; write 3 0x1 1; end 3; end 0"},
	} {
		if got := convert(t, tt.events); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// Many merges of few tasks are few releases to take.
func TestMergesStayFew(t *testing.T) {
	events := []rawtrace.Event{start(0, 1)}
	for task := uint32(2); task < 12; task++ {
		events = append(events, start(1, task), at(rawtrace.Write, task, uint64(task)))
	}
	for i := range 1000 {
		events = append(events, at(rawtrace.ReleaseMerge, uint32(2+i%10), 64))
	}
	got := convert(t, append(events, at(rawtrace.Acquire, 1, 64), at(rawtrace.Write, 1, 1)))
	if n := strings.Count(got, "await"); n < 10 || n > 40 {
		t.Errorf("%d awaits for 10 tasks", n)
	}
}

func TestConvertErrors(t *testing.T) {
	full := errors.New("full")
	failing := func(event.Event) error { return full }
	if err := event.Convert(raw(t, []rawtrace.Event{start(0, 1), at(rawtrace.Write, 1, 1)}), site, failing); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	if err := event.Convert(raw(t, []rawtrace.Event{start(0, 1<<30)}), site, failing); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("got %v", err)
	}
}
