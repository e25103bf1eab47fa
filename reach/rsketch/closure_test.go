package rsketch

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The closure is what one pass over the vertices in topological order finds, whatever
// order vertices and edges came in.
func TestClosure(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 5))
		n := 2 + r.IntN(60)
		if seed%8 == 0 {
			n = 1100 + r.IntN(2000) // several blocks
		}
		var c closure
		c.Init(uint32(n))
		for range n {
			c.vertex()
		}
		order := r.Perm(n) // a hidden topological order of the vertices less one
		into := make([][]int, n)
		span := 1 + r.IntN(min(n, 200)) // how far edges lead
		for half := range 2 {
			for range n/2 + r.IntN(n) {
				i := r.IntN(n)
				j := min(n-1, i+1+r.IntN(span))
				if half == 0 && r.IntN(4) > 0 { // a chain in the beginning
					j = min(n-1, i+1)
				}
				if i != j {
					into[j] = append(into[j], i)
					c.edge(uint32(order[i]+1), uint32(order[j]+1))
				}
			}
			compare(t, seed, &c, order, into)
			checkBlocks(t, &c)
		}
		c.close()
	}
}

// compare compares c with the closure of the edges into each vertex, vertices being
// positions in a topological order.
func compare(t *testing.T, seed uint64, c *closure, order []int, into [][]int) {
	t.Helper()
	n := len(order)
	sets := make([][]uint64, n)
	for j := range n {
		sets[j] = make([]uint64, (n+63)/64)
		sets[j][j/64] |= 1 << (j % 64)
		for _, i := range into[j] {
			for w := range sets[j] {
				sets[j][w] |= sets[i][w]
			}
		}
	}
	for i := range n {
		for j := range n {
			if want := sets[j][i/64]>>(i%64)&1 != 0; c.reaches(uint32(order[i]+1), uint32(order[j]+1)) != want {
				t.Fatalf("seed %d, %d vertices: reaches(%d, %d) = %v", seed, n, order[i]+1, order[j]+1, !want)
			}
		}
	}
}

// checkBlocks checks that every block has as many references as entries have it, that
// the free ones have none, and that no set has another's directory.
func checkBlocks(t *testing.T, c *closure) {
	t.Helper()
	refs := make([]uint32, c.blockCount+1)
	owner := make([]uint32, c.entryCount)
	for v := uint32(1); v <= c.vertexCount; v++ {
		vx := c.vertices.At(v)
		for i := range uint32(vx.used) {
			refs[*c.entries.At(vx.directory + i)]++
			if owner[vx.directory+i] != 0 {
				t.Fatalf("entry %d is of vertices %d and %d", vx.directory+i, owner[vx.directory+i], v)
			}
			owner[vx.directory+i] = v
		}
	}
	free := make(map[uint32]bool)
	for b := c.freeBlock; b != 0; b = *c.refs.At(b) {
		free[b] = true
	}
	for b := uint32(1); b <= c.blockCount; b++ {
		if free[b] != (refs[b] == 0) || !free[b] && *c.refs.At(b) != refs[b] {
			t.Fatalf("block %d: %d entries have it, free %v, counted %d", b, refs[b], free[b], *c.refs.At(b))
		}
	}
}

// A chain shares all blocks but the last with the vertex before; adding it costs a
// union of directories.
func BenchmarkChain(b *testing.B) {
	for _, n := range []uint32{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				var c closure
				c.Init(n)
				last := c.vertex()
				for range n - 1 {
					v := c.vertex()
					c.edge(last, v)
					last = v
				}
				b.ReportMetric(float64(c.bytes())/float64(n), "B/vertex")
				c.close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/vertex")
		})
	}
}
