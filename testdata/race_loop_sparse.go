// The rows of a sparse matrix lie one behind the other, and where each begins is an element itself. One
// that begins elsewhere meanwhile is a race where that is looked up; so is a number that only one row needs.
package main

import (
	"fmt"
	"sync"
)

type matrix struct {
	start, column []int
	value         []float64
}

func (m *matrix) row(i int, x []float64) (sum float64) {
	for k := m.start[i]; k < m.start[i+1]; k++ { // want race(start: read)
		sum += m.value[k] * // want race(value: read)
			x[m.column[k]] // want race(x: read)
	}
	return sum
}

func checksum(data []byte, table *[256]uint32) (sum uint32) {
	for _, b := range data {
		sum = table[byte(sum)^b] ^ sum>>8 // want race(table: read)
	}
	return sum
}

func main() {
	m, x := &matrix{start: []int{0}}, make([]float64, 90)
	for i := range 3 {
		for k := range 40 {
			m.column = append(m.column, (k*7+i)%50)
			m.value = append(m.value, float64(k))
		}
		m.start = append(m.start, len(m.column))
	}
	var table [256]uint32
	for i := range table {
		table[i] = uint32(i * 0x01010101)
	}
	var wg sync.WaitGroup
	var sum float64
	var check uint32
	wg.Go(func() { sum = m.row(1, x) })
	wg.Go(func() { check = checksum(make([]byte, 100), &table) })
	wg.Go(func() {
		m.start[0], m.start[3] = 0, 120 // of other rows
		m.start[2] = 80                 // want race(start: write)
		m.value[39], m.value[80] = 1, 2
		m.value[79] = 3 // want race(value: write)
		x[2], x[50] = 1, 2
		x[1] = 3 // want race(x: write)
		table[1] = 1
		table[0] = 0 // want race(table: write)
	})
	wg.Wait()
	fmt.Println(sum, check)
}
