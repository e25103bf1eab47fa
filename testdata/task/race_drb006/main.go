// Two views of one slice, 12 elements apart, indexed through a table: exactly two
// iterations meet, close to each other.
package main

import "github.com/detrace/detrace/task"

func main() {
	index := indices()
	index[5] = 533 // not 531
	base := make([]float64, 2026)
	one, two := base, base[12:]
	var g task.Group
	for k := range index {
		g.Spawn(func() {
			i := index[k]
			one[i]++    // want race(base)
			two[i] += 3 // want race(base)
		})
	}
	g.Sync()
}

// indices are 180 positions, no two of them 12 apart.
func indices() []int {
	var all []int
	for g := range 5 {
		for r := range 6 {
			for c := range 6 {
				all = append(all, 521+338*g+26*r+2*c)
			}
		}
	}
	return all
}
