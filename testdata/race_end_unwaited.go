// Nobody waits for the goroutine: main may end before it, or after it.
package main

func main() {
	x := new(int)
	go func() {
		*x = 1 // want race(x: write)
	}()
	*x = 2 // want race(x: write)
}
