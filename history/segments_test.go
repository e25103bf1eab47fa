package history

import (
	"math/rand/v2"
	"testing"
)

// counted is a holder that knows who holds what.
type counted map[uint32]int

func (c counted) retain(s uint32)  { c[s]++ }
func (c counted) release(s uint32) { c[s]-- }

// TestSegments compares the tree with an array, for accesses of every size and at both
// ends of the address space.
func TestSegments(t *testing.T) {
	const bytes = 20000 // the array: 2*bytes addresses, half of them the last ones
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 0))
		held := counted{0: 1}
		var s segments
		s.init(held)
		var want [2 * bytes]uint32
		at := func(i int) uint64 {
			if i < bytes {
				return uint64(i)
			}
			return uint64(i) - 2*bytes
		}
		again, last := 0, 0
		for step := range 6000 {
			lo := r.IntN(2 * bytes)
			hi := lo + r.IntN(min(2*bytes-lo, 1+4<<r.IntN(3)))
			if r.IntN(200+int(seed%3)*1000) == 0 {
				hi = lo + r.IntN(2*bytes-lo)
			}
			if again--; again >= 0 { // where the last ones were
				lo = min(last+r.IntN(2*fan), 2*bytes-3)
				hi = lo + r.IntN(3)
			}
			last = lo
			next := uint32(1 + r.IntN(2<<(seed%6)))
			if r.IntN(10) == 0 {
				next = 0
			}
			if s.seek(at(lo)); r.IntN(20) == 0 && s.near.lo > 0 && s.near.lo < bytes { // what a leaf before goes on with
				lo = int(s.near.lo)
				hi, next = min(lo+20*fan, bytes-1), want[lo-1]
				again = 10
			}
			covered := at(lo)
			s.update(at(lo), at(hi), func(state uint32, segLo, segLast uint64) uint32 {
				if segLo != covered || segLast < segLo || segLast > at(hi) {
					t.Fatalf("seed %d, step %d: segment %x-%x after %x", seed, step, segLo, segLast, covered)
				}
				covered = segLast + 1
				held.release(state)
				held.retain(next)
				return next
			})
			if covered != at(hi)+1 {
				t.Fatalf("seed %d, step %d: the segments end at %x, want %x", seed, step, covered, at(hi)+1)
			}
			for i := lo; i <= hi; i++ {
				want[i] = next
			}
			if step%500 == 0 || step > 5990 {
				for i, state := range want {
					if leaf := s.seek(at(i)); leaf.vals[leaf.find(at(i))] != state {
						t.Fatalf("seed %d, step %d: state %d at %x, want %d", seed, step, leaf.vals[leaf.find(at(i))], at(i), state)
					}
				}
				checkTree(t, &s, held)
			}
		}
		s.update(0, ^uint64(0), func(state uint32, _, _ uint64) uint32 { held.release(state); held.retain(7); return 7 })
		used := checkTree(t, &s, held)
		if used > int(s.count)/10+3 {
			t.Errorf("seed %d: one state everywhere takes %d of %d nodes", seed, used, s.count)
		}
	}
}

// checkTree checks the form of the tree and the counts, and returns the number of
// nodes in use.
func checkTree(t *testing.T, s *segments, held counted) (used int) {
	t.Helper()
	seen := counted{}
	var check func(id uint32, height int, lo, last uint64)
	check = func(id uint32, height int, lo, last uint64) {
		n := s.at(id)
		used++
		if n.n < 1 || n.keys[0] != lo {
			t.Fatalf("a node of %d entries begins at %x, want %x", n.n, n.keys[0], lo)
		}
		for i := range n.n {
			if i > 0 && n.keys[i] <= n.keys[i-1] || n.keys[i] > last {
				t.Fatalf("keys out of order: %x", n.keys[:n.n])
			}
			if height > 0 {
				check(n.vals[i], height-1, n.keys[i], n.end(i, last))
				continue
			}
			seen.retain(n.vals[i])
		}
	}
	check(s.root, s.height, 0, ^uint64(0))
	for state, n := range held {
		if n != seen[state] {
			t.Fatalf("state %d is held %d times, by %d segments", state, n, seen[state])
		}
	}
	if used+len(s.free) != int(s.count) {
		t.Fatalf("%d nodes in use and %d free, of %d", used, len(s.free), s.count)
	}
	return used
}
