// A select by package reflect that has one case has no choice.
package main

import (
	"fmt"
	"reflect"
)

func main() {
	results := make(chan int)
	sum := new(int)
	go func() {
		defer close(results)
		for i := range 5 {
			*sum += i
			results <- i
		}
	}()
	for cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(results)}}; ; {
		_, value, ok := reflect.Select(cases)
		if !ok {
			break
		}
		fmt.Println(value.Int())
	}
	fmt.Println(*sum)
}
