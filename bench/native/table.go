package main

import (
	"fmt"
	"strings"

	"github.com/detrace/detrace/bench/measure"
)

func printMachine(m measure.Machine, norace string) {
	fmt.Printf("%s, %s/%s, %d × %s\n\n", m.Go, m.OS, m.Arch, m.CPUs, m.Processor)
	if norace != "" {
		fmt.Printf("Go's race detector is missing here: %s\n\n", norace)
	}
}

// printTimes prints CPU time and how many times the plain program's it is: the
// median, and the range over the rounds.
func printTimes(results []result) error {
	fmt.Println("CPU time of the whole process, user and system: median, times plain (median, smallest to largest of the rounds); peak memory.")
	fmt.Println()
	fmt.Println("| program | rounds | plain | `go build -race` | detrace | memory: plain | -race | detrace |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for _, r := range results {
		fmt.Printf("| %s | %d | %.2f s | %s | %s | %s | %s | %s |\n", r.name, len(r.runs[measure.Plain]), r.runs[measure.Plain].CPU().Seconds(),
			r.times(measure.Race), r.times(measure.Judged), r.memory(measure.Plain), r.memory(measure.Race), r.memory(measure.Judged))
	}
	return nil
}

func (r *result) times(tool measure.Tool) string {
	if len(r.runs[tool]) == 0 {
		return "–"
	}
	x := r.runs[tool].Ratios(r.runs[measure.Plain])
	return fmt.Sprintf("%.2f s, %.1f× (%.1f to %.1f)", r.runs[tool].CPU().Seconds(), measure.Median(x), x[0], x[len(x)-1])
}

func (r *result) memory(tool measure.Tool) string {
	if len(r.runs[tool]) == 0 {
		return "–"
	}
	return fmt.Sprintf("%d MB", r.runs[tool].Peak()>>20)
}

// allowed is how much memory a judged program may take that takes peak bytes
// otherwise.
func allowed(peak int64) int64 { return 3*peak + 200<<20 }

// printLimits prints peak memory beside what is allowed; the error names the
// limits that were not held.
func printLimits(results []result) error {
	fmt.Println("Peak memory; detrace may use three times the plain program's and 200 MB. CPU time of the whole process.")
	fmt.Println()
	fmt.Println("| program | memory: plain | -race | detrace | allowed | held | CPU: plain | -race | detrace |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	var exceeded []string
	for _, r := range results {
		limit, held := allowed(r.runs[measure.Plain].Peak()), "yes"
		if r.runs[measure.Judged].Peak() > limit {
			held = "no"
			exceeded = append(exceeded, r.name)
		}
		fmt.Printf("| %s | %s | %s | %s | %d MB | %s | %.2f s | %s | %s |\n", r.name, r.memory(measure.Plain), r.memory(measure.Race), r.memory(measure.Judged),
			limit>>20, held, r.runs[measure.Plain].CPU().Seconds(), r.seconds(measure.Race), r.seconds(measure.Judged))
	}
	if len(exceeded) > 0 {
		return fmt.Errorf("more memory than allowed: %s", strings.Join(exceeded, "; "))
	}
	return nil
}

func (r *result) seconds(tool measure.Tool) string {
	if len(r.runs[tool]) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f s", r.runs[tool].CPU().Seconds())
}
