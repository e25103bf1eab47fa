// Command fixed counts the words of a text file of several megabytes, which it
// writes first, with a few workers.
//
// The fix: every worker has its own map, and they are merged after the join.
// In the racy twin all count in one.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"log"
	"math/rand"
	"os"
	"sync"
)

func main() {
	size := flag.Int("size", 5<<20, "bytes of the text")
	workers := flag.Int("workers", 4, "how many workers")
	flag.Parse()

	text, err := readText(*size)
	if err != nil {
		log.Fatal(err)
	}
	counts := count(text, *workers)
	words := 0
	for _, n := range counts {
		words += n
	}
	fmt.Printf("%d words, %d different, %d times %q\n", words, len(counts), counts["ba"], "ba")
}

// readText writes a text of pseudo-random words to a temporary file and reads
// it back.
func readText(size int) ([]byte, error) {
	f, err := os.CreateTemp("", "wordfreq")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewSource(1))
	for n := 0; n < size; {
		word := makeWord(int(rng.ExpFloat64() * 300))
		w.WriteString(word)
		w.WriteByte(" \n"[rng.Intn(10)/9])
		n += len(word) + 1
	}
	if err := w.Flush(); err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(f.Name())
}

// makeWord spells i in syllables: ba, be, …, baba, babe, …
func makeWord(i int) string {
	var word []byte
	for ; i >= 0; i = i/50 - 1 {
		word = append(word, "bdfglmnprs"[i%10], "aeiou"[i/10%5])
	}
	return string(word)
}

// count splits the text between the workers and counts its words.
func count(text []byte, workers int) map[string]int {
	var wg sync.WaitGroup
	partial := make([]map[string]int, workers)
	for i, part := range split(text, workers) {
		wg.Go(func() {
			counts := map[string]int{}
			for word := range bytes.FieldsSeq(part) {
				counts[string(word)]++
			}
			partial[i] = counts
		})
	}
	wg.Wait()
	counts := map[string]int{}
	for _, p := range partial {
		for word, n := range p {
			counts[word] += n
		}
	}
	return counts
}

// split cuts the text into n parts between words.
func split(text []byte, n int) [][]byte {
	parts := make([][]byte, 0, n)
	for ; n > 1; n-- {
		cut := len(text) / n
		for cut < len(text) && text[cut] != ' ' && text[cut] != '\n' {
			cut++
		}
		parts = append(parts, text[:cut])
		text = text[cut:]
	}
	return append(parts, text)
}
