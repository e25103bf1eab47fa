// The result is there in the end, but the clock might have won.
//
// want reason(select)
// want reason(atomic)
package main

import (
	"context"
	"fmt"
	"time"

	"github.com/detrace/detrace/task"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	p := task.NewPromise[int]()
	f := task.Create(func() int { return p.Get() + 1 })
	started := task.Create(func() int {
		x, err := f.GetContext(ctx)
		if err != nil {
			panic(err)
		}
		return x
	})
	time.Sleep(100 * time.Millisecond)
	p.Set(1)
	fmt.Println(started.Get())
}
