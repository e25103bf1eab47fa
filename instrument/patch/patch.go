// Package patch puts text into Go sources, at bytes of a file and under names that no other
// file of the package has.
package patch

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
)

// An Edit is text in the place of the bytes [from, to) of a file.
type Edit struct {
	from, to int
	text     string
}

// At is text before a byte.
func At(at int, text string) Edit { return Edit{at, at, text} }

// Over is text in the place of [from, to).
func Over(from, to int, text string) Edit { return Edit{from, to, text} }

// Within reports whether o replaces all that e does.
func (e Edit) Within(o Edit) bool { return o.from <= e.from && e.to <= o.to }

// Apply returns the bytes [lo, hi) of src with edits, which lie there and do not overlap. It
// sorts them; those at one place keep their order.
func Apply(src []byte, lo, hi int, edits []Edit) []byte {
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.from - b.from })
	var out []byte
	for _, e := range edits {
		out = append(append(out, src[lo:e.from]...), e.text...)
		lo = e.to
	}
	return append(out, src[lo:hi]...)
}

// Tag is a part of a name that no other file of the package has.
func Tag(file string) string {
	sum := sha256.Sum256([]byte(filepath.Base(file)))
	return fmt.Sprintf("%x", sum[:4])
}
