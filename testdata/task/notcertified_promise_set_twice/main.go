// The second set of a promise ends the program, in every schedule.
//
// exit 2
// want reason(unfinished)
package main

import "github.com/detrace/detrace/task"

func main() {
	p := task.NewPromise[int]()
	p.Set(1)
	p.Set(2)
}
