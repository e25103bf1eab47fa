// Of two who ask for what is done once, one passes what it learned on: to a goroutine that it
// starts, to one that waits for it, over a channel. Nobody waits for the other one before.
package main

import (
	"fmt"
	"sync"
)

type table struct {
	once  sync.Once
	names map[int]string
}

func (t *table) get() map[int]string {
	t.once.Do(func() {
		t.names = map[int]string{}
		t.fill()
	})
	return t.names
}

func (t *table) fill() {
	for i := range 3 {
		t.names[i] = fmt.Sprint("name ", i)
	}
}

func main() {
	var (
		t     table
		first sync.WaitGroup
		done  = make(chan int)
		names [3]string
	)
	first.Go(func() { t.get() })
	go func() {
		t.get()
		var inner sync.WaitGroup
		inner.Go(func() { names[0] = t.names[0] })
		inner.Wait()
		done <- 1
	}()
	<-done
	names[1] = t.names[1]
	next := sync.OnceValue(func() string { return t.get()[2] })
	names[2] = next()
	first.Wait()
	fmt.Println(names)
}
