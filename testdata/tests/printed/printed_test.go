// Package testing prints for tests, which nothing is seen of, by what tests print with too.
// The buffers that pass from one to the other through the pool of package fmt are nobody's
// luck.
package printed

import (
	"fmt"
	"io"
	"testing"
)

func TestDeterminateLogged(t *testing.T) {
	t.Parallel()
	for i := range 1000 {
		t.Logf("%d", i)
	}
}

func TestDeterminatePrinted(t *testing.T) {
	t.Parallel()
	for i := range 10000 {
		fmt.Fprintf(io.Discard, "%d", i)
	}
}
