// Endure works for the time that its argument says, such as 10m: round by round 32
// goroutines each fill, smooth and sort a new slice, count in a new map, and add to what lives
// from round to round. After each tenth of the time it says on standard error how much memory
// it has.
package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"
)

const (
	workers = 32
	size    = 1_000
	passes  = 10
)

func main() {
	total, err := time.ParseDuration(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	began, tenth, rounds := time.Now(), 1, 0
	var kept [workers][size]uint32
	for ; tenth <= 10; rounds++ {
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() { work(&kept[w], uint32(rounds*workers+w)) })
		}
		wg.Wait()
		for ; tenth <= 10 && time.Since(began) >= total*time.Duration(tenth)/10; tenth++ {
			fmt.Fprintf(os.Stderr, "resident %d\n", resident())
		}
	}
	sum := uint64(0)
	for w := range kept {
		for _, v := range kept[w] {
			sum += uint64(v)
		}
	}
	if want := uint64(rounds) * workers * size; sum != want {
		fmt.Println("wrong:", sum, "and not", want)
		os.Exit(1)
	}
	fmt.Println(rounds, "rounds")
}

// work adds one to each element of kept, in an order that seed decides.
func work(kept *[size]uint32, seed uint32) {
	order := make([]uint32, size)
	for i := range order {
		seed = seed*1664525 + 1013904223
		order[i] = seed>>12<<15 | uint32(i)
	}
	smooth(slices.Clone(order))
	slices.Sort(order)
	seen := map[uint32]int{}
	for _, v := range order {
		i := v & (1<<15 - 1)
		seen[i%100]++
		kept[i]++
	}
	for k, n := range seen {
		if n != size/100 {
			panic(fmt.Sprint(k, " was seen ", n, " times"))
		}
	}
}

// smooth makes each inner element the mean of its neighbours and itself, some times over.
func smooth(old []uint32) {
	next := slices.Clone(old)
	for range passes {
		for i := 1; i < len(old)-1; i++ {
			next[i] = old[i-1]/3 + old[i]/3 + old[i+1]/3
		}
		old, next = next, old
	}
}

// resident is the process's memory in bytes, 0 where the system does not say.
func resident() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kilobytes := 0
	fmt.Sscan(string(rest), &kilobytes)
	return kilobytes << 10
}
