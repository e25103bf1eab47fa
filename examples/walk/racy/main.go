// Command racy adds up the sizes of all files of a directory tree, with one
// goroutine for every directory.
//
// The bug: all goroutines add to one variable. In the fixed twin a directory
// sends its total to the directory above it.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
)

func main() {
	depth := flag.Int("depth", 3, "levels of directories")
	width := flag.Int("width", 4, "directories and files in a directory")
	flag.Parse()

	root, err := os.MkdirTemp("", "walk")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(root)
	if err := makeTree(root, *depth, *width); err != nil {
		log.Fatal(err)
	}
	var w walker
	w.wg.Go(func() { w.walk(root) })
	w.wg.Wait()
	fmt.Printf("total size: %d bytes\n", w.total)
}

// makeTree fills dir with files and, while depth lasts, with directories.
func makeTree(dir string, depth, width int) error {
	for i := range width {
		file := filepath.Join(dir, fmt.Sprint("file", i))
		if err := os.WriteFile(file, make([]byte, 100*i+depth), 0o600); err != nil {
			return err
		}
		if depth == 0 {
			continue
		}
		sub := filepath.Join(dir, fmt.Sprint("dir", i))
		if err := os.Mkdir(sub, 0o700); err != nil {
			return err
		}
		if err := makeTree(sub, depth-1, width); err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	wg    sync.WaitGroup
	total int64
}

// walk adds the sizes of the files in dir and below.
func (w *walker) walk(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	size := int64(0)
	for _, e := range entries {
		if e.IsDir() {
			w.wg.Go(func() { w.walk(filepath.Join(dir, e.Name())) })
			continue
		}
		info, err := e.Info()
		if err != nil {
			log.Fatal(err)
		}
		size += info.Size()
	}
	w.total += size // want race(total)
}
