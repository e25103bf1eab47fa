package shadow

import (
	"sync"
	"testing"

	"github.com/detrace/detrace/internal/mutants"
)

// groupsOf returns the groups of the split lines of w, and fails if two have the same, or
// their number is not what the stocks say.
func groupsOf(t *testing.T, w *Window) map[*group]uintptr {
	t.Helper()
	lines, used := make(map[*group]uintptr), uint32(0)
	for off := w.next(0); off < w.Size; off = w.next(off + chunk) {
		for i, word := range w.words(off, off+chunk) {
			l, p := Line(word), w.Lo+off+uintptr(i)*lineBytes
			if !l.IsSplit() {
				continue
			}
			if first, taken := lines[l.group()]; taken {
				t.Fatalf("lines %#x and %#x have one group", first, p)
			}
			if !w.hasSplit(p) {
				t.Fatalf("nobody knows that line %#x is split", p)
			}
			lines[l.group()] = p
		}
	}
	for i := range w.stocks {
		used += w.stocks[i].used
	}
	if int(used) != len(lines) {
		t.Fatalf("%d lines are split, the stocks say %d", len(lines), used)
	}
	return lines
}

// Each split line has a group of its own, of which the cells say what the line did. What
// is forgotten, in whatever parts, gives its groups back, and they are enough for what is
// split again.
func TestGroups(t *testing.T) {
	const lines = bigRange / lineBytes * 2
	s := newScene(t, 0)
	w := &s.Windows[0]
	fresh := uint32(0)
	for round := range 4 {
		for i := range uintptr(lines) {
			s.do(low+i*lineBytes+i%32, 5, by(1, Write, 1, 10))
		}
		for i := range uintptr(lines) {
			p := low + i*lineBytes
			l := w.Line(p)
			w.split(p, 0) // which it is not
			if i%3 == 0 {
				w.split(p, l)
			} else if !w.TrySplit(p, l) {
				t.Fatal("nobody else splits lines, and it fails")
			}
			w.split(p, l)
			for b := p; b < p+lineBytes; b++ {
				c, v, got := s.look(w, b)
				if want := l.At(b); got != want || uint64(got) != v&(MaxStates-1)*(v>>(24+b&7)&1) {
					t.Fatalf("byte %#x is in state %d, was in %d", b, got, want)
				} else if want != 0 && c.contexts[b>>2&1] != 10 {
					t.Fatalf("the latest context of byte %#x is %d, was 10", b, c.contexts[b>>2&1])
				}
			}
		}
		if n := len(groupsOf(t, w)); n != lines {
			t.Fatalf("%d lines are split of %d", n, lines)
		}
		s.Collect(s).Finish()
		if round == 0 {
			fresh = w.high
		}
		if w.high != fresh || fresh > lines+stocks*refillStock {
			t.Fatalf("round %d: %d groups for %d lines, %d in round 0", round, w.high, lines, fresh)
		}
		switch round {
		case 0:
			s.Forget(low, lines*lineBytes)
		case 1:
			s.Forget(low, bigRange-100)
			s.Forget(low+bigRange-100, lines*lineBytes)
		case 2:
			for i := range uintptr(lines) {
				s.Forget(low+i*lineBytes, lineBytes)
			}
		}
		if n := len(groupsOf(t, w)); n != 0 && round == 0 || n > 2 && round < 3 {
			t.Fatalf("round %d: %d groups are not given back", round, n)
		}
		s.Forget(low, lines*lineBytes)
	}
	if bytes, _ := s.Shadow(); bytes > lines*lineBytes/4 {
		t.Errorf("%d bytes of shadow memory for what is forgotten", bytes)
	}
}

// Threads that split the same lines at the same time, and forget others, leave each line
// with a group of its own.
func TestConcurrentSplits(t *testing.T) {
	const threads, rounds, lines = 4, 300, 256
	s := newScene(t, 0)
	w := &s.Windows[0]
	for range rounds {
		var wg sync.WaitGroup
		for n := range uintptr(threads) {
			wg.Add(1)
			go func() {
				defer wg.Done()
				own := low + (1+n)*stocks*chunk // of the same stocks
				for i := range uintptr(lines) {
					w.split(low+i*lineBytes, w.Line(low+i*lineBytes)&^lineSplit)
					w.TrySplit(own+i*lineBytes, 0)
				}
				s.Forget(own, lines*lineBytes)
			}()
		}
		wg.Wait()
		if n := len(groupsOf(t, w)); n != lines {
			t.Fatalf("%d lines are split of %d", n, lines)
		}
		s.Forget(low, lines*lineBytes)
	}
}

// TestGroupMutants shows that the tests of groups notice what is easily got wrong.
func TestGroupMutants(t *testing.T) {
	mutants.Run(t, "^Test(Groups|ConcurrentSplits)$", []mutants.Mutant{
		{Name: "a group is handed out twice", File: "group.go",
			Old: "		p.free = behind\n", New: ""},
		{Name: "a group is lost where another thread was first", File: "group.go",
			Old: "		g.setBehind(behind)\n", New: ""},
		{Name: "a group is the line's before it says what that did", File: "group.go",
			Old: "	*g = group{}\n	g.fill(l.bytes(), l.state(), l.context())\n", New: ""},
		{Name: "the cells do not have the context of the line", File: "group.go",
			Old: "if mask>>(4*k)&0x0f != 0 {", New: "if mask>>(4*k)&0x0f != 0 && k == 0 {"},
		{Name: "nobody knows that a line is split", File: "group.go",
			Old: "		offheap.Store32(w.flag(addr-w.Lo), splitChunk)\n", New: ""},
		{Name: "large ranges keep their groups", File: "window.go",
			Old: "			w.giveBack(off, off+chunk)\n", New: ""},
		{Name: "small ranges keep their groups", File: "window.go",
			Old: "			w.giveBack(lo, end)\n", New: ""},
	})
}
