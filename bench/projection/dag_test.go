package projection

import (
	"math/rand/v2"
	"testing"
	"time"
)

// forkJoin adds a tree of tasks: each strand costs one, and a fork and a join are strands.
func forkJoin(d *Dag, depth int, after ...int) (last int) {
	if depth == 0 {
		return d.Add(0, 1, 0, after...)
	}
	fork := d.Add(0, 1, 0, after...)
	left, right := forkJoin(d, depth-1, fork), forkJoin(d, depth-1, fork)
	return d.Add(0, 1, 0, left, right)
}

// wavefront adds a grid of strands that cost one, each after its left and its upper neighbour.
func wavefront(d *Dag, n int) {
	cell := func(row, column int) int { return row*n + column + 1 }
	for row := range n {
		for column := range n {
			var preds []int
			if row > 0 {
				preds = append(preds, cell(row-1, column))
			}
			if column > 0 {
				preds = append(preds, cell(row, column-1))
			}
			d.Add(0, 1, 0, preds...)
		}
	}
}

// Work, span and times of dags that can be scheduled by hand.
func TestDags(t *testing.T) {
	times := func(pairs ...int) map[int]time.Duration {
		m := make(map[int]time.Duration)
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = time.Duration(pairs[i+1])
		}
		return m
	}
	tests := []struct {
		name         string
		build        func(d *Dag)
		work, span   time.Duration
		locked       time.Duration
		onProcessors map[int]time.Duration
	}{
		{"nothing", func(d *Dag) {}, 0, 0, 0, times(1, 0, 64, 0)},
		{"a chain", func(d *Dag) {
			for i := range 10 {
				if i == 0 {
					d.Add(0, 3, 0)
				} else {
					d.Add(0, 3, 0, i)
				}
			}
		}, 30, 30, 0, times(1, 30, 2, 30, 64, 30)},
		{"a tree of depth 3", func(d *Dag) { forkJoin(d, 3) }, 22, 7, 0, times(1, 22, 2, 12, 4, 8, 8, 7, 64, 7)},
		// Levels of 1, 2, ..., 4, ..., 2, 1 cells: by twos 1+1+2+2+2+1+1.
		{"a wavefront", func(d *Dag) { wavefront(d, 4) }, 16, 7, 0, times(1, 16, 2, 9, 4, 7, 64, 7)},
		{"what takes no time needs no processor", func(d *Dag) {
			d.Add(0, 5, 0)
			a := d.Add(0, 0, 0)
			b := d.Add(0, 0, 0, a)
			d.Add(0, 5, 0, b)
		}, 10, 5, 0, times(1, 10, 2, 5)},
		{"the same predecessor twice", func(d *Dag) { d.Add(0, 1, 0, d.Add(0, 1, 0), 1) }, 2, 2, 0, times(1, 2, 2, 2)},
		// All but the first unit of each is under the lock.
		{"a lock at the end", func(d *Dag) {
			for range 4 {
				d.Add(0, 1, 2)
			}
		}, 12, 3, 8, times(1, 12, 2, 9, 4, 9, 64, 9)},
		{"a lock at the beginning", func(d *Dag) {
			for range 4 {
				d.Add(2, 1, 0)
			}
		}, 12, 3, 8, times(1, 12, 2, 9, 4, 9, 64, 9)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := new(Dag)
			test.build(d)
			if d.Work() != test.work || d.Span() != test.span || d.Locked() != test.locked {
				t.Errorf("work %d, span %d, locked %d, want %d, %d, %d", d.Work(), d.Span(), d.Locked(), test.work, test.span, test.locked)
			}
			for n, want := range test.onProcessors {
				if got := d.Time(n); got != want {
					t.Errorf("on %d processors %d, want %d", n, got, want)
				}
			}
		})
	}
}

// No schedule is better than the work and the span allow, and without the lock no greedy one
// is worse than the bound.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := new(Dag)
		for n := range 1 + r.IntN(100) {
			var preds []int
			for range r.IntN(3) {
				if n > 0 {
					preds = append(preds, 1+r.IntN(n))
				}
			}
			d.Add(time.Duration(r.IntN(3)), time.Duration(r.IntN(50)), time.Duration(r.IntN(3)), preds...)
		}
		free := d.Unlocked(d.Work())
		if free.Locked() != 0 || d.Work()-free.Work() > time.Duration(d.Len()) {
			t.Fatalf("unlocked, %d of which %d under the lock, was %d", free.Work(), free.Locked(), d.Work())
		}
		if d.Time(1) != d.Work() {
			t.Fatalf("on one processor %d, the work is %d", d.Time(1), d.Work())
		}
		for p := time.Duration(1); p <= 64; p *= 2 {
			if got, low := d.Time(int(p)), max(d.Span(), (d.Work()+p-1)/p, d.Locked()); got < low {
				t.Fatalf("on %d processors %d, it cannot be below %d", p, got, low)
			}
			if got, high := free.Time(int(p)), free.Work()/p+1+free.Span(); got > high {
				t.Fatalf("on %d processors %d without the lock, the bound is %d", p, got, high)
			}
		}
	}
}
