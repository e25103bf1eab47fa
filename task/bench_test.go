package task_test

import (
	"context"
	"sync"
	"testing"

	"github.com/detrace/detrace/task"
)

// Each benchmark does the same work with a construct and as one would write it
// by hand, without handling panics or misuse.

const tasks = 100

func BenchmarkSpawn(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var g task.Group
			for range tasks {
				g.Spawn(func() {})
			}
			g.Sync()
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			for range tasks {
				wg.Add(1)
				go func() { defer wg.Done() }()
			}
			wg.Wait()
		}
	})
}

func BenchmarkFib(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fibTask(14)
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			fibHand(14)
		}
	})
}

func fibTask(n int) int {
	if n < 2 {
		return n
	}
	var g task.Group
	var x int
	g.Spawn(func() { x = fibTask(n - 1) })
	y := fibTask(n - 2)
	g.Sync()
	return x + y
}

func fibHand(n int) int {
	if n < 2 {
		return n
	}
	var wg sync.WaitGroup
	var x int
	wg.Add(1)
	go func() {
		defer wg.Done()
		x = fibHand(n - 1)
	}()
	y := fibHand(n - 2)
	wg.Wait()
	return x + y
}

func BenchmarkAsync(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			task.Finish(func(s *task.Scope) { asyncTask(s, 6) })
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			asyncHand(&wg, 6)
			wg.Wait()
		}
	})
}

func asyncTask(s *task.Scope, depth int) {
	if depth == 0 {
		return
	}
	for range 2 {
		s.Async(func() { asyncTask(s, depth-1) })
	}
}

func asyncHand(wg *sync.WaitGroup, depth int) {
	if depth == 0 {
		return
	}
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			asyncHand(wg, depth-1)
		}()
	}
}

// By hand, a future that may be got many times is a channel that is closed.
func BenchmarkFuture(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var futures [tasks]*task.Future[int]
			for i := range futures {
				futures[i] = task.Create(func() int { return i })
			}
			for _, f := range futures {
				f.Get()
			}
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		type future struct {
			done  chan struct{}
			value int
		}
		for b.Loop() {
			var futures [tasks]*future
			for i := range futures {
				f := &future{done: make(chan struct{})}
				futures[i] = f
				go func() {
					f.value = i
					close(f.done)
				}()
			}
			for _, f := range futures {
				<-f.done
			}
		}
	})
}

// A chain of tasks, each of which awaits the promise of the one before.
func BenchmarkPromise(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var g task.Group
			p := task.NewPromise[int]()
			first := p
			for range tasks {
				next := task.NewPromise[int]()
				prev := p
				g.Spawn(func() { next.Set(prev.Get() + 1) })
				p = next
			}
			first.Set(0)
			g.Sync()
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		type promise struct {
			set   chan struct{}
			value int
		}
		for b.Loop() {
			var wg sync.WaitGroup
			p := &promise{set: make(chan struct{})}
			first := p
			for range tasks {
				next := &promise{set: make(chan struct{})}
				prev := p
				wg.Add(1)
				go func() {
					defer wg.Done()
					<-prev.set
					next.value = prev.value + 1
					close(next.set)
				}()
				p = next
			}
			close(first.set)
			wg.Wait()
		}
	})
}

// A promise that is set and got in the same task, which is all overhead.
func BenchmarkPromiseAlone(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p := task.NewPromise[int]()
			p.Set(1)
			p.Get()
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		type promise struct {
			set   chan struct{}
			value int
		}
		for b.Loop() {
			p := &promise{set: make(chan struct{})}
			p.value = 1
			close(p.set)
			<-p.set
		}
	})
}

// A task that forks and then joins, by hand with a WaitGroup for each task.
func BenchmarkLine(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var line task.Line
			for range tasks {
				line.Fork(func(*task.Line) {})
			}
			for left := line.Left(); left != nil; left = line.Left() {
				line.Join(left)
			}
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var line []*sync.WaitGroup
			for range tasks {
				wg := new(sync.WaitGroup)
				line = append(line, wg)
				wg.Add(1)
				go func() { defer wg.Done() }()
			}
			for i := len(line) - 1; i >= 0; i-- {
				line[i].Wait()
			}
		}
	})
}

const (
	pipelineItems = 1000
	pipelineWork  = 200 // rounds of a stage on an item
)

func stageWork(x int) int {
	for range pipelineWork {
		x = x*1103515245 + 12345
	}
	return x
}

// Four stages; by hand with channels that hold 16 items.
func BenchmarkPipeline(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			stage := func(it *task.Item[int]) { it.Value = stageWork(it.Value) }
			p := task.NewPipeline(stage, stage, stage, stage)
			if err := p.Run(context.Background(), count(pipelineItems)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			stage := func(in <-chan int) <-chan int {
				out := make(chan int, 16)
				go func() {
					defer close(out)
					for x := range in {
						out <- stageWork(x)
					}
				}()
				return out
			}
			first := make(chan int, 16)
			last := stage(stage(first))
			done := make(chan struct{})
			go func() {
				defer close(done)
				for x := range last {
					stageWork(x)
				}
			}()
			for x := range count(pipelineItems) {
				first <- stageWork(x)
			}
			close(first)
			<-done
		}
	})
}

func count(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}
