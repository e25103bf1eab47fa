package shadow

import "testing"

func BenchmarkAccess(b *testing.B) {
	for _, c := range []struct {
		name string
		size uintptr
		op   func(s *scene, i uintptr)
	}{
		{"first write", 1, func(s *scene, i uintptr) { s.Access(low+i*8%lowSize, 1, by(1+int(i*8/lowSize), Write, 1, 1), s) }},
		{"no news", 1, func(s *scene, i uintptr) { s.Access(low, 1, by(1, Write, 1, 1), s) }},
		{"two in turns", 1, func(s *scene, i uintptr) { s.Access(low+i/2%64*8, 1, by(1+int(i%2), Write, 1, 1), s) }},
		{"range, first", 65536, func(s *scene, i uintptr) { s.Access(low, 65536, by(1+int(i), Write, 1, 1), s) }},
		{"range, no news", 65536, func(s *scene, i uintptr) { s.Access(low, 65536, by(1, Write, 1, 1), s) }},
		{"range, forgotten", 65536, func(s *scene, i uintptr) {
			s.Access(low, 65536, by(1, Write, 1, 1), s)
			s.Forget(low, 65536)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := &scene{serial: true}
			s.Init(low, lowSize, high, highSize, 0)
			defer s.close()
			b.SetBytes(int64(c.size))
			b.ReportAllocs()
			i := uintptr(0)
			for ; b.Loop(); i++ {
				c.op(s, i)
				if i%(1<<20) == 1<<20-1 {
					s.ranges = RangeMemo{}
					s.Collect(s).Finish()
				}
			}
		})
	}
}

// What a collection costs for the memory and the states in use.
func BenchmarkCollect(b *testing.B) {
	s := &scene{serial: true}
	s.Init(low, lowSize, high, highSize, 0)
	defer s.close()
	for i := range uintptr(100_000) {
		s.Access(low+8*i, 1, by(1+int(i%1000), Write, 1, 1), s)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.ranges = RangeMemo{}
		s.Collect(s).Finish()
	}
}
