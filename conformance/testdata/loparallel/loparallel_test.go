// Package loparallel tests lo/parallel, whose published module has no tests of it. Package
// conformance runs it under detrace.
package loparallel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/samber/lo/parallel"
)

var words = strings.Fields("the quick brown fox jumps over the lazy dog and runs away")

func TestMap(t *testing.T) {
	got := parallel.Map(words, func(word string, i int) string { return fmt.Sprint(word, i) })
	for i, word := range words {
		if want := fmt.Sprint(word, i); got[i] != want {
			t.Errorf("got %q, want %q", got[i], want)
		}
	}
}

func TestMapNested(t *testing.T) {
	got := parallel.Map(words, func(word string, _ int) int {
		sum := 0
		for _, n := range parallel.Map([]byte(word), func(b byte, _ int) int { return int(b) }) {
			sum += n
		}
		return sum
	})
	if len(got) != len(words) || got[3] != 'f'+'o'+'x' {
		t.Error(got)
	}
}

func TestForEach(t *testing.T) {
	lengths := make([]int, len(words))
	parallel.ForEach(words, func(word string, i int) { lengths[i] = len(word) })
	if lengths[4] != len("jumps") {
		t.Error(lengths)
	}
}

// The order of the lock is the schedule's, the sum is not: this one is not certified.
func TestForEachLocked(t *testing.T) {
	var mu sync.Mutex
	sum := 0
	parallel.ForEach(words, func(word string, _ int) {
		mu.Lock()
		sum += len(word)
		mu.Unlock()
	})
	if want := len(strings.Join(words, "")); sum != want {
		t.Errorf("got %d, want %d", sum, want)
	}
}

func TestTimes(t *testing.T) {
	if got := parallel.Times(20, func(i int) int { return i * i }); len(got) != 20 || got[19] != 361 {
		t.Error(got)
	}
	if got := parallel.Times(0, func(i int) int { return i }); len(got) != 0 {
		t.Error(got)
	}
}

func TestGroupBy(t *testing.T) {
	got := parallel.GroupBy(words, func(word string) int { return len(word) })
	if keys := slices.Sorted(maps.Keys(got)); !slices.Equal(keys, []int{3, 4, 5}) || !slices.Equal(got[5], []string{"quick", "brown", "jumps"}) {
		t.Error(got)
	}
}

func TestPartitionBy(t *testing.T) {
	got := parallel.PartitionBy(words, func(word string) byte { return word[0] })
	if len(got) == 0 || !slices.Equal(got[0], []string{"the", "the"}) {
		t.Error(got)
	}
}

func BenchmarkMap(b *testing.B) {
	for range b.N {
		parallel.Map(words, func(word string, _ int) int { return len(word) })
	}
}
