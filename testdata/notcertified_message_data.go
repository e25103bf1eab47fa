// Who receives a pointer comes after who filled it, whoever that is.
package main

import "fmt"

type result struct{ value int }

func main() {
	results := make(chan *result, 2)
	for i := range 2 {
		go func() {
			r := &result{}
			r.value = i
			results <- r // want reason(channel-order)
		}()
	}
	fmt.Println((<-results).value)
	<-results
}
