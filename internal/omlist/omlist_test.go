package omlist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// check walks the whole list: tags and labels grow along it, counts are right.
func (l *List) check(t *testing.T) {
	t.Helper()
	items := uint32(0)
	for g := uint32(0); ; g = l.groups.At(g).next {
		l.checkGroup(g)
		items += l.groups.At(g).count
		if l.groups.At(g).next == 0 {
			break
		}
	}
	if items != l.Len()+1 {
		t.Fatalf("%d items in groups, %d inserted", items-1, l.Len())
	}
}

// patterns are where the next item goes, as an index into the list so far; -1 is in
// front.
var patterns = []struct {
	name string
	next func(r *rand.Rand, n int) int
}{
	{"at the end", func(_ *rand.Rand, n int) int { return n - 1 }},
	{"in front", func(*rand.Rand, int) int { return -1 }},
	{"after the first", func(*rand.Rand, int) int { return 0 }},
	{"in the middle", func(_ *rand.Rand, n int) int { return n / 2 }},
	{"anywhere", func(r *rand.Rand, n int) int { return r.IntN(n+1) - 1 }},
	{"near the end", func(r *rand.Rand, n int) int { return n - 1 - r.IntN(min(n, 3)) }},
	{"two places", func(r *rand.Rand, n int) int { return n/4 + r.IntN(2)*n/2 }},
}

// The order is that of a slice into which the same insertions are made.
func TestAgainstSlice(t *testing.T) {
	const n = 6000
	for seed, p := range patterns {
		t.Run(p.name, func(t *testing.T) {
			var l List
			l.Init(n)
			defer l.Close()
			r := rand.New(rand.NewPCG(uint64(seed), 7))
			slice := []uint32{l.First()}
			position := make([]int, n+1)
			compare := func(pairs int) {
				for i, x := range slice {
					position[x] = i
				}
				for range pairs {
					i, j := r.IntN(len(slice)), r.IntN(len(slice))
					if r.IntN(2) == 0 {
						j = min(i+1, len(slice)-1)
					}
					if l.Before(slice[i], slice[j]) != (i < j) {
						t.Fatalf("%d items: Before(%d, %d) of positions %d, %d", len(slice), slice[i], slice[j], i, j)
					}
				}
			}
			for len(slice) < n {
				i := p.next(r, len(slice))
				var x uint32
				if i < 0 {
					x = l.First()
				} else {
					x = l.InsertAfter(slice[i])
				}
				slice = slices.Insert(slice, i+1, x)
				if len(slice)%97 == 0 {
					compare(100)
				}
			}
			compare(5 * n)
			l.check(t)
			if l.InsertAfter(slice[0]) != 0 || l.First() != 0 {
				t.Error("a full list takes an item")
			}
		})
	}
}

// A million insertions in every pattern stay in order and do not cost more than a
// few label changes each.
func TestMany(t *testing.T) {
	const n = 1 << 20
	for _, p := range patterns[:3] {
		t.Run(p.name, func(t *testing.T) {
			var l List
			l.Init(n)
			defer l.Close()
			first := l.First()
			last := first
			for range n - 1 {
				switch p.next(nil, 2) {
				case -1:
					first = l.First()
				case 0:
					l.InsertAfter(first)
				default:
					last = l.InsertAfter(last)
				}
			}
			l.check(t)
			if per := l.Bytes() / n; per > 14 {
				t.Errorf("%d bytes an item", per)
			}
		})
	}
}

// Queries give the same answer whatever is inserted meanwhile.
func TestQueriesDuringInsertions(t *testing.T) {
	const n, watched = 200_000, 512
	var l List
	l.Init(n + watched)
	defer l.Close()
	var known [watched]uint32
	for i, x := 0, uint32(0); i < watched; i++ {
		x = l.InsertAfter(x)
		known[i] = x
	}
	var stop atomic.Bool
	var readers sync.WaitGroup
	for seed := range uint64(2) {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for !stop.Load() {
				i, j := r.IntN(watched), r.IntN(watched)
				if l.Before(known[i], known[j]) != (i < j) {
					t.Errorf("Before of items %d and %d", i, j)
					return
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(1, 4))
	for range n {
		l.InsertAfter(known[r.IntN(watched)/(1+r.IntN(watched))])
	}
	stop.Store(true)
	readers.Wait()
	l.check(t)
}

func BenchmarkInsertAfter(b *testing.B) {
	for _, p := range patterns[:3] {
		b.Run(p.name, func(b *testing.B) {
			var l List
			l.Init(uint32(b.N) + 2)
			defer l.Close()
			x := l.First()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				switch p.next(nil, 2) {
				case -1:
					l.First()
				case 0:
					l.InsertAfter(x)
				default:
					x = l.InsertAfter(x)
				}
			}
			b.ReportMetric(float64(l.Bytes())/float64(l.Len()), "B/item")
		})
	}
}

func BenchmarkBefore(b *testing.B) {
	for _, n := range []uint32{1 << 10, 1 << 20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var l List
			l.Init(n)
			defer l.Close()
			r := rand.New(rand.NewPCG(1, 2))
			for i := range n {
				l.InsertAfter(r.Uint32N(i + 1))
			}
			i := uint32(1)
			for b.Loop() {
				i = i*1664525 + 1013904223
				l.Before(i%n+1, (i>>7)%n+1)
			}
		})
	}
}
