// Merges of parts that lie side by side, from below and from above, twice.
package main

import "sync"

func main() {
	a, b, to := make([]int, 1000), make([]int, 1000), make([]int, 2000)
	for i := range a {
		a[i], b[i] = 2*i, 2*i+1
	}
	for range 2 {
		var wg sync.WaitGroup
		wg.Go(func() { up(to[:1003], a, b) })
		wg.Go(func() { down(to[1003:], a, b) })
		wg.Wait()
		for i := range a {
			a[i], b[i] = to[i], to[1000+i]
		}
	}
	for i := range a {
		if a[i] != i || b[i] != 1000+i {
			panic("not merged")
		}
	}
}

func up(to, a, b []int) {
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

func down(to, a, b []int) {
	i, j := len(a)-1, len(b)-1
	for k := len(to) - 1; k >= 0; k-- {
		if j < 0 || i >= 0 && a[i] > b[j] {
			to[k] = a[i]
			i--
		} else {
			to[k] = b[j]
			j--
		}
	}
}
