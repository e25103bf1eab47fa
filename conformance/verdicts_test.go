package conformance

import (
	"reflect"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	tests := []struct {
		name, output string
		want         Verdicts
	}{
		{"as named", `
=== RUN   TestRaceA
detrace: race at address 0xc000012345: no join orders these two accesses
--- PASS: TestRaceA (0.00s)
=== RUN   TestNoRaceB
--- PASS: TestNoRaceB (0.00s)
PASS
`, Verdicts{Right: []string{"TestRaceA", "TestNoRaceB"}}},
		{"swapped", `
=== RUN   TestRaceA
=== RUN   TestNoRaceB
detrace: race at address 0xc000012345
`, Verdicts{FalseNegatives: []string{"TestRaceA"}, FalsePositives: []string{"TestNoRaceB"}}},
		{"the runtime's own report", `
=== RUN   TestRaceMap
fatal error: concurrent map writes
`, Verdicts{Right: []string{"TestRaceMap"}}},
		{"subtests count for their parent", `
=== RUN   TestRaceA
=== RUN   TestRaceA/one
detrace: race at address 0xc000012345
=== RUN   TestRaceA/two
=== RUN   TestNoRaceB
`, Verdicts{Right: []string{"TestRaceA", "TestNoRaceB"}}},
		{"skipped, and other tests", `
=== RUN   TestOther
detrace: race at address 0xc000012345
=== RUN   TestRaceA
    x_test.go:1: why
--- SKIP: TestRaceA (0.00s)
`, Verdicts{Skipped: []string{"TestRaceA"}}},
		{"in the middle of a line", `
=== RUN   TestNoRaceB
no newline=== RUN   TestRaceA
no newlinedetrace: race at address 0xc000012345
`, Verdicts{Right: []string{"TestNoRaceB", "TestRaceA"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Judge(strings.NewReader(tt.output))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
		})
	}
}
