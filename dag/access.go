package dag

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Op is what an access does to its location.
type Op uint8

const (
	Read Op = iota + 1
	Write
	AtomicRead
	AtomicWrite // a store or a read-modify-write
)

// String is the name of the operation.
func (o Op) String() string {
	switch o {
	case Read:
		return "read"
	case Write:
		return "write"
	case AtomicRead:
		return "atomic read"
	case AtomicWrite:
		return "atomic write"
	}
	return fmt.Sprintf("op %d", uint8(o))
}

// conflicts reports whether the order of two operations on one location can
// matter and is not made atomic by both.
func (o Op) conflicts(p Op) bool {
	writes := o == Write || o == AtomicWrite || p == Write || p == AtomicWrite
	atomics := o >= AtomicRead && p >= AtomicRead
	return writes && !atomics
}

// Access is one access of Size bytes from Addr by a strand. Site is the
// caller's name for the place in the program.
type Access struct {
	Strand Strand
	Op     Op
	Addr   uint64
	Size   uint64
	Site   int
}

// Race is a determinacy race on one byte: two conflicting accesses by parallel
// strands, given by their numbers, the one recorded first first.
type Race struct {
	Addr          uint64
	First, Second int
}

// Access records a and returns its number, counted from 0. Every byte is a
// location of its own. Cost: linear in the earlier accesses of each byte.
func (g *Graph) Access(a Access) int {
	if g.bytes == nil {
		g.bytes = make(map[uint64][]int)
	}
	id := len(g.accesses)
	g.accesses = append(g.accesses, a)
	for i := range a.Size { // the last address has no next one
		addr := a.Addr + i
		for _, earlier := range g.bytes[addr] {
			b := g.accesses[earlier]
			if a.Op.conflicts(b.Op) && g.Parallel(a.Strand, b.Strand) {
				g.races = append(g.races, Race{Addr: addr, First: earlier, Second: id})
			}
		}
		g.bytes[addr] = append(g.bytes[addr], id)
	}
	return id
}

// Alloc makes size bytes from addr new: what is recorded from now on does not
// race with what was recorded of them before.
func (g *Graph) Alloc(addr, size uint64) {
	if size > uint64(len(g.bytes)) {
		maps.DeleteFunc(g.bytes, func(a uint64, _ []int) bool { return a-addr < size })
		return
	}
	for i := range size {
		delete(g.bytes, addr+i)
	}
}

// Accesses returns what was recorded, by number. The caller must not change it.
func (g *Graph) Accesses() []Access { return g.accesses }

// Races returns every racing pair of every byte, sorted by address, second and
// first access. The pairs are exact: all of them, and nothing else.
func (g *Graph) Races() []Race {
	races := slices.Clone(g.races)
	slices.SortFunc(races, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.Addr, b.Addr), a.Second-b.Second, a.First-b.First)
	})
	return races
}

// RacyBytes returns the addresses that have a race, ascending.
func (g *Graph) RacyBytes() []uint64 {
	addrs := make([]uint64, len(g.races))
	for i, r := range g.races {
		addrs[i] = r.Addr
	}
	slices.Sort(addrs)
	return slices.Compact(addrs)
}
