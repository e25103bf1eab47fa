// A deferred closure runs when the goroutine has long been started.
package main

func main() {
	x, ended := 0, make(chan bool)
	defer func() { <-ended }()
	defer func() {
		x = 1 // want race(x: write)
	}()
	go func() {
		use(x) // want race(x: read)
		close(ended)
	}()
}

//go:noinline
func use(int) {}
