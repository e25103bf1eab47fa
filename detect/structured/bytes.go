package structured

import (
	"cmp"
	"math"
	"slices"
)

// Range is the addresses from Lo to Last.
type Range struct{ Lo, Last uint64 }

// Bytes is a set of addresses. The zero value is empty. Memory follows the number of
// ranges that do not touch.
type Bytes struct {
	ranges []Range
	merged int // so many are ascending and do not touch
}

// add adds the addresses from lo to last.
func (b *Bytes) add(lo, last uint64) {
	if n := len(b.ranges); n > 0 && b.ranges[n-1].Lo <= lo && last <= b.ranges[n-1].Last {
		return
	}
	b.ranges = append(b.ranges, Range{lo, last})
	if len(b.ranges) > 2*b.merged+64 {
		b.merge()
	}
}

func (b *Bytes) merge() {
	slices.SortFunc(b.ranges, func(x, y Range) int { return cmp.Compare(x.Lo, y.Lo) })
	merged := b.ranges[:0]
	for _, r := range b.ranges {
		if n := len(merged); n > 0 && (r.Lo <= merged[n-1].Last || r.Lo == merged[n-1].Last+1) {
			merged[n-1].Last = max(merged[n-1].Last, r.Last)
			continue
		}
		merged = append(merged, r)
	}
	b.ranges, b.merged = merged, len(merged)
}

// Ranges are the addresses, ascending, as ranges that do not touch. The caller must not
// change them.
func (b *Bytes) Ranges() []Range {
	b.merge()
	return b.ranges
}

// Len is the number of addresses, at most 2^64-1.
func (b *Bytes) Len() (n uint64) {
	for _, r := range b.Ranges() {
		size := r.Last - r.Lo + 1
		if size == 0 || n > math.MaxUint64-size {
			return math.MaxUint64
		}
		n += size
	}
	return n
}

// Equal reports whether the sets are the same.
func (b *Bytes) Equal(c *Bytes) bool { return slices.Equal(b.Ranges(), c.Ranges()) }
