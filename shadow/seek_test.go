package shadow

import "testing"

// In front of a long list a thread looks for its strand's own access less and less far when that is
// in vain, tries now and then all the same, and looks further again once that finds one.
func TestOwnAccessesAreSoughtWhereTheyWere(t *testing.T) {
	const readers = 2000
	s := newScene(t, 0)
	read := func(strand int) { s.do(low, 1, by(strand, Read, 1, 1)) }
	limit := func() int { return ownSearch - int(s.ranges.readers.near) }
	for strand := range readers {
		read(strand + 1)
	}
	if limit() > 2*shortList {
		t.Fatalf("after %d searches in vain the next one looks at %d accesses", readers, limit())
	}
	const early = readers - 500
	for range everySearch {
		read(early)
	}
	n := 0
	for _, a := range s.remembered(low) {
		if a.Strand == strandOf(early) {
			n++
		}
	}
	if n != 2 {
		t.Errorf("what was not found is remembered %d times", n)
	}
	for strand := range everySearch { // one of these searches goes as far as ever
		read(readers + strand)
		read(early - 10)
	}
	if limit() < everySearch {
		t.Errorf("after one was found far away the next search looks at %d accesses", limit())
	}
}
