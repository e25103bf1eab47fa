// The grid in which one cell forgets to wait for the one above it.
package main

const n = 6

var (
	grid  [n][n]int
	ready [n][n]chan bool
)

func cell(i, j int) {
	v := 1
	if i > 0 {
		if i != 3 || j != 3 {
			<-ready[i-1][j]
		}
		v += grid[i-1][j] // want race(grid: read)
	}
	if j > 0 {
		<-ready[i][j-1]
		v += grid[i][j-1]
	}
	grid[i][j] = v // want race(grid: write)
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
	<-ready[2][3]
}
