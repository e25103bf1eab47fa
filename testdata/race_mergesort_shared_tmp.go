// The two halves of a merge sort use the same temporary.
package main

import "sync"

func main() {
	a := []int{8, 7, 6, 5, 4, 3, 2, 1}
	mergesort(a, make([]int, len(a)))
}

func mergesort(a, tmp []int) {
	if len(a) < 2 {
		return
	}
	m := len(a) / 2
	var wg sync.WaitGroup
	wg.Go(func() { mergesort(a[:m], tmp) })
	mergesort(a[m:], tmp)
	wg.Wait()
	merge(a, m, tmp)
}

func merge(a []int, m int, tmp []int) {
	i, j := 0, m
	for k := range a {
		src := &i
		if i == m || j < len(a) && a[j] < a[i] {
			src = &j
		}
		tmp[k] = a[*src] // want race(tmp: write)
		*src++
	}
	copy(a, tmp)
}
