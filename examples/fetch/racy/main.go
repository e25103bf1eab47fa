// Command racy reads a hundred files in parallel and prints a checksum of
// their contents in order.
//
// The bug: the tasks append to one slice. The fixed twin gives every task its
// own element, which also keeps the order of the files.
package main

import (
	"flag"
	"fmt"
	"hash/crc32"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

func main() {
	n := flag.Int("n", 100, "how many files")
	flag.Parse()

	if err := run(*n); err != nil {
		log.Fatal(err)
	}
}

func run(n int) error {
	dir, err := os.MkdirTemp("", "fetch")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	names, err := makeFiles(dir, n)
	if err != nil {
		return err
	}
	docs, err := fetch(names)
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	for _, d := range docs {
		sum.Write(d)
	}
	fmt.Printf("%d documents, checksum %08x\n", len(docs), sum.Sum32())
	return nil
}

// makeFiles writes n files of different lengths and returns their names.
func makeFiles(dir string, n int) ([]string, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = filepath.Join(dir, fmt.Sprintf("doc%03d.txt", i))
		var text []byte
		for line := range 20 + i {
			text = fmt.Appendf(text, "line %d of document %d\n", line, i)
		}
		if err := os.WriteFile(names[i], text, 0o600); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// fetch reads all the files in parallel.
func fetch(names []string) ([][]byte, error) {
	var g errgroup.Group
	var docs [][]byte
	for _, name := range names {
		g.Go(func() error {
			d, err := os.ReadFile(name)
			docs = append(docs, d) // want race(docs)
			return err
		})
	}
	return docs, g.Wait()
}
