// Mergesort sorts a million numbers: nested goroutines on disjoint parts of one
// array, merged by copying.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"sync"
)

func main() {
	r := rand.New(rand.NewSource(1))
	a := make([]int, 1_000_000)
	sum := 0
	for i := range a {
		a[i] = r.Int()
		sum += a[i]
	}
	sort(a, make([]int, len(a)), 4)
	for _, v := range a {
		sum -= v
	}
	if sum != 0 || !slices.IsSorted(a) {
		fmt.Println("wrong: not sorted, or not the same numbers")
		os.Exit(1)
	}
	fmt.Println(a[0], a[len(a)/2])
}

// sort uses goroutines for the first levels and tmp, of a's length, to merge.
func sort(a, tmp []int, levels int) {
	if len(a) <= 16 {
		insert(a)
		return
	}
	m := len(a) / 2
	if levels > 0 {
		var wg sync.WaitGroup
		wg.Go(func() { sort(a[:m], tmp[:m], levels-1) })
		sort(a[m:], tmp[m:], levels-1)
		wg.Wait()
	} else {
		sort(a[:m], tmp[:m], 0)
		sort(a[m:], tmp[m:], 0)
	}
	merge(tmp, a[:m], a[m:])
	copy(a, tmp)
}

func insert(a []int) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func merge(to, a, b []int) {
	i, j := 0, 0
	for k := range to {
		if j == len(b) || i < len(a) && a[i] <= b[j] {
			to[k] = a[i]
			i++
		} else {
			to[k] = b[j]
			j++
		}
	}
}
