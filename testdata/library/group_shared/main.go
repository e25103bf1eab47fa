// Two tasks spawn in one group, which belongs to one of them at most.
package main

import "github.com/detrace/detrace/task"

func main() {
	var outer, shared task.Group
	for range 2 {
		outer.Spawn(func() {
			shared.Spawn(func() {})
		})
	}
	outer.Sync()
	shared.Sync()
}
