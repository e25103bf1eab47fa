// No race, but the program panics in every schedule: what it would have done
// after that is not judged.
//
// exit 2
// want reason(unfinished)
package main

func main() {
	done := make(chan int, 1)
	go func() { done <- 1 }()
	if <-done == 1 {
		panic("always")
	}
}
