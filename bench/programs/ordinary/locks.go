package main

import (
	"bytes"
	"container/list"
	"fmt"
	"math/rand"
	"sync"
)

// countUnderLock has no other goroutine.
func countUnderLock(n int) int {
	var mu sync.Mutex
	count := 0
	for i := range n {
		mu.Lock()
		count += i
		mu.Unlock()
	}
	return count
}

// shareCache lets eight goroutines look keys up in one map, and put in what is missing.
func shareCache(n int) int {
	var mu sync.RWMutex
	cache := map[int]int{}
	eight(func(g int) {
		for i := range n {
			key := (i*31 + g) % 1000
			mu.RLock()
			_, ok := cache[key]
			mu.RUnlock()
			if !ok {
				mu.Lock()
				cache[key] = key
				mu.Unlock()
			}
		}
	})
	return len(cache)
}

// eight runs f in as many goroutines.
func eight(f func(g int)) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() { f(g) })
	}
	wg.Wait()
}

// countTogether lets eight goroutines add to one counter.
func countTogether(n int) (count int) {
	var mu sync.Mutex
	eight(func(int) {
		for range n {
			mu.Lock()
			count++
			mu.Unlock()
		}
	})
	return count
}

// transfer moves money between accounts, each of which has a lock.
func transfer(n int) (sum int) {
	var accounts [100]struct {
		mu      sync.Mutex
		balance int
	}
	eight(func(g int) {
		r := rand.New(rand.NewSource(int64(g)))
		for range n {
			i := r.Intn(len(accounts) - 1)
			from, to := &accounts[i], &accounts[i+1+r.Intn(len(accounts)-1-i)]
			from.mu.Lock()
			to.mu.Lock()
			from.balance--
			to.balance++
			to.mu.Unlock()
			from.mu.Unlock()
		}
	})
	for i := range accounts {
		sum += accounts[i].balance
	}
	return sum
}

// useLately keeps the hundred keys that eight goroutines used last.
func useLately(n int) int {
	var mu sync.Mutex
	places, order := map[int]*list.Element{}, list.New()
	eight(func(g int) {
		r := rand.New(rand.NewSource(int64(g)))
		for range n {
			key := r.Intn(150)
			mu.Lock()
			if e, ok := places[key]; ok {
				order.MoveToFront(e)
			} else {
				places[key] = order.PushFront(key)
			}
			if order.Len() > 100 {
				delete(places, order.Remove(order.Back()).(int))
			}
			mu.Unlock()
		}
	})
	return order.Len()
}

// note has eight goroutines write lines into one buffer.
func note(n int) (lines int) {
	var mu sync.Mutex
	var b bytes.Buffer
	eight(func(g int) {
		for i := range n {
			mu.Lock()
			fmt.Fprintf(&b, "worker %d does item %d\n", g, i)
			if b.Len() > 1<<12 {
				lines += bytes.Count(b.Bytes(), []byte("\n"))
				b.Reset()
			}
			mu.Unlock()
		}
	})
	return lines + bytes.Count(b.Bytes(), []byte("\n"))
}
