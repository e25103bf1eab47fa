// A return statement writes the named result that a goroutine still reads.
package main

func main() {
	done := make(chan bool)
	use(answer(done))
	<-done
}

func answer(done chan bool) (r int) {
	go func() {
		use(r) // want race(r: read)
		close(done)
	}()
	return 20 // want race(r: write)
}

//go:noinline
func use(int) {}
