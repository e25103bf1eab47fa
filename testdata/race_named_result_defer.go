// A deferred function writes the named result that a goroutine still reads.
package main

func main() {
	done := make(chan bool)
	use(answer(done))
	<-done
}

func answer(done chan bool) (r int) {
	defer func() {
		r = 7 // want race(r: write)
	}()
	go func() {
		use(r) // want race(r: read)
		close(done)
	}()
	return
}

//go:noinline
func use(int) {}
