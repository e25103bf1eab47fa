package task_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/detrace/detrace/task"
)

func TestGroup(t *testing.T) {
	var g task.Group
	g.Sync() // of nothing
	for _, n := range []int{1, 3, 5, 5000} {
		done := make([]bool, n)
		for i := range n {
			g.Spawn(func() { done[i] = true })
		}
		g.Sync()
		for i := range done {
			if !done[i] {
				t.Fatalf("%d tasks: task %d is not joined", n, i)
			}
		}
	}
}

func TestFinishJoinsGrandchildren(t *testing.T) {
	var ran atomic.Int64
	task.Finish(func(s *task.Scope) {
		var tree func(depth int)
		tree = func(depth int) {
			ran.Add(1)
			if depth > 0 {
				s.Async(func() { tree(depth - 1) })
				s.Async(func() { tree(depth - 1) })
			}
		}
		s.Async(func() { tree(6) })
	})
	if got := ran.Load(); got != 127 {
		t.Errorf("%d tasks ended before the finish, want 127", got)
	}
}

// An Async on the outer scope inside an inner finish is waited for by the outer.
func TestFinishNamesItsScope(t *testing.T) {
	innerEnded := make(chan bool)
	joined := false
	task.Finish(func(outer *task.Scope) {
		task.Finish(func(*task.Scope) {
			outer.Async(func() {
				<-innerEnded
				joined = true
			})
		})
		close(innerEnded)
	})
	if !joined {
		t.Error("the outer finish did not wait")
	}
}

func TestFutureIsGotManyTimes(t *testing.T) {
	f := task.Create(func() string { return "x" })
	copies := task.Create(func() string { return f.Get() + f.Get() })
	if got := copies.Get() + f.Get(); got != "xxx" {
		t.Errorf("got %q, want xxx", got)
	}
}

func TestPromiseHasManyWaiters(t *testing.T) {
	p := task.NewPromise[int]()
	var g task.Group
	var got [10]int
	for i := range got {
		g.Spawn(func() { got[i] = p.Get() })
	}
	g.Spawn(func() { p.Set(7) })
	g.Sync()
	for i, v := range got {
		if v != 7 {
			t.Errorf("waiter %d got %d, want 7", i, v)
		}
	}
}

// Joins may be of what a neighbour left behind, or what the creator had.
func TestLine(t *testing.T) {
	var line task.Line
	var order [3]bool
	a := line.Fork(func(*task.Line) { order[0] = true })
	b := line.Fork(func(b *task.Line) {
		if b.Left() != a {
			t.Error("a is not left of b")
		}
		b.Join(a)
		if !order[0] {
			t.Error("b did not wait for a")
		}
		order[1] = true
		b.Fork(func(*task.Line) { order[2] = true })
	})
	line.Join(b)
	if line.Left() == nil || line.Left() == a {
		t.Fatalf("left of the first task is %v, want what b left", line.Left())
	}
	line.JoinAll()
	if order != [3]bool{true, true, true} {
		t.Errorf("joined %v, want all", order)
	}
	if line.Left() != nil {
		t.Errorf("%v is still there", line.Left())
	}
}

// Every cell must come after its two neighbours in the grid, for any number of
// stages and bound, with every third item skipping a stage.
func TestPipelineOrder(t *testing.T) {
	const items = 50
	for stages := 1; stages <= 6; stages++ {
		for _, bound := range []int{0, 1, 3} {
			passed := make([]int, stages) // by stage: items that passed
			body := make([]task.Stage[int], stages)
			for s := range body {
				body[s] = func(it *task.Item[int]) {
					skips := it.Index()%3 == 0 && s > 0 && s+1 < stages
					if it.Value != it.Index()*1000+s {
						t.Errorf("stage %d of item %d came after %d stages", s, it.Index(), it.Value%1000)
					}
					passed[s]++
					if passed[s] != it.Index()+1 && s < 2 {
						t.Errorf("stage %d of item %d came after %d items", s, it.Index(), passed[s])
					}
					it.Value++
					if skips {
						it.SkipTo(stages)
					}
				}
			}
			p := task.NewPipeline(body...)
			p.Bound = bound
			err := p.Run(context.Background(), func(yield func(int) bool) {
				for i := range items {
					if !yield(i * 1000) {
						return
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if last := stages - 1; last > 1 && passed[last] != items-(items+2)/3 {
				t.Errorf("%d stages: %d items passed the last, want all but each third", stages, passed[last])
			}
		}
	}
}

func TestPipelineStopsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	first, last := 0, 0
	p := task.NewPipeline(
		func(it *task.Item[int]) {
			if first++; it.Index() == 9 {
				cancel(cause)
			}
		},
		func(*task.Item[int]) { last++ },
	)
	if err := p.Run(ctx, forever); err != cause {
		t.Errorf("got %v, want the cause", err)
	}
	if first != 10 || last != 10 {
		t.Errorf("%d items began and %d ended, want 10", first, last)
	}
}

func forever(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

// caught is what f panics with.
func caught(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

//go:noinline
func explode(value any) { panic(value) }

// Every join panics with the value and the stack of its task.
func TestPanicReachesJoin(t *testing.T) {
	joins := map[string]func(value any){
		"Sync": func(v any) {
			var g task.Group
			g.Spawn(func() {})
			g.Spawn(func() { explode(v) })
			g.Sync()
		},
		"SyncContext": func(v any) {
			var g task.Group
			g.Spawn(func() { explode(v) })
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_ = g.SyncContext(ctx)
		},
		"Finish":  func(v any) { task.Finish(func(s *task.Scope) { s.Async(func() { explode(v) }) }) },
		"Future":  func(v any) { task.Create(func() int { explode(v); return 0 }).Get() },
		"Line":    func(v any) { var l task.Line; l.Join(l.Fork(func(*task.Line) { explode(v) })) },
		"JoinAll": func(v any) { var l task.Line; l.Fork(func(*task.Line) { explode(v) }); l.JoinAll() },
		"stage 0": func(v any) { pipelineThatPanics(0, v) },
		"stage 2": func(v any) { pipelineThatPanics(2, v) },
		"two levels": func(v any) {
			task.Create(func() int { return task.Create(func() int { explode(v); return 0 }).Get() }).Get()
		},
	}
	for name, join := range joins {
		t.Run(name, func(t *testing.T) {
			p, ok := caught(func() { join(io.EOF) }).(*task.PanicError)
			if !ok {
				t.Fatal("no *PanicError")
			}
			if !errors.Is(p, io.EOF) {
				t.Errorf("%v is not the panic value", p.Unwrap())
			}
			if s := string(p.Stack); !strings.Contains(s, "task_test.explode(") {
				t.Errorf("the stack is not that of the task:\n%s", s)
			}
			if !strings.HasPrefix(p.Error(), "panic in a task: EOF\n") {
				t.Errorf("unexpected text: %s", p)
			}
			if err := caught(func() { join("text") }).(*task.PanicError).Unwrap(); err != nil {
				t.Errorf("a string unwraps to %v", err)
			}
		})
	}
}

func pipelineThatPanics(stage int, value any) {
	body := make([]task.Stage[int], 4)
	for s := range body {
		body[s] = func(it *task.Item[int]) {
			if it.Index() == 20 && s == stage {
				explode(value)
			}
		}
	}
	_ = task.NewPipeline(body...).Run(context.Background(), forever)
}

// Of several panics the earliest wins, whichever came first.
func TestEarliestPanicWins(t *testing.T) {
	second := make(chan bool)
	var g task.Group
	for i := range 10 {
		g.Spawn(func() {
			switch i {
			case 3:
				<-second
				panic(i)
			case 7:
				defer close(second)
				panic(i)
			}
		})
	}
	if p := caught(g.Sync).(*task.PanicError); p.Value != 3 {
		t.Errorf("the group panics with %v, want 3", p.Value)
	}
	if p := caught(g.Sync); p != nil {
		t.Errorf("the next Sync panics again: %v", p)
	}

	second = make(chan bool)
	p := task.NewPipeline(
		func(it *task.Item[int]) {
			if it.Index() == 5 {
				defer close(second)
				panic(5)
			}
		},
		func(it *task.Item[int]) {
			if it.Index() == 2 {
				<-second
				panic(2)
			}
		},
	)
	if p := caught(func() { _ = p.Run(context.Background(), forever) }).(*task.PanicError); p.Value != 2 {
		t.Errorf("the pipeline panics with %v, want 2", p.Value)
	}
}

// Finish waits even when its body panics, whose panic goes on as it was.
func TestFinishBodyPanics(t *testing.T) {
	ended := false
	v := caught(func() {
		task.Finish(func(s *task.Scope) {
			s.Async(func() { ended = true })
			panic("body")
		})
	})
	if v != "body" || !ended {
		t.Errorf("panic %v, task ended %v; want body, true", v, ended)
	}
}

// The source's own panic leaves no stage behind.
func TestPipelineSourcePanics(t *testing.T) {
	passed := 0
	p := task.NewPipeline(func(*task.Item[int]) {}, func(*task.Item[int]) { passed++ })
	v := caught(func() {
		_ = p.Run(context.Background(), func(yield func(int) bool) {
			yield(1)
			yield(2)
			panic("source")
		})
	})
	if v != "source" || passed != 2 {
		t.Errorf("panic %v after %d items, want source after 2", v, passed)
	}
}

func TestGoexitReachesJoin(t *testing.T) {
	ended, went := make(chan bool), true
	go func() {
		defer close(ended)
		task.Create(func() int { runtime.Goexit(); return 0 }).Get()
		went = false
	}()
	<-ended
	if !went {
		t.Error("Get returned")
	}
}

// A stage that exits passes on what comes, and Run exits.
func TestGoexitInPipeline(t *testing.T) {
	for stage := range 3 {
		ended, went, last := make(chan bool), true, 0
		go func() {
			defer close(ended)
			body := make([]task.Stage[int], 3)
			for s := range body {
				body[s] = func(it *task.Item[int]) {
					if s == stage && it.Index() == 5 {
						runtime.Goexit()
					}
					if s == 2 {
						last++
					}
				}
			}
			_ = task.NewPipeline(body...).Run(context.Background(), forever)
			went = false
		}()
		<-ended
		if !went || last != 5 {
			t.Errorf("stage %d: Run returned %v after %d items, want to exit after 5", stage, !went, last)
		}
	}
}

func TestPipelineBound(t *testing.T) {
	var inside, most atomic.Int64
	p := task.NewPipeline(
		func(*task.Item[int]) { most.Store(max(most.Load(), inside.Add(1))) },
		func(*task.Item[int]) {},
		func(*task.Item[int]) { inside.Add(-1) },
	)
	p.Bound = 3
	if err := p.Run(context.Background(), count(2000)); err != nil {
		t.Fatal(err)
	}
	if most.Load() > 3 {
		t.Errorf("%d items were under way, want at most 3", most.Load())
	}
}

// where is the file:line of its caller, so many lines further down.
func where(down int) string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", file, line+down)
}

func misuseOf(t *testing.T, f func()) *task.MisuseError {
	t.Helper()
	m, ok := caught(f).(*task.MisuseError)
	if !ok {
		t.Fatal("no *MisuseError")
	}
	if !strings.Contains(m.Error(), m.At) || !strings.Contains(m.Error(), m.Other) {
		t.Errorf("%q does not name %s and %s", m, m.At, m.Other)
	}
	return m
}

func wantPlaces(t *testing.T, m *task.MisuseError, at, other string) {
	t.Helper()
	if m.At != at || m.Other != other {
		t.Errorf("%v\nat %s and %s, want %s and %s", m, m.At, m.Other, at, other)
	}
}

func TestMisuseNamesBothPlaces(t *testing.T) {
	t.Run("promise set twice", func(t *testing.T) {
		p := task.NewPromise[int]()
		first := where(1)
		p.Set(1)
		at := where(1)
		m := misuseOf(t, func() { p.Set(2) })
		wantPlaces(t, m, at, first)
		if p.Get() != 1 {
			t.Errorf("the second set changed the value to %d", p.Get())
		}
	})
	t.Run("promise set twice at one time", func(t *testing.T) {
		p := task.NewPromise[string]()
		var g task.Group
		at := where(2)
		for range 2 {
			g.Spawn(func() { p.Set("x") })
		}
		e, _ := caught(g.Sync).(error)
		var m *task.MisuseError
		if !errors.As(e, &m) {
			t.Fatal("no *MisuseError")
		}
		wantPlaces(t, m, at, at)
	})
	t.Run("async after finish", func(t *testing.T) {
		var kept *task.Scope
		body := where(1)
		task.Finish(func(s *task.Scope) { kept = s })
		at := where(1)
		m := misuseOf(t, func() { kept.Async(func() {}) })
		wantPlaces(t, m, at, body)
	})
	t.Run("spawn after giving up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		release := make(chan bool)
		var g task.Group
		g.Spawn(func() { <-release })
		gaveUp := where(1)
		if err := g.SyncContext(ctx); err != context.Canceled {
			t.Fatalf("got %v", err)
		}
		at := where(1)
		m := misuseOf(t, func() { g.Spawn(func() {}) })
		wantPlaces(t, m, at, gaveUp)
		close(release)
		g.Sync()
		g.Spawn(func() {})
		g.Sync()
	})
	t.Run("join of another than the left neighbour", func(t *testing.T) {
		var line task.Line
		f := where(1)
		a := line.Fork(func(*task.Line) {})
		g := where(1)
		b := line.Fork(func(*task.Line) {})
		at := where(1)
		m := misuseOf(t, func() { line.Join(a) })
		wantPlaces(t, m, at, f)
		if want := fmt.Sprintf("leftwards stand [fork 2, %s] [fork 1, %s]", g, f); !strings.HasSuffix(m.Error(), want) {
			t.Errorf("%v\ndoes not end in %q", m, want)
		}
		line.Join(b)
		line.Join(a)
		m = misuseOf(t, func() { line.Join(a) })
		if !strings.HasSuffix(m.Error(), "stand nobody") {
			t.Error(m)
		}
	})
	t.Run("fork after the end", func(t *testing.T) {
		var line task.Line
		f := where(1)
		a := line.Fork(func(*task.Line) {})
		line.JoinAll()
		at := where(1)
		m := misuseOf(t, func() { a.Fork(func(*task.Line) {}) })
		wantPlaces(t, m, at, f)
	})
	t.Run("zero values", func(t *testing.T) {
		at := where(2)
		for _, f := range []func(){
			func() { new(task.Future[int]).Get() }, func() { new(task.Promise[int]).Get() }, func() { new(task.Promise[int]).Set(1) },
		} {
			m := misuseOf(t, f)
			wantPlaces(t, m, at, "")
		}
	})
	t.Run("skip backwards", func(t *testing.T) {
		at := where(1)
		p := task.NewPipeline(func(*task.Item[int]) {}, func(it *task.Item[int]) { it.SkipTo(1) })
		e, _ := caught(func() { _ = p.Run(context.Background(), forever) }).(error)
		var m *task.MisuseError
		if !errors.As(e, &m) {
			t.Fatalf("got %v", e)
		}
		wantPlaces(t, m, at, "")
	})
}

func TestContexts(t *testing.T) {
	ended, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("late")
	cancel(cause)
	release := make(chan bool)
	f := task.Create(func() int { <-release; return 1 })
	p := task.NewPromise[int]()
	if _, err := f.GetContext(ended); err != cause {
		t.Errorf("future: got %v, want the cause", err)
	}
	if _, err := p.GetContext(ended); err != cause {
		t.Errorf("promise: got %v, want the cause", err)
	}
	close(release)
	p.Set(2)
	f.Get()
	// What is there is there, whatever became of the context.
	if v, err := f.GetContext(ended); v != 1 || err != nil {
		t.Errorf("future: got %d, %v", v, err)
	}
	if v, err := p.GetContext(ended); v != 2 || err != nil {
		t.Errorf("promise: got %d, %v", v, err)
	}
	if v, err := p.GetContext(context.Background()); v != 2 || err != nil {
		t.Errorf("promise: got %d, %v", v, err)
	}
	live, stop := context.WithCancel(context.Background())
	defer stop()
	if v, err := task.Create(func() int { return 3 }).GetContext(live); v != 3 || err != nil {
		t.Errorf("future: got %d, %v", v, err)
	}
}
