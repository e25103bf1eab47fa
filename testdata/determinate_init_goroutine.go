// A goroutine started while the package is initialised, joined by main.
package main

import "fmt"

var (
	table [10]int
	ready = make(chan bool)
)

func init() {
	go func() {
		for i := range table {
			table[i] = i * i
		}
		close(ready)
	}()
}

func main() {
	<-ready
	fmt.Println(table)
}
