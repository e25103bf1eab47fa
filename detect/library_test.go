package detect

import (
	"testing"

	"github.com/detrace/detrace/reach"
)

// What a call of the library orders is what it released to calls that acquired it, also
// by way of other calls; the order does not outlive the calls.
func TestLibraryOrders(t *testing.T) {
	const cache, queue = objectsAt, objectsAt + 16
	const build, use, other = 1, 2, 3
	for _, c := range []struct {
		name string
		do   func(d *judged, a, b, c reach.Task)
		want bool
	}{
		{"a cache, built and read", func(d *judged, a, b, _ reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.LibraryAcquires(b, use, cache)
		}, true},
		{"handed on by a third task", func(d *judged, a, b, c reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.LibraryAcquires(c, use, cache)
			d.LibraryReleases(c, use, queue, true)
			d.LibraryAcquires(b, use, queue)
		}, true},
		{"acquired in another call than the access", func(d *judged, a, b, _ reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.LibraryAcquires(b, other, cache)
		}, false},
		{"released in another call than the access", func(d *judged, a, b, _ reach.Task) {
			d.LibraryReleases(a, build, queue, false)
			d.Release(a, queue)
			d.LibraryReleases(a, other, cache, false)
			d.LibraryAcquires(b, use, cache)
		}, false},
		{"acquired by the call that started the task", func(d *judged, a, b, c reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.LibraryAcquires(c, other, cache)
			d.LibraryForks(c, other, b, use)
		}, true},
		{"acquired by a call before the one that started the task", func(d *judged, a, b, c reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.LibraryAcquires(c, other, cache)
			d.LibraryForks(c, use, b, use)
		}, false},
		{"replaced before it was acquired", func(d *judged, a, b, c reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.LibraryReleases(c, build, cache, false)
			d.LibraryAcquires(b, use, cache)
		}, false},
		{"new memory", func(d *judged, a, b, _ reach.Task) {
			d.LibraryReleases(a, build, cache, false)
			d.Forget(cache, 16)
			d.LibraryAcquires(b, use, cache)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newJudged(t)
			root := d.Engine.Root()
			x, y, z := d.Fork(root, 0), d.Fork(root, 0), d.Fork(root, 0)
			access := d.Engine.Strand(x)
			c.do(d, x, y, z)
			if got := d.LibraryOrders(access, y, use); got != c.want {
				t.Errorf("ordered: %v, want %v", got, c.want)
			}
		})
	}
}
