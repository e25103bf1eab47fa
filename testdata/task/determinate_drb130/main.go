// One task increments a shared variable and is joined.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	x := 2
	f := task.Create(func() int {
		x++
		return x
	})
	fmt.Println(f.Get(), x)
}
