// Rows are parts of one slice, each with a column of padding: one task goes a row too far
// in its table, others meet in the padding of theirs only, which one of them reads.
package main

import "sync"

const rows, width, stride = 40, 15, 16

func row(table []int, i int) []int { return table[i*stride : i*stride+width] }

func set(table []int, from, to int) {
	for i := from; i < to; i++ {
		r := row(table, i)
		for j := range r {
			r[j] = i // want race(far: write)
		}
	}
}

func add(table []int, from, to int) {
	for i := from; i < to; i++ {
		r, all := row(table, i), table[i*stride:(i+1)*stride]
		for j := range r {
			r[j]++ // want race(far: write)
		}
		all[width] = all[0]
	}
}

func main() {
	far, apart := make([]int, rows*stride), make([]int, rows*stride)
	var wg sync.WaitGroup
	wg.Go(func() { set(far, 0, rows/2+1) })
	wg.Go(func() { add(far, rows/2, rows) })
	wg.Go(func() { set(apart, 0, rows) })
	wg.Go(func() {
		for i := range rows {
			apart[i*stride+width] = 1 // want race(padding: write)
		}
	})
	wg.Go(func() {
		_ = apart[7*stride+width] // want race(padding: read)
	})
	wg.Wait()
}
