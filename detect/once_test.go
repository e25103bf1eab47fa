package detect

import (
	"testing"

	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/shadow"
)

// What is run once comes before all who asked for it, and who comes after those; what its
// caller did before, and what others are told of by way of a lock, is luck.
func TestOnce(t *testing.T) {
	const done, lock, mutex, x, early = objectsAt, locksAt, objectsAt + 16, low, low + 8
	ask := func(d *judged, task reach.Task) {
		d.observed(task, done, d.AcquireObserved)
		d.Acquire(task, done+2)
	}
	run := func(d *judged, task reach.Task) {
		d.access(task, shadow.Write, early, 1)
		ask(d, task)
		d.Hold(task, lock, true)
		d.access(task, shadow.Write, x, 2)
		d.RanOnce(lock, done+2)
		d.ReleaseMore(task, done)
		d.Release(task, lock)
		d.Drop(task, lock, true)
	}
	read := func(d *judged, task reach.Task, addr uintptr) { d.access(task, shadow.Read, addr, 3) }
	for _, c := range []struct {
		name  string
		do    func(d *judged, b, c reach.Task)
		lucks int
		races int
	}{
		{"who asks reads it", func(d *judged, b, _ reach.Task) { ask(d, b); read(d, b, x) }, 0, 0},
		{"and after a collection", func(d *judged, b, _ reach.Task) { d.Collect(true); ask(d, b); d.Collect(true); read(d, b, x) }, 0, 0},
		{"and what was done before it", func(d *judged, b, _ reach.Task) { ask(d, b); read(d, b, early) }, 1, 0},
		{"a child of who asked", func(d *judged, b, _ reach.Task) { ask(d, b); read(d, d.Fork(b, 0), x) }, 0, 0},
		{"told by who asked, in every schedule", func(d *judged, b, c reach.Task) {
			ask(d, b)
			d.Release(b, mutex)
			d.Acquire(c, mutex)
			read(d, c, x)
		}, 0, 0},
		{"told by who asked, by luck", func(d *judged, b, c reach.Task) {
			ask(d, b)
			d.Release(b, mutex)
			d.AcquireObserved(c, mutex)
			read(d, c, x)
		}, 1, 0},
		{"nobody asks", func(d *judged, b, _ reach.Task) { read(d, b, x) }, 0, 1},
		{"the same memory again", func(d *judged, b, _ reach.Task) {
			d.Forget(done, 16)
			d.Forget(lock, 16)
			ask(d, b)
			read(d, b, x)
		}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newJudged(t)
			root := d.Engine.Root()
			first, b, other := d.Fork(root, 0), d.Fork(root, 0), d.Fork(root, 0)
			run(d, first)
			c.do(d, b, other)
			if len(d.lucks) != c.lucks || len(d.races) != c.races {
				t.Errorf("%d by luck and %d races, want %d and %d", len(d.lucks), len(d.races), c.lucks, c.races)
			}
		})
	}
}

// Who has asked, or comes after somebody that has, cannot be the first caller.
func TestOnceAsked(t *testing.T) {
	d := newJudged(t)
	root := d.Engine.Root()
	first, b := d.Fork(root, 0), d.Fork(root, 0)
	if d.Asked(b, locksAt) {
		t.Error("asked before it was run")
	}
	d.Hold(first, locksAt, true)
	d.RanOnce(locksAt, objectsAt+2)
	d.Drop(first, locksAt, true)
	if d.Asked(b, locksAt) {
		t.Error("asked, but has not")
	}
	d.Acquire(b, objectsAt+2)
	if !d.Asked(b, locksAt) || !d.Asked(d.Fork(b, 0), locksAt) {
		t.Error("not asked, but has")
	}
}
