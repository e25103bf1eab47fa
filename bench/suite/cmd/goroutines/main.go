// Command goroutines runs a program of the suite in goroutines.
package main

import (
	"github.com/detrace/detrace/bench/suite/goroutines"
	"github.com/detrace/detrace/bench/suite/program"
)

func main() { program.Main(goroutines.Programs) }
