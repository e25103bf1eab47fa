// Command standalone demands of a function that it is determinate, without package
// testing. It is built by detrace build and runs on its own.
package main

import (
	"fmt"
	"os"
	"sync"

	"github.com/detrace/detrace/detracetest"
)

// tb stands in for a test.
type tb struct{ failed int }

func (*tb) Helper()      {}
func (*tb) Name() string { return "main" }
func (t *tb) Errorf(format string, args ...any) {
	t.failed++
	fmt.Printf(format, args...)
}
func (*tb) Logf(format string, args ...any) { fmt.Printf(format, args...) }

func main() {
	t := new(tb)
	n := 0
	detracetest.Determinate(t, func() { n++ })
	fine := t.failed
	detracetest.Determinate(t, func() {
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { n++ })
		}
		wg.Wait()
	})
	fmt.Printf("enabled %t, fine %t, raced %t\n", detracetest.Enabled, fine == 0, t.failed > 0)
	os.Exit(n - 3)
}
