// The goroutine assigns the error variable of the function that started it.
package main

import (
	"errors"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	err := step(1)
	wg.Add(1)
	go func() {
		defer wg.Done()
		err = step(2) // want race(err: write)
	}()
	if err != nil { // want race(err: read)
		panic("step 1 cannot fail")
	}
	wg.Wait()
}

func step(i int) error {
	if i == 3 {
		return errors.New("third step")
	}
	return nil
}
