// What the library does with memory of its callers in the runtime, and in packages that the
// runtime uses too, races as it would anywhere else.
package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
)

type row struct{ cells [20]int }

func main() {
	var wg sync.WaitGroup
	var buffers [4][]byte
	for i := range buffers {
		buffers[i] = make([]byte, 64)
	}
	var cleared, sent row
	numbers := []int{1, 2, 3}
	names := map[string]int{"one": 1}
	random := rand.NewChaCha8([32]byte{})
	queue := make(chan row, 1)
	wg.Go(func() {
		buffers[0][3] = 1               // want race(int: write)
		buffers[1][3] = 1               // want race(float: write)
		buffers[2][3] = 1               // want race(base64: write)
		buffers[3][3] = 1               // want race(random: write)
		cleared.cells[7] = 1            // want race(zero: write)
		sent.cells[7] = 1               // want race(send: write)
		numbers[1] = 1                  // want race(clear: write)
		names["two"] = 2                // want race(clone: write)
		fmt.Sprint(random.Uint64() & 0) // want race(chacha8: write)
	})
	strconv.AppendInt(buffers[0][:0], 1234567, 10)                                      // want race(int: write)
	strconv.AppendFloat(buffers[1][:0], 1234.567, 'g', -1, 64)                          // want race(float: write)
	n, err := base64.StdEncoding.Decode(buffers[2], []byte("aGVsbG8gd29ybGQgaGVsbG8=")) // want race(base64: write)
	reflect.ValueOf(&cleared).Elem().SetZero()                                          // want race(zero: write)
	reflect.ValueOf(queue).Send(reflect.ValueOf(&sent).Elem())                          // want race(send: read)
	reflect.ValueOf(numbers).Clear()                                                    // want race(clear: write)
	copied := maps.Clone(names)                                                         // want race(clone: read)
	random.Seed([32]byte{1})                                                            // want race(chacha8: write)
	rand.NewChaCha8([32]byte{}).Read(buffers[3][:32])                                   // want race(random: write)
	wg.Wait()
	fmt.Println(n, err, len(copied) > 0)
}
