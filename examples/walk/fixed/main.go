// Command fixed adds up the sizes of all files of a directory tree, with one
// goroutine for every directory.
//
// The fix: a directory sends its total to the directory above it. In the racy
// twin all goroutines add to one variable.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
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
	fmt.Printf("total size: %d bytes\n", walk(root))
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

// walk returns the size of the files in dir and below.
func walk(dir string) int64 {
	entries, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	size := int64(0)
	var totals []chan int64
	for _, e := range entries {
		if e.IsDir() {
			total := make(chan int64, 1)
			totals = append(totals, total)
			go func() { total <- walk(filepath.Join(dir, e.Name())) }()
			continue
		}
		info, err := e.Info()
		if err != nil {
			log.Fatal(err)
		}
		size += info.Size()
	}
	for _, total := range totals {
		size += <-total
	}
	return size
}
