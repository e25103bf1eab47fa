// A task spawns in the group of another, which syncs it meanwhile.
package main

import "github.com/detrace/detrace/task"

func main() {
	var outer, shared task.Group
	outer.Spawn(func() {
		shared.Spawn(func() {})
	})
	shared.Sync()
	outer.Sync()
}
