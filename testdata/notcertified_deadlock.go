// Two promises that wait for each other: the program deadlocks in every
// schedule, and what it would have done after that is not judged.
//
// exit 2
// want reason(unfinished)
package main

func main() {
	first, second := make(chan bool), make(chan bool)
	go func() {
		<-second
		close(first)
	}()
	<-first
	close(second)
}
