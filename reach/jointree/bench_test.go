package jointree_test

import (
	"math/rand"
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/jointree"
	"github.com/detrace/detrace/reach/vclock"
)

func newEngine(b *testing.B, maxTasks uint32) *jointree.Engine {
	e := new(jointree.Engine)
	e.Init(maxTasks)
	b.Cleanup(e.Close)
	b.ReportAllocs()
	return e
}

// collector returns a function that collects when limit bytes are in use and
// remembers nothing.
func collector(e *jointree.Engine, limit uint64) func() {
	return func() {
		if e.Bytes() > limit {
			e.BeginMark()
			e.Sweep()
		}
	}
}

// BenchmarkForkJoin is a fork, a release by the child, its end and the
// acquire by the parent.
func BenchmarkForkJoin(b *testing.B) {
	e := newEngine(b, 1<<20)
	step, collect := joined(e), collector(e, 32<<20)
	for i := 0; b.Loop(); i++ {
		step()
		if i%256 == 0 {
			collect()
		}
	}
}

// BenchmarkLock is one lock and unlock among three tasks.
func BenchmarkLock(b *testing.B) {
	e := newEngine(b, 16)
	step, collect := locks(e), collector(e, 4<<10)
	for i := 0; b.Loop(); i++ {
		step()
		if i%64 == 0 {
			collect()
		}
	}
}

// BenchmarkLockMany is one lock and unlock, in turn, among many tasks that
// nobody joins: each lock teaches what all others did since the task's last.
// With a counter, each task also swaps with a second object that all share, in
// an order a little different from that of the lock.
func BenchmarkLockMany(b *testing.B) {
	for _, c := range []struct {
		name    string
		tasks   uint32
		counter bool
	}{
		{"1000", 1000, false},
		{"10000", 10000, false},
		{"1000 with counter", 1000, true},
		{"10000 with counter", 10000, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := newEngine(b, 1<<18)
			tasks := make([]reach.Task, c.tasks)
			for i := range tasks {
				tasks[i] = e.Fork(e.Root())
			}
			lock, counter, collect := e.NewObject(), e.NewObject(), collector(e, 64<<20)
			step := func(k int) {
				t := tasks[k%len(tasks)]
				e.Acquire(t, lock)
				e.Release(t, lock)
				if c.counter {
					e.ReleaseAcquire(tasks[(k^3)%len(tasks)], counter)
				}
				if k%16 == 0 {
					collect()
				}
			}
			for k := range tasks {
				step(k)
			}
			for k := 0; b.Loop(); k++ {
				step(k)
			}
			if e.Exhausted() {
				b.Error("facts were lost")
			}
		})
	}
}

// BenchmarkLockOnce is 20,000 tasks that take one lock once, some of them after having looked
// at it too early, then tell a group that they are done, in an order a little different, and
// their parent, who waits for the group.
func BenchmarkLockOnce(b *testing.B) {
	const tasks, apart = 20_000, 100
	for b.Loop() {
		b.StopTimer()
		e := new(jointree.Engine)
		e.Init(1 << 20)
		line, random := make([]reach.Task, tasks), rand.New(rand.NewSource(1))
		lock, group := e.NewObject(), e.NewObject()
		for k := range line {
			line[k] = e.Fork(e.Root())
		}
		b.StartTimer()
		var inside []reach.Task
		for k, t := range line {
			e.Acquire(t, lock)
			e.Release(t, lock)
			e.Acquire(line[min(k+1+random.Intn(2), tasks-1)], lock)
			if inside = append(inside, t); len(inside) == apart || k > tasks-apart {
				one := random.Intn(len(inside))
				e.ReleaseMerge(inside[one], group)
				inside[one] = inside[len(inside)-1]
				inside = inside[:len(inside)-1]
			}
		}
		e.Acquire(e.Root(), group)
		if e.Exhausted() {
			b.Error("facts were lost")
		}
		e.Close()
	}
}

// BenchmarkManyToOne is a task that receives one message from each of many
// short tasks which it did not fork and which nobody joins.
func BenchmarkManyToOne(b *testing.B) {
	e := newEngine(b, 1<<20)
	step, collect := received(e), collector(e, 32<<20)
	for i := 0; b.Loop(); i++ {
		step()
		if i%256 == 0 {
			collect()
		}
	}
}

// tree forks and joins a complete binary tree of the given height below t and
// returns the first strands of all its tasks.
func tree(e *jointree.Engine, t reach.Task, height int) (strands []reach.Strand) {
	strands = append(strands, e.Strand(t))
	if height == 0 {
		return strands
	}
	group := e.NewObject()
	for range 2 {
		child := e.Fork(t)
		strands = append(strands, tree(e, child, height-1)...)
		e.ReleaseMerge(child, group)
		e.End(child)
	}
	e.Acquire(t, group)
	e.FreeObject(group)
	return strands
}

// BenchmarkPrecedesTree asks a joined tree of 2^17 tasks whether a strand of it
// precedes the root's last.
func BenchmarkPrecedesTree(b *testing.B) {
	e := newEngine(b, 1<<18)
	strands := tree(e, e.Root(), 16)
	for k := 0; b.Loop(); k = (k + 7919) % len(strands) {
		if !e.Precedes(strands[k], e.Root()) {
			b.Fatal("a joined strand is parallel")
		}
	}
}

// BenchmarkPrecedesSiblings asks a child about its running sisters.
func BenchmarkPrecedesSiblings(b *testing.B) {
	e := newEngine(b, 1<<10)
	var children [256]reach.Task
	for i := range children {
		children[i] = e.Fork(e.Root())
	}
	for k := 0; b.Loop(); k = (k + 1) % 255 {
		if e.Precedes(e.Strand(children[k]), children[255]) {
			b.Fatal("parallel strands are ordered")
		}
	}
}

// pipeline is a chain of tasks that hand every message on, with channels of
// capacity 1 that swap, for as many messages as given.
func pipeline[O any](stages []reach.Task, slots []O, messages int, swap func(reach.Task, O)) {
	for m := range messages + len(stages) {
		for i := len(stages) - 1; i >= 0; i-- {
			if k := m - i; k < 0 || k >= messages {
				continue
			}
			if i > 0 {
				swap(stages[i], slots[i-1])
			}
			if i < len(stages)-1 {
				swap(stages[i], slots[i])
			}
		}
	}
}

// BenchmarkPipeline hands one message through eight tasks: 14 swaps. In a ring the root
// is both the first and the last of them.
func BenchmarkPipeline(b *testing.B) {
	for _, ring := range []bool{false, true} {
		b.Run(map[bool]string{false: "children", true: "ring"}[ring], func(b *testing.B) {
			e := newEngine(b, 64)
			stages, slots := stagesOf(e.Root(), e.Fork, ring), [7]jointree.Object{}
			for i := range slots {
				slots[i] = e.NewObject()
			}
			collect := collector(e, 16<<10)
			for b.Loop() {
				pipeline(stages, slots[:], 1, swap(e))
				collect()
			}
		})
	}
}

// stagesOf starts the tasks of a pipeline.
func stagesOf(root reach.Task, fork func(reach.Task) reach.Task, ring bool) (stages []reach.Task) {
	for range 8 {
		stages = append(stages, fork(root))
	}
	if ring {
		stages[0], stages[7] = root, root
	}
	return stages
}

// swap is ReleaseAcquire of e.
func swap(e *jointree.Engine) func(reach.Task, jointree.Object) {
	return func(t reach.Task, o jointree.Object) { e.ReleaseAcquire(t, o) }
}

// BenchmarkPipelineClocks is BenchmarkPipeline with vector clocks.
func BenchmarkPipelineClocks(b *testing.B) {
	for _, ring := range []bool{false, true} {
		b.Run(map[bool]string{false: "children", true: "ring"}[ring], func(b *testing.B) {
			var e vclock.Engine
			stages, slots := stagesOf(e.Root(), e.Fork, ring), [7]uint32{}
			for i := range slots {
				slots[i] = e.NewObject()
			}
			for b.Loop() {
				pipeline(stages, slots[:], 1, e.ReleaseAcquire)
			}
		})
	}
}

// BenchmarkPrecedesPipeline asks the last stage about the first one's strands.
func BenchmarkPrecedesPipeline(b *testing.B) {
	e := newEngine(b, 64)
	var stages [8]reach.Task
	var slots [7]jointree.Object
	for i := range stages {
		stages[i] = e.Fork(e.Root())
	}
	for i := range slots {
		slots[i] = e.NewObject()
	}
	pipeline(stages[:], slots[:], 10, swap(e))
	u := reach.StrandOf(stages[0], 3)
	for b.Loop() {
		if !e.Precedes(u, stages[7]) {
			b.Fatal("a handed-on strand is parallel")
		}
	}
}

// BenchmarkGrid is a step of a wavefront: a task sets a promise and gets those
// of its left and upper neighbours, all tasks being siblings that nobody joins.
func BenchmarkGrid(b *testing.B) {
	const side = 64
	e := newEngine(b, 1<<16)
	var row [side]jointree.Object
	for b.Loop() {
		b.StopTimer()
		for i := range row {
			e.FreeObject(row[i])
		}
		e.Close()
		e.Init(1 << 16)
		for i := range row {
			row[i] = e.NewObject()
		}
		b.StartTimer()
		for range side {
			left := jointree.Object(0)
			for i := range row {
				t := e.Fork(e.Root())
				e.Acquire(t, left)
				e.Acquire(t, row[i])
				e.Release(t, row[i])
				e.End(t)
				left = row[i]
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/side/side, "ns/cell")
}

// TestNoAllocation holds all operations to not allocating Go memory.
func TestNoAllocation(t *testing.T) {
	var e jointree.Engine
	e.Init(1 << 16)
	defer e.Close()
	join, receive, pipe := joined(&e), received(&e), pingPong(&e)
	finalizers := e.Fork(e.Root())
	u := e.Strand(e.Root())
	n := testing.AllocsPerRun(100, func() {
		join()
		receive()
		pipe()
		e.AcquireAll(finalizers)
		if !e.Precedes(u, finalizers) {
			t.Error("not all was acquired")
		}
		e.BeginMark()
		e.Mark(u)
		e.Sweep()
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
