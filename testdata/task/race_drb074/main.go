// Ten replicas write a variable and read it again; a lock around the write alone
// would not help.
package main

import "github.com/detrace/detrace/task"

func main() {
	i := 0
	var parts [10]int
	var g task.Group
	for replica := range parts {
		g.Spawn(func() {
			set(&i)
			parts[replica] += i
		})
	}
	g.Sync()
	use(parts[0])
}

func set(q *int) {
	*q = 1 // want race(q)
}

//go:noinline
func use(int) {}
