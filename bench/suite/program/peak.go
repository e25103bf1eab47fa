package program

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// A process's own peak of memory is that of the program alone; what the system tells a
// parent includes the time before the program was loaded.
const peakLine = "peak of resident memory in KiB:"

// printPeak prints the peak of this process.
func printPeak(w io.Writer) error {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, err := fmt.Fprintln(w, peakLine, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
			return err
		}
	}
	return fmt.Errorf("the system does not say what memory this process used")
}

// Peak finds what a program with -peak printed on standard error, in bytes.
func Peak(stderr []byte) (int64, error) {
	for line := range strings.Lines(string(stderr)) {
		if value, ok := strings.CutPrefix(line, peakLine); ok {
			var kib int64
			_, err := fmt.Sscan(value, &kib)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("the program did not print its peak of memory")
}
