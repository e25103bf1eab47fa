// A chain of tasks created in reverse order: task i waits for promise i and
// sets promise i+1; main sets the first one last.
package main

import "fmt"

func main() {
	const n = 100
	promises := make([]chan bool, n+1)
	for i := range promises {
		promises[i] = make(chan bool)
	}
	x := 0
	for i := n - 1; i >= 0; i-- {
		go func() {
			<-promises[i]
			x = x*3 + i
			x %= 1000003
			close(promises[i+1])
		}()
	}
	close(promises[0])
	<-promises[n]
	fmt.Println(x)
}
