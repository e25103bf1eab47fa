// Sweep writes and reads 256 MB byte by byte, once.
package main

import (
	"fmt"
	"os"
)

const n = 256 << 20

func main() {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	sum := 0
	for _, v := range b {
		sum += int(v)
	}
	if sum != n/256*(255*256/2) {
		fmt.Println("wrong:", sum)
		os.Exit(1)
	}
	fmt.Println(sum)
}
