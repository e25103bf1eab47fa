//go:build judged

// These are new files of package testing. They tell the detector which test a
// goroutine belongs to, and keep what package testing does for itself from ordering
// tests: whoever comes first to its locks, its output and its limit of parallel tests
// is the schedule's choice, and what tests have to do with each other is not.
package testing

import (
	"sync"
	"sync/atomic"
	"time"
	_ "unsafe" // for linkname
)

// detraceTask makes t, 0 for none, the task of the calling goroutine and returns the
// one before. What a goroutine without a task does is not seen.
//
//go:linkname detraceTask runtime.detraceTask
func detraceTask(t uint32) (before uint32)

// detraceScope makes a new scope with that name the one of what the calling goroutine
// does from now on, and of the goroutines that it starts.
//
//go:linkname detraceScope runtime.detraceScope
func detraceScope(name string) (scope uint32)

// detraceInScope returns to a scope, 0 for none, and returns the one before.
//
//go:linkname detraceInScope runtime.detraceInScope
func detraceInScope(scope uint32) (before uint32)

// detraceIdles is called by a goroutine that does nothing until the test that it has started
// is over, detraceActs when that has sent how it went, which it returns.
//
//go:linkname detraceIdles runtime.detraceIdles
func detraceIdles()

//go:linkname detraceActs runtime.detraceActs
func detraceActs(went bool) bool

// detraceLeft counts the goroutines of a scope beside the calling one.
//
//go:linkname detraceLeft runtime.detraceLeft
func detraceLeft(scope uint32) (n uint32)

// detraceEnded records how a scope ended (1 pass, 2 fail, 3 skip), after how many
// nanoseconds, and which goroutines it left running.
//
//go:linkname detraceEnded runtime.detraceEnded
func detraceEnded(scope, outcome uint32, ns int64)

// detraceBegin is called by the goroutine of a test, seed or benchmark when it starts.
func (c *common) detraceBegin() {
	if c.level > 0 {
		c.detrace = detraceScope(c.name)
	}
}

// detraceEnd is called by that goroutine when all is over but the message.
func (c *common) detraceEnd() {
	if c.detrace == 0 {
		return
	}
	defer detraceTask(detraceTask(0))
	outcome := uint32(1)
	switch {
	case c.failed:
		outcome = 2
	case c.skipped:
		outcome = 3
	}
	if !c.isSynctest {
		detraceWait(c.detrace)
	}
	detraceEnded(c.detrace, outcome, int64(c.duration))
	c.detrace = 0
}

// detracePatience is how many nanoseconds all tests together may still wait for
// goroutines that have nothing left to do but to end.
var detracePatience atomic.Int64

func init() { detracePatience.Store(int64(2 * time.Second)) }

// detraceWait lets goroutines of a scope end that are about to.
func detraceWait(scope uint32) {
	for d := 100 * time.Microsecond; d < 100*time.Millisecond && detraceLeft(scope) > 0; d *= 2 {
		if detracePatience.Add(-int64(d)) < 0 {
			return
		}
		time.Sleep(d)
	}
}

// detraceExample ends the scope of an example that returned.
func detraceExample(scope, before uint32, ok bool, spent time.Duration) {
	outcome := uint32(1)
	if !ok {
		outcome = 2
	}
	detraceWait(scope)
	detraceEnded(scope, outcome, int64(spent))
	detraceInScope(before)
}

// detraceQuietly calls f, of which nothing is seen.
func detraceQuietly(f func()) {
	defer detraceTask(detraceTask(0))
	f()
}

// detraceMap is a sync.Map that orders nobody.
type detraceMap struct{ m sync.Map }

func (d *detraceMap) Store(key, value any) {
	defer detraceTask(detraceTask(0))
	d.m.Store(key, value)
}

func (d *detraceMap) Delete(key any) {
	defer detraceTask(detraceTask(0))
	d.m.Delete(key)
}

func (d *detraceMap) Range(f func(key, value any) bool) {
	defer detraceTask(detraceTask(0))
	d.m.Range(f)
}

// detraceCounter is a counter that orders nobody.
type detraceCounter struct{ n atomic.Int64 }

func (d *detraceCounter) Add(delta int64) int64 {
	defer detraceTask(detraceTask(0))
	return d.n.Add(delta)
}

func (d *detraceCounter) Load() int64 {
	defer detraceTask(detraceTask(0))
	return d.n.Load()
}

// detraceShare takes iterations of RunParallel: the goroutine that takes some first is
// in no order with the others. It lets another take some before it takes more, lest one
// does them all and nothing runs in parallel.
func detraceShare(pb *PB) uint64 {
	defer detraceTask(detraceTask(0))
	n := pb.globalN.Add(pb.grain)
	if n == pb.grain && n < pb.bN {
		for i := 0; i < 100 && pb.globalN.Load() == n; i++ {
			time.Sleep(20 * time.Microsecond)
		}
	}
	return n
}
