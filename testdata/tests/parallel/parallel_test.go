package parallel

import (
	"os"
	"strings"
	"sync"
	"testing"
)

var table, logged, once int

// Whatever -parallel says, no subtest waits for another.
func TestRaceTable(t *testing.T) {
	for _, name := range []string{"race_one", "race_two", "race_three"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table++ // want
		})
	}
}

// Nor does it when the tests print, fail, have subtests or clean up.
func TestRaceBusy(t *testing.T) {
	for _, name := range []string{"race_one", "race_two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Cleanup(func() {})
			t.Run("determinate_inner", func(t *testing.T) { t.TempDir() })
			logged++ // want
			t.Log("printed")
		})
	}
}

func TestDeterminateTable(t *testing.T) {
	sums := make([]int, 3)
	t.Run("determinate_group", func(t *testing.T) {
		for i := range sums {
			t.Run("determinate_sub", func(t *testing.T) {
				t.Parallel()
				sums[i] = i
			})
		}
	})
	if sums[2] != 2 {
		t.Error(sums)
	}
}

// What stands before t.Parallel runs one after the other, and before what follows it.
func TestDeterminateSetup(t *testing.T) {
	n := 0
	for range 3 {
		t.Run("determinate_sub", func(t *testing.T) {
			n++
			t.Parallel()
			_ = n
		})
	}
	n++
}

func TestDeterminateOnce(t *testing.T) {
	var do sync.Once
	for range 3 {
		t.Run("determinate_sub", func(t *testing.T) {
			t.Parallel()
			do.Do(func() { once++ })
			_ = once
		})
	}
}

var between int

func TestRaceOne(t *testing.T) {
	t.Parallel()
	between++ // want
}

func TestRaceTwo(t *testing.T) {
	t.Parallel()
	between++ // want
}

func TestDeterminateThree(t *testing.T) {
	t.Parallel()
	if strings.Count("abc", "b") != 1 {
		t.Error("miscounted")
	}
}

func TestMain(m *testing.M) {
	between = 1
	code := m.Run()
	between++
	os.Exit(code)
}
