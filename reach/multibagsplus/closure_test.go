package multibagsplus

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// Rows keep what is in them while others are made of them, and hold what sets would.
func TestRows(t *testing.T) {
	const maxNumber = 1 << 18
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		var rows rows
		rows.init(maxNumber, 1<<20)
		all, want := []row{{}}, []map[uint32]bool{{}}
		number := func() uint32 { return r.Uint32N(2 << r.IntN(17)) }
		for range 150 {
			rows.begin()
			a, b := r.IntN(len(all)), r.IntN(len(all))
			made, model := all[a], maps.Clone(want[a])
			if r.IntN(3) > 0 {
				made = rows.union(made, all[b])
				maps.Copy(model, want[b])
			}
			for range r.IntN(4) {
				n := number()
				made = rows.with(made, n)
				model[n] = true
			}
			all, want = append(all, made), append(want, model)
		}
		for i, model := range want {
			for n := range model {
				if !rows.has(all[i], n) {
					t.Fatalf("seed %d: row %d lost %d", seed, i, n)
				}
			}
			for range 300 {
				if n := number(); rows.has(all[i], n) != model[n] {
					t.Fatalf("seed %d: %d is in row %d: %v", seed, n, i, !model[n])
				}
			}
		}
		rows.blocks.Close()
	}
}

// A row that adds nothing costs nothing, and one that adds a number costs a path.
func TestRowsShare(t *testing.T) {
	var rows rows
	rows.init(1<<18, 1<<20)
	defer rows.blocks.Close()
	var low, high row
	for n := range uint32(20000) {
		rows.begin()
		if n < 100 {
			low = rows.with(low, n)
		}
		high = rows.with(high, n)
	}
	for _, c := range []struct {
		name string
		make func() row
		cost uint32
	}{
		{"union of a row and itself", func() row { return rows.union(high, high) }, 0},
		{"union of a row and a part of it", func() row { return rows.union(high, low) }, 0},
		{"union of a part of a row and it", func() row { return rows.union(low, high) }, 0},
		{"a number that is there", func() row { return rows.with(high, 5) }, 0},
		{"a new number", func() row { return rows.with(high, 20001) }, 3},
		{"a new number in a new place", func() row { return rows.with(high, 100000) }, 3},
	} {
		rows.begin()
		before := rows.used
		c.make()
		if cost := rows.used - before; cost != c.cost {
			t.Errorf("%s: %d new blocks, want %d", c.name, cost, c.cost)
		}
	}
}

// explicit is the slow twin of closure: a dag with edges, searched.
type explicit struct{ succs [][]uint32 }

func (x *explicit) reached(from uint32) []bool {
	seen := make([]bool, len(x.succs))
	work := []uint32{from}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[n] {
			seen[n] = true
			work = append(work, x.succs[n]...)
		}
	}
	return seen
}

// twins grow a closure and its twin.
type twins struct {
	*rand.Rand
	closure
	explicit
}

func (w *twins) node(a, b uint32) uint32 {
	n := w.closure.add(w.after(a, b))
	w.succs = append(w.succs, nil)
	for _, p := range [2]uint32{a, b} {
		w.succs[p] = append(w.succs[p], n)
	}
	return n
}

// under grows what follows p, the way nested syncs do, with edges from anywhere, and
// then puts a fork between p and it.
func (w *twins) under(p uint32, depth int) {
	since := w.count + 1
	for range 1 + w.IntN(6) {
		from := p
		if w.count >= since {
			from = since + w.Uint32N(w.count+1-since)
		}
		if depth > 0 && w.IntN(2) == 0 {
			w.under(from, depth-1)
			continue
		}
		other := uint32(0)
		if w.IntN(2) == 0 {
			other = 1 + w.Uint32N(w.count)
		}
		w.node(from, other)
	}
	if w.IntN(4) == 0 {
		return
	}
	f := w.addFork(w.after(p, 0), since)
	w.succs[p] = append(w.succs[p], f)
	w.succs = append(w.succs, nil)
	for n := since; n < f; n++ {
		w.succs[f] = append(w.succs[f], n)
	}
}

func TestClosure(t *testing.T) {
	largest := uint32(0)
	for seed := range uint64(200) {
		w := &twins{Rand: rand.New(rand.NewPCG(seed, 4))}
		w.init(1<<16, 1<<20)
		w.succs = make([][]uint32, 2)
		w.closure.add(row{})
		w.under(1, int(seed%9))
		for a := uint32(1); a <= w.count; a++ {
			reached := w.reached(a)
			for b := uint32(1); b <= w.count; b++ {
				if w.reaches(a, b) != reached[b] {
					t.Fatalf("seed %d: node %d of %d reaches %d: %v", seed, a, w.count, b, !reached[b])
				}
			}
		}
		largest = max(largest, w.count)
		w.nodes.Close()
		w.rows.blocks.Close()
	}
	t.Log("nodes in the largest closure:", largest)
}
