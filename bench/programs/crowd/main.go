// Crowd is a choice of programs in which very many goroutines, or few very often, meet at one
// thing of the library: what a goroutine costs must not grow with how many there are. None
// races. The arguments are the program and how many goroutines or meetings there are.
package main

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/detrace/detrace/bench/programs/choice"
)

var programs = map[string]func(n int) int{
	"mutex":     mutex,
	"rwmutex":   rwmutex,
	"semaphore": semaphore,
	"guarded":   guarded,
	"once":      once,
	"counter":   counter,
	"syncmap":   syncmap,
	"contexts":  contexts,
	"cond":      cond,
	"results":   results,
	"workers":   workers,
	"relay":     relay,
	"rounds":    rounds,
	"sharedmap": sharedmap,
	"heirs":     heirs,
}

func main() { choice.Main("crowd", programs) }

// crowd runs f in n goroutines and waits for them.
func crowd(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func sum(numbers []int) (total int) {
	for _, x := range numbers {
		total += x
	}
	return total
}

// mutex lets n goroutines take one mutex once.
func mutex(n int) (total int) {
	var mu sync.Mutex
	crowd(n, func(i int) {
		mu.Lock()
		total += i
		mu.Unlock()
	})
	return total
}

// rwmutex lets n goroutines read one variable under a read lock.
func rwmutex(n int) int {
	var mu sync.RWMutex
	x, out := 7, make([]int, n)
	crowd(n, func(i int) {
		mu.RLock()
		out[i] = x
		mu.RUnlock()
	})
	return sum(out)
}

// semaphore starts n goroutines of which eight at a time do something, by a channel's room.
func semaphore(n int) int {
	room, out := make(chan struct{}, 8), make([]int, n)
	crowd(n, func(i int) {
		room <- struct{}{}
		out[i] = i
		<-room
	})
	return sum(out)
}

// guarded starts each of n goroutines when fewer than eight are there.
func guarded(n int) int {
	room, out := make(chan struct{}, 8), make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		room <- struct{}{}
		wg.Go(func() {
			out[i] = i
			<-room
		})
	}
	wg.Wait()
	return sum(out)
}

// once lets n goroutines read what the first of them makes.
func once(n int) int {
	made, out := sync.OnceValue(func() int { return 7 }), make([]int, n)
	crowd(n, func(i int) { out[i] = made() })
	return sum(out)
}

// counter lets n goroutines add to one atomic number.
func counter(n int) int {
	var x atomic.Int64
	crowd(n, func(i int) { x.Add(int64(i)) })
	return int(x.Load())
}

// syncmap lets n goroutines store to a map of package sync, each under a key of its own.
func syncmap(n int) int {
	var m sync.Map
	crowd(n, func(i int) { m.Store(i, i) })
	total := 0
	for i := range n {
		x, _ := m.Load(i)
		total += x.(int)
	}
	return total
}

// contexts lets n goroutines wait until one context, from which theirs is made, is cancelled.
func contexts(n int) int {
	ctx, cancel := context.WithCancel(context.Background())
	out := make([]int, n)
	var wg sync.WaitGroup
	for i := range n {
		own, stop := context.WithCancel(ctx)
		wg.Go(func() {
			defer stop()
			<-own.Done()
			out[i] = i
		})
	}
	cancel()
	wg.Wait()
	return sum(out)
}

// cond lets n goroutines wait for a broadcast.
func cond(n int) (total int) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	begun, ready := sync.NewCond(&mu), false
	for i := range n {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for !ready {
				begun.Wait()
			}
			total += i
		})
	}
	mu.Lock()
	ready = true
	mu.Unlock()
	begun.Broadcast()
	wg.Wait()
	return total
}

// results receives from n goroutines over one channel.
func results(n int) (total int) {
	c := make(chan int)
	for i := range n {
		go func() { c <- i }()
	}
	for range n {
		total += <-c
	}
	return total
}

// workers gives n jobs to eight goroutines over one channel.
func workers(n int) int {
	jobs, out := make(chan int), make([]int, n)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range jobs {
				out[i] = i
			}
		})
	}
	for i := range n {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	return sum(out)
}

// relay hands a number on through n goroutines.
func relay(n int) int {
	first := make(chan int)
	last := first
	for range n {
		in, out := last, make(chan int)
		go func() { out <- 1 + <-in }()
		last = out
	}
	first <- 0
	return <-last
}

// rounds starts 64 goroutines and waits for them, until n were started.
func rounds(n int) int {
	out := make([]int, 64)
	for r := range n / len(out) {
		crowd(len(out), func(i int) { out[i] += r })
	}
	return sum(out)
}

// sharedmap lets eight goroutines count in one map, n times together, under a mutex.
func sharedmap(n int) int {
	var mu sync.Mutex
	m := map[int]int{}
	crowd(8, func(int) {
		for i := range n / 8 {
			mu.Lock()
			m[i%1000]++
			mu.Unlock()
		}
	})
	return len(m)
}

// heirs are n goroutines of which each starts the next.
func heirs(n int) int {
	done, generation := make(chan int), 0
	var live func()
	live = func() {
		if generation++; generation == n {
			done <- generation
			return
		}
		go live()
	}
	go live()
	return <-done
}
