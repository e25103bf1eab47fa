// A semaphore that lets two in protects nothing when there are only two.
package main

func main() {
	x := 0
	sem, ended := make(chan int, 2), make(chan bool)
	for range 2 {
		go func() {
			sem <- 1
			x++ // want race(x)
			<-sem
			ended <- true
		}()
	}
	<-ended
	<-ended
}
