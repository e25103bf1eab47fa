// A grid of tasks, each of which waits for its left and its upper neighbour.
package main

import "fmt"

const n = 6

var (
	grid  [n][n]int
	ready [n][n]chan bool
)

func cell(i, j int) {
	v := 1
	if i > 0 {
		<-ready[i-1][j]
		v += grid[i-1][j]
	}
	if j > 0 {
		<-ready[i][j-1]
		v += grid[i][j-1]
	}
	grid[i][j] = v
	close(ready[i][j])
}

func main() {
	for i := range n {
		for j := range n {
			ready[i][j] = make(chan bool)
		}
	}
	for i := range n {
		for j := range n {
			go cell(i, j)
		}
	}
	<-ready[n-1][n-1]
	fmt.Println(grid[n-1][n-1])
}
