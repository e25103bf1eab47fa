// Package main is quoted in the reports of the tests. The names behind the
// comment marks are how a test finds a line.
package main

import (
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

type stats struct {
	name  string
	count int
}

func main() {
	siblings()
	parent()
	if err := nested(map[string]int{}); err != nil {
		fmt.Println(err)
	}
}

func siblings() {
	p := &stats{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { //: spawn siblings
			p.count++ //: count
		})
	}
	wg.Wait()
}

func parent() {
	result := 0
	go func() { //: spawn child
		result = 42 //: child writes
	}()
	time.Sleep(time.Second)
	fmt.Println("result:", result) //: parent reads
}

var seen = map[string]int{}

func nested(in map[string]int) error {
	var g errgroup.Group
	g.Go(func() error { //: spawn left
		var inner sync.WaitGroup
		inner.Add(1)
		go func() { //: spawn leaf
			defer inner.Done()
			seen["leaf"]++ //: leaf writes
		}()
		inner.Wait()
		return nil
	})
	g.Go(func() error { //: spawn right
		for k := range seen { //: right iterates
			fmt.Println(k)
		}
		return nil
	})
	return g.Wait()
}

func locked(mu *sync.Mutex, c chan int) {
	mu.Lock()   //: lock
	mu.Unlock() //: unlock
	select {    //: select
	case <-c:
	default:
	}
	c <- 1 //: send one
	c <- 2 //: send two
}
