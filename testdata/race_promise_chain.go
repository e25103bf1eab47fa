// The same chain with one link missing: task 50 waits for promise 49 instead
// of 50.
package main

func main() {
	const n = 100
	promises := make([]chan bool, n+1)
	for i := range promises {
		promises[i] = make(chan bool)
	}
	var slots [n + 1]int
	for i := n - 1; i >= 0; i-- {
		go func() {
			await := i
			if i == 50 {
				await = 49
			}
			<-promises[await]
			v := slots[i]      // want race(slots: read)
			slots[i+1] = v + 1 // want race(slots: write)
			close(promises[i+1])
		}()
	}
	close(promises[0])
	<-promises[50]
	<-promises[n]
}
