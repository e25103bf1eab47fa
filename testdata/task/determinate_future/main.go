// One future is got by two tasks, the second of which does nothing else to be
// ordered behind the first one's future.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	var log [2]int
	first := task.Create(func() int {
		log[0] = 1
		return 20
	})
	second := task.Create(func() int {
		log[1] = first.Get()
		return log[0] + log[1]
	})
	fmt.Println(first.Get()+second.Get(), log)
}
