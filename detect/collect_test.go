package detect

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/reach/reachtest"
	"github.com/detrace/detrace/shadow"
)

// A million tasks, one after the other, need the memory of a few: what nobody can
// race with any more is freed on the way, and ids are used again.
func TestTasksInSequence(t *testing.T) {
	tasks := 1_000_000
	if reachtest.Race {
		tasks = 100_000
	}
	j := newJudged(t)
	root, p := j.Engine.Root(), j.procs[0]
	highest, peak := reach.Task(0), uint64(0)
	for i := range tasks {
		j.Enter(p)
		child := j.Fork(root, 1)
		j.Leave(p)
		highest = max(highest, child)
		addr := low + uintptr(i*16%65536)
		p.step(&j.Detector, child, shadow.Write, addr, 1)
		p.step(&j.Detector, child, shadow.Read, low+lowSize-8, 2)
		j.Enter(p)
		j.ReleaseMerge(child, high)
		j.End(child)
		j.Acquire(root, high)
		j.Leave(p)
		p.step(&j.Detector, root, shadow.Read, addr, 3)
		if i%1000 == 0 {
			peak = max(peak, j.Engine.Bytes()+j.History.Bytes())
		}
	}
	if len(j.races) != 0 {
		t.Errorf("%d races, among them %+v", len(j.races), j.races[0])
	}
	if peak > 3*collectAfter {
		t.Errorf("%d bytes were in use at a time", peak)
	}
	if tasks > 500_000 && int(highest) > tasks/2 {
		t.Errorf("task ids up to %d for %d tasks", highest, tasks)
	}
	if started := j.Engine.Started(); started != uint32(tasks)+1 {
		t.Errorf("%d tasks were started, want %d", started, tasks+1)
	}
}

// Threads fork, synchronise and touch memory, without a race, while another
// collects all the time: nobody is told of a race, nothing gets lost.
func TestCollectionsWhileThreadsWork(t *testing.T) {
	const threads = 4
	rounds := 3000
	if reachtest.Race {
		rounds = 300
	}
	j := newJudged(t)
	var told atomic.Int32
	j.host.Race = func(uintptr, shadow.Access, shadow.Access) *record.Entry {
		told.Add(1)
		return nil
	}
	mains, procs := make([]reach.Task, threads), make([]*Proc, threads)
	for i := range mains {
		mains[i], procs[i] = j.Fork(j.Engine.Root(), 0), j.NewProc()
	}
	var done atomic.Bool
	var collector, workers sync.WaitGroup
	collector.Add(1)
	go func() {
		defer collector.Done()
		for !done.Load() {
			j.Collect(true)
			time.Sleep(50 * time.Microsecond)
		}
	}()
	var mutex sync.Mutex
	for i, p := range procs {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for round := range rounds {
				j.round(p, mains[i], low+uintptr(i)<<16, round, &mutex)
			}
		}()
	}
	workers.Wait()
	done.Store(true)
	collector.Wait()
	if n := told.Load(); n != 0 {
		t.Fatalf("%d races in a program without", n)
	}
	j.write(mains[0], low+1<<20, 9)
	j.read(mains[1], low+1<<20, 9)
	if told.Load() != 1 {
		t.Errorf("a race at the end is told %d times", told.Load())
	}
}

// round is a child of main that fills memory for it, an update of shared memory
// under a lock, and the end of the memory.
func (j *judged) round(p *Proc, main reach.Task, base uintptr, round int, mutex *sync.Mutex) {
	const shared, lock = low + 2<<20, low + 2<<20 + 64
	d := &j.Detector
	within := func(f func()) {
		d.Enter(p)
		f()
		d.Leave(p)
	}
	var child reach.Task
	within(func() { child = d.Fork(main, 0) })
	for i := range uintptr(16) {
		p.step(d, child, shadow.Write, base+8*i+i%3, 1)
	}
	within(func() { d.ReleaseMerge(child, base+4096); d.End(child) })
	within(func() { d.Acquire(main, base+4096) })
	for i := range uintptr(16) {
		p.step(d, main, shadow.Read, base+8*i+i%3, 2)
	}
	mutex.Lock()
	within(func() { d.Acquire(main, lock) })
	p.step(d, main, shadow.Read, shared, 3)
	p.step(d, main, shadow.Write, shared+8*uintptr(round%4), 4)
	within(func() { d.Release(main, lock) })
	mutex.Unlock()
	if round%4 == 3 {
		within(func() { d.Forget(base, 8192) })
	}
}

// A thread that is inside holds a collection up; one that comes waits for it.
func TestCollectionWaits(t *testing.T) {
	for _, own := range []bool{true, false} {
		j := newJudged(t)
		p := j.NewProc()
		if !own {
			p = nil
		}
		j.Enter(p)
		q := j.NewProc()
		var collected atomic.Bool
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			j.Collect(true)
			collected.Store(true)
		}()
		for atomic.LoadUint32(&j.stop) == 0 {
		}
		if collected.Load() {
			t.Errorf("with a Proc of its own %v: collected while a thread was inside", own)
		}
		j.Leave(p)
		j.Enter(q)
		if atomic.LoadUint32(&j.stop) != 0 {
			t.Errorf("with a Proc of its own %v: entered during a collection", own)
		}
		j.Leave(q)
		wg.Wait()
	}
}

func TestTooManyProcs(t *testing.T) {
	j := newJudged(t)
	for range MaxProcs - len(j.procs) {
		if j.NewProc() == nil {
			t.Fatal("too few Procs")
		}
	}
	if j.NewProc() != nil {
		t.Error("more Procs than MaxProcs")
	}
	j.Counts()
	j.Collect(true)
}

// Readers join audiences, or rolls, mostly past the history, while memory is collected: a write of
// each byte then hears of all who read it, and of nobody else.
func TestCollectionsWhileReadersJoin(t *testing.T) {
	t.Run("audiences", func(t *testing.T) { testCollectionsWhileReadersJoin(t, true) })
	t.Run("rolls", func(t *testing.T) { testCollectionsWhileReadersJoin(t, false) })
}

func testCollectionsWhileReadersJoin(t *testing.T, split bool) {
	const threads, tasks, places = 4, 8, 256
	reads := 4 * places
	if reachtest.Race {
		reads = places
	}
	j := newJudged(t).eager()
	root := j.Engine.Root()
	for i := range uintptr(places) {
		j.write(root, low+8*i, 1)
		if split {
			j.write(root, low+8*i+4, 2)
		}
	}
	writer := j.Fork(root, 0)
	var did [threads * tasks][places]bool
	readers, procs := make([]reach.Task, len(did)), make([]*Proc, threads)
	for n := range readers {
		readers[n] = j.Fork(root, 0)
	}
	for i := range procs {
		procs[i] = j.NewProc()
	}
	var done atomic.Bool
	var collector, workers sync.WaitGroup
	collector.Add(1)
	go func() {
		defer collector.Done()
		for !done.Load() {
			j.Collect(true)
			time.Sleep(200 * time.Microsecond)
		}
	}()
	for i, p := range procs {
		workers.Add(1)
		go func() {
			defer workers.Done()
			r := rand.New(rand.NewPCG(uint64(i), 6))
			for n := i; n < len(readers); n += threads {
				for range reads {
					at := r.IntN(places)
					p.step(&j.Detector, readers[n], shadow.Read, low+8*uintptr(at), 3)
					did[n][at] = true
				}
			}
		}()
	}
	workers.Wait()
	done.Store(true)
	collector.Wait()
	for at := range places {
		want := 0
		for n := range did {
			if did[n][at] {
				want++
			}
		}
		j.races = nil
		if j.write(writer, low+8*uintptr(at), 4); len(j.races) != want {
			t.Fatalf("place %d: the write races with %d readers of %d", at, len(j.races), want)
		}
	}
	_, _, checked := j.Counts()
	if all := uint64(len(readers) * reads); checked > all/2 {
		t.Errorf("%d of %d reads came to the history", checked, all)
	}
}

// Go's race detector sees the Procs of a test only while all of them are in memory of its own.
func TestProcsAreSeenByTheRaceDetector(t *testing.T) {
	const most = 128 << 20 // offheap.Tracked, which only builds with -race have
	if size := unsafe.Sizeof(Proc{}) * (MaxProcs + 1); size > most {
		t.Errorf("%d bytes for all Procs, want %d at most", size, most)
	}
}
