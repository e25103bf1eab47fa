// A goroutine that is no task of the finish cancels what the finish asks about: in most runs too
// late, but only because it was started last.
package main

import (
	"context"
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	task.Finish(func(*task.Scope) {
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		if ctx.Err() != nil { // want reason(select)
			fmt.Println("too late")
		}
		<-ctx.Done()
	})
}
