// Package reflect sends, receives and selects for the program: what the schedule decides there,
// it decides as in a statement.
package main

import (
	"fmt"
	"reflect"
	"sync"
)

func main() {
	first, second, both := make(chan int, 1), make(chan int, 1), make(chan int, 2)
	first <- 1
	second <- 2
	cases := []reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(first)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(second)},
	}
	chosen, _, _ := reflect.Select(cases) // want reason(select)

	_, ok := reflect.ValueOf(both).TryRecv() // want reason(select)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			reflect.ValueOf(both).Send(reflect.ValueOf(i)) // want reason(channel-order)
		})
	}
	wg.Wait()
	fmt.Println(chosen < 2, ok, <-both+<-both)
}
