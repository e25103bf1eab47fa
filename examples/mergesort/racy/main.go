// Command racy sorts a million numbers with a parallel merge sort.
//
// The bug: the two halves of every slice merge through the same temporary,
// tmp[:len], although they run in parallel. The fixed twin gives each half its
// own part.
package main

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"sync"
)

// cutoff is the length below which a slice is sorted without a new task.
const cutoff = 4096

func main() {
	n := flag.Int("n", 1_000_000, "how many numbers to sort")
	flag.Parse()

	rng := rand.New(rand.NewSource(1))
	a := make([]int, *n)
	for i := range a {
		a[i] = rng.Intn(1 << 40)
	}
	sort(a, make([]int, len(a)))
	fmt.Printf("sorted: %t, checksum %016x\n", slices.IsSorted(a), checksum(a))
}

// sort sorts a with the help of tmp, which is at least as long.
func sort(a, tmp []int) {
	if len(a) <= cutoff {
		slices.Sort(a)
		return
	}
	m := len(a) / 2
	var wg sync.WaitGroup
	wg.Go(func() { sort(a[:m], tmp) })
	sort(a[m:], tmp)
	wg.Wait()
	merge(a, m, tmp)
}

// merge merges the sorted halves a[:m] and a[m:] through tmp.
func merge(a []int, m int, tmp []int) {
	i, j := 0, m
	for k := range a {
		src := &i
		if i == m || j < len(a) && a[j] < a[i] {
			src = &j
		}
		tmp[k] = a[*src] // want race(tmp)
		*src++
	}
	copy(a, tmp)
}

func checksum(a []int) uint64 {
	h := fnv.New64a()
	for _, v := range a {
		fmt.Fprint(h, v, " ")
	}
	return h.Sum64()
}
