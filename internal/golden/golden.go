// Package golden compares what a test made with a file that people have read.
package golden

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Check compares got with a file, which it writes first if the test runs with -update.
// The first line that differs, with some after it, fails t.
func Check(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	gotLines, wantLines := bytes.Split(got, []byte("\n")), bytes.Split(want, []byte("\n"))
	n := 0
	for n < len(gotLines) && n < len(wantLines) && bytes.Equal(gotLines[n], wantLines[n]) {
		n++
	}
	t.Errorf("%s:%d: got\n%s\nwant\n%s\n(go test -update rewrites it)", file, n+1, part(gotLines, n), part(wantLines, n))
}

func part(lines [][]byte, n int) []byte {
	return bytes.Join(lines[n:min(n+5, len(lines))], []byte("\n"))
}
