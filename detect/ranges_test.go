package detect

import (
	"testing"

	"github.com/detrace/detrace/internal/mutants"
	"github.com/detrace/detrace/shadow"
)

// TestMovedRangesSayByWhom follows the call path of each byte of ranges that one place writes, two
// in each of some lines, and of some with several states in a cell.
func TestMovedRangesSayByWhom(t *testing.T) {
	j := newJudged(t)
	root := j.Engine.Root()
	other := j.Fork(root, 0)
	by := map[uintptr]uint32{}
	moved := 0
	write := func(addr, size, pc uintptr, context uint32) {
		p := j.proc(root)
		if !j.MoveRange(p, j.Local(root), AccessAt(pc, 1), addr, size, context) {
			a := placed(shadow.Write, pc)
			a.Context = context
			j.Enter(p)
			j.Access(p, root, addr, size, pc, a)
			j.Leave(p)
		} else {
			moved++
		}
		for i := range size {
			by[addr+i] = context
		}
	}
	for i := range uintptr(16) {
		write(low+32*i, 32, 1, 100+uint32(i))
	}
	for i := range uintptr(16) {
		write(low+1024+8*i, 2, 1, 200+uint32(i))
		write(low+1024+8*i+2, 2, 2, 200+uint32(i))
		write(low+1024+8*i+4, 4, 3, 300+uint32(i)) // which does not fit into a cell
	}
	for round := range uintptr(2) {
		for i := range uintptr(8) {
			at := low + 2048 + 8*i
			write(at, 4, 1, 400+100*uint32(round)+uint32(i))
			write(at+4, 2, 2, 600)
			write(at+6, 2, 3, 600)
		}
		j.Release(root, low+4000) // which begins another strand
	}
	if moved < 90 {
		t.Errorf("only %d of 112 ranges were moved", moved)
	}
	for addr, context := range by {
		if addr%4 != 0 {
			continue // a context is that of four bytes
		}
		j.races = nil
		j.access(other, shadow.Write, addr, addr)
		if len(j.races) != 1 {
			t.Fatalf("%#x: %d races, want 1", addr, len(j.races))
		}
		if got := j.races[0].first.Context; got != context && got&shadow.Mixed == 0 {
			t.Errorf("%#x was written in context %d, found %d", addr, context, got)
		} else if addr < low+1024 && got != context {
			t.Errorf("%#x was written in context %d, which is not known any more: %#x", addr, context, got)
		}
	}
}

// TestRangesMutants shows that the tests notice what is easily got wrong.
func TestRangesMutants(t *testing.T) {
	mutants.Run(t, "^TestMovedRanges", []mutants.Mutant{
		{Name: "a line that is not all in one state is", File: "ranges.go",
			Old: "		if !ok {\n			return false\n		}\n", New: "		_ = ok\n"},
		{Name: "what came up last goes on", File: "ranges.go",
			Old: "if before != m.before {", New: "if before != m.before && m.after == 0 {"},
		{Name: "a granule is taken as a whole", File: "ranges.go",
			Old: "mask := uint8(1<<(stop-addr)-1) << (addr & 7)", New: "mask := uint8(0xff)"},
		{Name: "the first byte of a line stands for all", File: "ranges.go",
			Old: "m.window.MoveBytes(line, addr, bytes,", New: "m.window.MoveBytes(line, addr, bytes&-bytes,"},
		{Name: "a read of the strand stands for its write", File: "ranges.go",
			Old: "shadow.Op(kind+1)", New: "shadow.Read"},
		{Name: "what a read knows is known of a write", File: "ranges.go",
			Old: "p.Known(s, kind, before)", New: "p.Known(s, 0, before)"},
		{Name: "a context is not noted", File: "ranges.go",
			Old: "		h.Reached(&e.Move, m.context)\n", New: ""},
		{Name: "all bytes of a slot are accessed", File: "../shadow/move.go",
			Old: "			bytes &= mask\n", New: ""},
		{Name: "a cell has the context of the first access", File: "../shadow/move.go",
			Old: "			c.remember(v.occupied(), changed, context)\n", New: ""},
		{Name: "a byte of a block has the context of the one before", File: "../shadow/move.go",
			Old: "			offheap.Put32(&c.contexts[i>>2], 0) // not that of all bytes\n", New: ""},
	})
}
