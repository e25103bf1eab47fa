// Many goroutines marshal and unmarshal; the type cache of the package is
// filled by whoever comes first.
package main

import (
	"encoding/json"
	"fmt"
	"sync"
)

type order struct {
	ID    int               `json:"id"`
	Items []string          `json:"items"`
	Notes map[string]string `json:"notes"`
}

func main() {
	var wg sync.WaitGroup
	out := make([]order, 12)
	for i := range out {
		wg.Go(func() {
			b, err := json.Marshal(order{i, []string{"a", "b"}, map[string]string{"k": "v"}})
			if err != nil {
				panic(err)
			}
			if err := json.Unmarshal(b, &out[i]); err != nil {
				panic(err)
			}
		})
	}
	wg.Wait()
	fmt.Println(out[11])
}
