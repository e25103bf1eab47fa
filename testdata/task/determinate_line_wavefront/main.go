// Dynamic programming on a line: every row is a task left of the next one, forked
// and joined cell by cell.
package main

import (
	"fmt"

	"github.com/detrace/detrace/task"
)

func main() {
	const n = 6
	var table [n][n]int
	var line task.Line
	for i := range n {
		for j := range n {
			line.Fork(func(l *task.Line) {
				if left := l.Left(); left != nil {
					l.Join(left)
				}
				if i > 0 && j > 0 {
					table[i][j] = table[i-1][j] + table[i][j-1]
				} else {
					table[i][j] = 1
				}
			})
		}
	}
	line.JoinAll()
	fmt.Println(table[n-1][n-1])
}
