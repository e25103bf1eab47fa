// A task panics, the sync passes it on, and nobody recovers.
//
// exit 2
// want reason(unfinished)
package main

import "github.com/detrace/detrace/task"

func main() {
	var g task.Group
	g.Spawn(func() { panic("always") })
	g.Sync()
}
