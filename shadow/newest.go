package shadow

import "github.com/detrace/detrace/internal/offheap"

// Tasks that take turns at a byte, under a lock, leave an access in its list each time, and whoever
// comes next replaces only what its own task left. So where a long list is gone through, what a task left
// and has made again since is forgotten too: the later access is of the same site and kind, under the
// same locks, and whatever comes after that in every schedule comes after the earlier one.

// newest are the latest accesses seen on a walk over a list, by task, site, kind and locks; of two
// that would have one place, the one seen last.
type newest struct {
	lock offheap.Lock // held during a walk
	walk uint32       // entries of another one are empty
	mask uint32       // of places in seen: all of them, but in tests
	seen offheap.Table[seen]
}

// newestSize is a power of two: more than there mostly are tasks that share a byte, times its sites
// and sets of locks.
const newestSize = 1 << 14

type seen struct {
	strand Strand
	siteOp siteOp
	locks  uint32
	walk   uint32
}

func (m *newest) init() {
	m.seen.Init(newestSize)
	m.mask = newestSize - 1
}

// begin begins a walk; nil sees nothing.
func (m *newest) begin() {
	if m == nil {
		return
	}
	if m.walk++; m.walk == 0 {
		m.seen.Discard(0, newestSize)
		m.walk++
	}
}

// follows reports whether a later access like r was seen on this walk, and sees r.
func (m *newest) follows(r *record) bool {
	if m == nil {
		return false
	}
	h := (uint64(r.strand.Task())<<32 | uint64(r.siteOp)) * 0x9E3779B97F4A7C15
	h = (h ^ h>>32 ^ uint64(r.locks)) * 0xBF58476D1CE4E5B9
	e := m.seen.At(uint32(h>>40) & m.mask)
	if e.walk == m.walk && e.siteOp == r.siteOp && e.locks == r.locks && e.strand.Task() == r.strand.Task() && e.strand > r.strand {
		return true
	}
	*e = seen{r.strand, r.siteOp, r.locks, m.walk}
	return false
}
