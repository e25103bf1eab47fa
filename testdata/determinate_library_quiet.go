// What the library does in the runtime, and in packages that the runtime uses too, touches no
// more than it is given.
package main

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strconv"
	"sync"
)

func main() {
	text := make([]byte, 256)
	numbers := make([]int, 32)
	names := map[string]int{"one": 1, "two": 2}
	encoded := []byte("aGVsbG8gd29ybGQgaGVsbG8=")
	results := make([]string, 8)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			part := text[32*i : 32*i : 32*i+32]
			part = strconv.AppendInt(part, int64(i), 10)
			part = strconv.AppendFloat(part, float64(i)/8, 'f', 3, 64)
			decoded := make([]byte, 24)
			n, err := base64.StdEncoding.Decode(decoded, encoded)
			reflect.ValueOf(numbers[4*i : 4*i+4]).Clear()
			copied := maps.Clone(names)
			copied["three"] = i
			random := rand.New(rand.NewChaCha8([32]byte{byte(i)}))
			address := netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}).Next()
			results[i] = fmt.Sprint(string(part), string(decoded[:n]), err, copied, random.IntN(100), address)
		})
	}
	wg.Wait()
	fmt.Println(results, len(numbers))
}
