package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

func borrow(n int) (total int) {
	pool := sync.Pool{New: func() any { return new([64]int) }}
	for i := range n {
		b := pool.Get().(*[64]int)
		b[i%64]++
		total++
		pool.Put(b)
	}
	return total
}

// feedWorkers hands pieces of a text to four goroutines, and adds up what they count.
func feedWorkers(n int) (total int) {
	pieces, counts := make(chan []byte), make(chan int)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for piece := range pieces {
				counts <- bytes.Count(piece, []byte(" "))
			}
		})
	}
	go func() {
		text := prose(n)
		for i := 0; i < len(text); i += 512 {
			pieces <- text[i:min(i+512, len(text))]
		}
		close(pieces)
		wg.Wait()
		close(counts)
	}()
	for count := range counts {
		total += count
	}
	return total
}

// splitAmong has a goroutine for each line.
func splitAmong(n int) (total int) {
	lines := bytes.Split(prose(n), []byte("\n"))
	words := make([]int, len(lines))
	var wg sync.WaitGroup
	for i, line := range lines {
		wg.Go(func() { words[i] = len(bytes.Fields(line)) })
	}
	wg.Wait()
	for _, count := range words {
		total += count
	}
	return total
}

// serve answers n requests of each of eight clients.
func serve(n int) int {
	var mu sync.Mutex
	hits := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		hits[r.URL.Path]++
		mu.Unlock()
		must(json.NewEncoder(w).Encode(person{Name: r.URL.Path}))
	}))
	defer server.Close()
	eight(func(g int) {
		for i := range n {
			answer, err := http.Get(server.URL + fmt.Sprintf("/%d/%d", g, i%10))
			must(err)
			_, err = io.Copy(io.Discard, answer.Body)
			must(err)
			must(answer.Body.Close())
		}
	})
	return len(hits)
}
