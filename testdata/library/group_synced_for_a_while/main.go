// A task spawns in the group of another, which waits for it only so long.
package main

import (
	"context"

	"github.com/detrace/detrace/task"
)

func main() {
	var outer, shared task.Group
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	shared.Spawn(func() {})
	outer.Spawn(func() {
		shared.Spawn(func() {})
	})
	shared.SyncContext(ctx)
	outer.Sync()
}
