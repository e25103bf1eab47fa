// Command tasks runs a program of the suite in package task.
package main

import (
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/bench/suite/tasks"
)

func main() { program.Main(tasks.Programs) }
