// The methods of a generic type are instrumented like any other.
package main

import "sync"

type box[T any] struct{ value T }

func (b *box[T]) set(v T) {
	b.value = v // want race(value: write)
}

func main() {
	var wg sync.WaitGroup
	var b box[string]
	wg.Go(func() { b.set("one") })
	wg.Go(func() { b.set("two") })
	wg.Wait()
}
