// A goroutine started while the package is initialised, and main does not
// wait for it before reading.
package main

var (
	table [10]int
	ready = make(chan bool)
)

func init() {
	go func() {
		table[9] = 81 // want race(table: write)
		close(ready)
	}()
}

func main() {
	use(table[9]) // want race(table: read)
	<-ready
}

//go:noinline
func use(int) {}
