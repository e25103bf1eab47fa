// Two reductions one after the other, then each replica adds both sums.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var parts [5]int
	var results [4]int
	var g task.Group
	var sums [2]int
	for phase := range sums {
		for i := range parts {
			g.Spawn(func() { parts[i] = i })
		}
		g.Sync()
		for _, p := range parts {
			sums[phase] += p
		}
	}
	for r := range results {
		g.Spawn(func() { results[r] = sums[0] + sums[1] })
	}
	g.Sync()
	fmt.Println(results)
}
