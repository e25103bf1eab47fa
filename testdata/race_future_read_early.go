// What the future writes is read before it is got.
package main

func main() {
	g := 0
	f := make(chan int, 1)
	go func() {
		g = 42 // want race(g: write)
		f <- 1
	}()
	use(g) // want race(g: read)
	<-f
}

//go:noinline
func use(int) {}
