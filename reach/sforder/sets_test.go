package sforder

import (
	"math/rand/v2"
	"testing"
)

// Sets made by with and union in many ways are compared with maps, also with those of
// other heights, and nothing changes what was made before.
func TestSets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for round := range 40 {
		var s sets
		s.init(4000)
		known := []set{0}
		twins := []map[uint32]bool{{}}
		limit := []int{30, 600, 9000, 200_000, 5_000_000}[round%5]
		for range 120 {
			i, j := random.IntN(len(known)), random.IntN(len(known))
			twin := map[uint32]bool{}
			for f := range twins[i] {
				twin[f] = true
			}
			var made set
			if random.IntN(2) == 0 {
				f := 1 + uint32(random.IntN(1+random.IntN(limit)))
				made = s.with(known[i], f)
				twin[f] = true
			} else {
				before := s.count
				made = s.union(known[i], known[j])
				for f := range twins[j] {
					twin[f] = true
				}
				if (len(twin) == len(twins[i]) || len(twin) == len(twins[j])) && s.count != before {
					t.Fatalf("round %d: a union that adds nothing takes memory", round)
				}
			}
			known, twins = append(known, made), append(twins, twin)
		}
		if s.overflow() {
			t.Fatal("no room")
		}
		for i, of := range known {
			for f := range twins[i] {
				if !s.has(of, f) {
					t.Fatalf("round %d: %d is missing in set %d", round, f, i)
				}
			}
			for range 200 {
				if f := uint32(random.IntN(2 * limit)); s.has(of, f) != twins[i][f] {
					t.Fatalf("round %d: %d in set %d is %v", round, f, i, !twins[i][f])
				}
			}
		}
		s.pieces.Close()
	}
}

// The largest numbers of futures fit.
func TestLargestFuture(t *testing.T) {
	var s sets
	s.init(10)
	defer s.pieces.Close()
	const last = isBlock - 1
	all := s.union(s.with(0, last), s.with(0, 1))
	for _, f := range []uint32{1, last} {
		if !s.has(all, f) || s.has(all, f-1) || s.has(s.with(0, 1), last) {
			t.Errorf("%d is not found alone", f)
		}
	}
}
