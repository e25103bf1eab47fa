// Command serial runs a program of the suite in plain sequential Go.
package main

import (
	"github.com/detrace/detrace/bench/suite/program"
	"github.com/detrace/detrace/bench/suite/serial"
)

func main() { program.Main(serial.Programs) }
