// A pipe in memory with one writer and one reader, a logger for each goroutine, an
// environment that all only look at.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
)

func main() {
	reader, writer := io.Pipe()
	os.Setenv("DETERMINATE", "yes")
	logs := make([]bytes.Buffer, 3)
	var wg sync.WaitGroup
	for i := range logs {
		wg.Go(func() {
			log.New(&logs[i], "", 0).Println(i, os.Getenv("DETERMINATE"))
		})
	}
	wg.Go(func() {
		for i := range 3 {
			fmt.Fprint(writer, i)
		}
		writer.Close()
	})
	text, err := io.ReadAll(reader)
	wg.Wait()
	for i := range logs {
		fmt.Print(logs[i].String())
	}
	fmt.Println(string(text), err)
}
