// The output of a command is read after Wait, although what feeds the command ends last.
package main

import (
	"fmt"
	"io"
	"os/exec"
	"time"
)

// slow has nothing to read, and says so late.
type slow struct{}

func (slow) Read([]byte) (int, error) {
	time.Sleep(50 * time.Millisecond)
	return 0, io.EOF
}

func main() {
	cmd := exec.Command("echo", "text")
	cmd.Stdin = slow{}
	out, err := cmd.CombinedOutput()
	fmt.Printf("%s%v\n", out, err)
}
