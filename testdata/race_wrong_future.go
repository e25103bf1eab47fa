// Main waits for the second future and reads the result of the first.
package main

func main() {
	var first, second int
	d1, d2 := make(chan bool), make(chan bool)
	go func() {
		first = 1 // want race(first: write)
		close(d1)
	}()
	go func() {
		second = 2
		close(d2)
	}()
	<-d2
	use(first) // want race(first: read)
	use(second)
	<-d1
}

//go:noinline
func use(int) {}
