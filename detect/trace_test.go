package detect

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/detrace/detrace/detect/structured"
	"github.com/detrace/detrace/event"
	"github.com/detrace/detrace/internal/rawtrace"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// recorder is a twin that writes a raw trace as the hooks of a judged program do.
type recorder struct {
	*twin
	raw  rawtrace.Writer
	file []uint64
	racy map[uintptr]bool
	done int // accesses that were repetitions
}

// record runs a program and returns its trace.
func (r *recorder) record(steps []step) ([]event.Event, error) {
	clear(r.file)
	r.raw = rawtrace.Writer{}
	base := unsafe.Pointer(&r.file[0])
	r.raw.Init(base, func(uint64) (unsafe.Pointer, uint32) { return nil, 28 }, base)
	r.racy = make(map[uintptr]bool)
	r.raw.Append(rawtrace.Event{Kind: rawtrace.Go, Arg: 1})
	r.hook = r.step
	defer func() { r.hook = nil }()
	if err := r.run(steps); err != nil {
		return nil, err
	}
	in, err := rawtrace.NewReader("raw", bytes.NewReader(unsafe.Slice((*byte)(base), 8*len(r.file))))
	if err != nil {
		return nil, err
	}
	var events []event.Event
	err = event.Convert(in, nil, func(e event.Event) error {
		e.Line = len(events) + 2
		events = append(events, e)
		return nil
	})
	return events, err
}

// number is the number of a task: 1 is the first of the program.
func (r *recorder) number(t reach.Task) uint32 {
	return r.Engine.Serial(t) - r.first + 1
}

func (r *recorder) tell(kind rawtrace.Kind, t reach.Task, s step, arg uint32) {
	r.raw.Append(rawtrace.Event{Kind: kind, Task: r.number(t), Arg: arg, Addr: uint64(s.addr), Size: uint64(s.size)})
}

// step is that of twin, told of.
func (r *recorder) step(s step) error {
	t, u := r.tasks[s.task], r.twins[s.task]
	switch s.what {
	case "read", "write", "readrange", "writerange":
		return r.plain(s)
	case "load", "store", "add":
		return r.atomic(s)
	case "acquire":
		r.clocks.Acquire(u, r.twinObject(s.addr))
		r.acquire(s)
	case "exchange":
		r.clocks.ReleaseAcquire(u, r.twinObject(s.addr))
		news := uint32(0)
		if r.ReleaseAcquire(t, s.addr) {
			news = 1
		}
		r.tell(rawtrace.ReleaseAcquire, t, s, news)
	case "fork":
		n := len(r.tasks)
		if err := r.twin.step(s); err != nil {
			return err
		}
		if len(r.tasks) > n {
			r.tell(rawtrace.Go, t, step{}, r.number(r.tasks[n]))
		}
	default:
		if kind := map[string]rawtrace.Kind{"release": rawtrace.Release, "merge": rawtrace.ReleaseMerge, "forget": rawtrace.Alloc, "end": rawtrace.Ended}[s.what]; kind != 0 && (s.what != "end" || s.task != 1) {
			r.tell(kind, t, s, 0)
		}
		return r.twin.step(s)
	}
	return nil
}

func (r *recorder) acquire(s step) {
	if t := r.tasks[s.task]; r.Acquire(t, s.addr) {
		r.tell(rawtrace.Acquire, t, s, 0)
	}
}

func (r *recorder) plain(s step) error {
	t := r.tasks[s.task]
	p := r.proc(t)
	checked := p.Checked
	err := r.twin.step(s)
	kind, op := rawtrace.Read, shadow.Read
	if s.what[0] == 'w' {
		kind, op = rawtrace.Write, shadow.Write
	}
	if p.Checked != checked && (r.outcome.Changed || r.outcome.Full) {
		r.tell(kind, t, s, 0)
	} else {
		r.done++
	}
	r.races(s, op)
	return err
}

func (r *recorder) atomic(s step) error {
	t, u := r.tasks[s.task], r.twins[s.task]
	kind, op := rawtrace.AtomicWrite, shadow.AtomicWrite
	if s.what == "load" {
		kind, op = rawtrace.AtomicRead, shadow.AtomicRead
	}
	r.twin.races, *r.count = nil, 0
	r.slow(t, op, s)
	if r.outcome.Changed || r.outcome.Full {
		r.tell(kind, t, s, 0)
	}
	err := r.judge(s, op)
	r.races(s, op)
	if s.what != "store" {
		r.clocks.Acquire(u, r.twinObject(s.addr))
		r.acquire(s)
	}
	if s.what != "load" {
		r.Release(t, s.addr)
		r.clocks.Release(u, r.twinObject(s.addr))
		r.tell(rawtrace.Release, t, s, 0)
	}
	return err
}

// races notes the bytes that the access just made races on, by vector clocks.
func (r *recorder) races(s step, op shadow.Op) {
	for b := s.addr; b < s.addr+s.size; b++ {
		for _, x := range r.bytes[b] {
			if conflict(x.op, op) && !r.clocks.Precedes(x.clock, r.twins[s.task]) {
				r.racy[b] = true
			}
		}
	}
}

// judgeTrace compares what engines say of a trace with what races.
func (r *recorder) judgeTrace(events []event.Event) error {
	for _, engine := range []string{structured.Oracle, structured.Auto, "jointree"} {
		j, err := structured.New(structured.Config{Engine: engine, Tasks: 1 << 10, Strands: 1 << 14})
		if err != nil {
			return err
		}
		for _, e := range events {
			if err := j.Do(e); err != nil {
				return fmt.Errorf("%s: %w", engine, err)
			}
		}
		if err := j.End(); err != nil {
			return fmt.Errorf("%s: %w", engine, err)
		}
		n := uint64(0)
		for _, x := range j.Racy().Ranges() {
			for b := x.Lo; b <= x.Last; b++ {
				if !r.racy[uintptr(b)] {
					return fmt.Errorf("%s: byte %#x races in the trace and not in the run", engine, b)
				}
				n++
			}
		}
		j.Close()
		if n != uint64(len(r.racy)) {
			return fmt.Errorf("%s: %d bytes race in the trace, %d in the run", engine, n, len(r.racy))
		}
	}
	return nil
}

// Traces of random programs, recorded as judged programs do, have the races of the
// programs. Repetitions, those that the fast path ends among them, are not in them.
func TestTrace(t *testing.T) {
	r := &recorder{twin: &twin{judged: newJudged(t)}, file: make([]uint64, 1<<14)}
	r.NoMoves = true
	racy := 0
	for seed := range uint64(1000) {
		steps := randomSteps(rand.New(rand.NewPCG(seed, 5)), 150)
		run := func(steps []step) error {
			events, err := r.record(steps)
			if err == nil {
				err = r.judgeTrace(events)
			}
			return err
		}
		if err := run(steps); err != nil {
			for i := 0; i < len(steps); {
				fewer := slices.Delete(slices.Clone(steps), i, i+1)
				if e := run(fewer); e != nil {
					steps, err = fewer, e
				} else {
					i++
				}
			}
			t.Fatalf("seed %d: %v\n%v", seed, err, text(steps))
		}
		racy += len(r.racy)
	}
	if racy < 1000 || r.done < 1000 {
		t.Errorf("%d racing bytes, %d repetitions: the test is blind", racy, r.done)
	}
}
