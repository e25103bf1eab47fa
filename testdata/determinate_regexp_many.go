// One compiled expression used by many goroutines.
package main

import (
	"fmt"
	"regexp"
	"sync"
	"time"
)

func main() {
	var wg sync.WaitGroup
	re := regexp.MustCompile(`(\d+)-(\d+)`)
	out := make([]string, 10)
	for i := range out {
		wg.Go(func() {
			day := time.Unix(int64(i)*86400, 0).UTC().Format("2006-01-02")
			out[i] = re.ReplaceAllString(day, "$2/$1")
		})
	}
	wg.Wait()
	fmt.Println(out)
}
