// What a pool hands on leads to much more memory, which belongs to it: a compressor and its
// tables, a buffer that grew.
package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"sync"
)

type work struct {
	lines map[string]int
	text  *bytes.Buffer
	parts [][]byte
}

var free = sync.Pool{New: func() any { return &work{lines: map[string]int{}, text: new(bytes.Buffer)} }}

func count(text string) int {
	w := free.Get().(*work)
	clear(w.lines)
	w.text.Reset()
	w.parts = w.parts[:0]
	for _, line := range strings.Fields(text) {
		w.lines[line]++
		w.text.WriteString(line)
		w.parts = append(w.parts, []byte(line))
	}
	n := len(w.lines) + w.text.Len() + len(w.parts)
	free.Put(w)
	return n
}

func archive(text string) int {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("text")
	if err != nil {
		panic(err)
	}
	fmt.Fprint(f, text)
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Len()
}

func main() {
	counts, sizes := make([]int, 8), make([]int, 8)
	var wg sync.WaitGroup
	for i := range counts {
		wg.Go(func() {
			text := strings.Repeat("some words ", 20*i)
			counts[i], sizes[i] = count(text), archive(text)
		})
	}
	wg.Wait()
	fmt.Println(counts, sizes)
}
