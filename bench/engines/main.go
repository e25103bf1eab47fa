// Command engines measures what the reachability engines cost: a construct, a query and
// a strand of each; how three of them bear non-SP edges; the largest programs they
// promise to take; and the join tree beside vector clocks. It writes tables in Markdown.
//
// Each measurement is a process of its own, which says how much CPU time, Go's collector
// included, its engine took; rounds of all of them take turns. What package construct
// takes to check and number constructs is not in it: constructs are made 4096 at a
// time and then handed to the engine, and only that is timed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/detrace/detrace/bench/measure"
)

func main() {
	quick := flag.Bool("quick", false, "measure small programs once, and print the tables")
	rounds := flag.Int("rounds", 5, "how often to measure")
	out := flag.String("o", "docs/results/engines.md", "file to write, up to its section Notes; with -quick, nothing is written")
	child := flag.String("child", "", "a measurement to do in this process, as JSON")
	flag.Parse()
	run := func() error { return run(*quick, *rounds, *out) }
	if *child != "" {
		run = func() error { return inProcess(*child) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "engines:", err)
		os.Exit(1)
	}
}

func run(quick bool, rounds int, out string) error {
	if flag.NArg() > 0 || rounds < 1 {
		return errors.New("usage: engines [-quick] [-rounds n] [-o file]")
	}
	if quick {
		rounds = 1
	}
	m, err := measureAll(context.Background(), newPlan(quick), rounds)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	m.stress = stressed(context.Background(), quick)
	m.write(&text)
	if quick {
		_, err = os.Stdout.Write(text.Bytes())
		return err
	}
	notes, err := notesIn(out)
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text.Bytes(), notes...), 0o666)
}

// notesIn is what was written by hand at the end of the file, if there is one.
func notesIn(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if i := bytes.Index(text, []byte("\n## Notes\n")); i >= 0 {
		return text[i:], err
	}
	return nil, err
}

// A job is one measurement.
type job struct {
	Quick   bool
	Engine  string `json:",omitempty"` // of a cost
	Shape   string `json:",omitempty"`
	N, K    int    `json:",omitempty"`
	Asks    int    `json:",omitempty"`
	Contest int    `json:",omitempty"`
	Side    string `json:",omitempty"`
}

// inProcess does the job and prints a cost or an outcome.
func inProcess(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	result, err := j.do()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func (j job) do() (any, error) {
	if j.Side != "" {
		return contests(j.Quick)[j.Contest].run(j.Side)
	}
	if program := edgePrograms[j.Shape]; program != nil {
		tasks := uint32(j.N + j.K)
		return measureCost(j.Engine, func(p *told) { program(p, j.N, j.K) }, tasks, 2*tasks, j.Asks)
	}
	program := shapes[j.Shape]
	if program == nil {
		return nil, fmt.Errorf("there is no shape %q", j.Shape)
	}
	return measureCost(j.Engine, func(p *told) { program(p, j.N) }, uint32(j.N), 4*uint32(j.N), j.Asks)
}

// measured is all that was measured.
type measured struct {
	plan
	machine  measure.Machine
	rounds   int
	costs    map[job][]cost
	outcomes map[job][]outcome
	stress   stress
}

// tooLong are the seconds after which a measurement is not repeated.
const tooLong = 10

// measureAll does the jobs of a plan in turn. What did not run to its end is not tried
// again.
func measureAll(ctx context.Context, p plan, rounds int) (*measured, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	m := &measured{plan: p, machine: measure.ThisMachine(ctx), rounds: rounds, costs: map[job][]cost{}, outcomes: map[job][]outcome{}}
	for round := range rounds {
		for i, j := range p.jobs() {
			fmt.Fprintf(os.Stderr, "\rround %d of %d, %d  ", round+1, rounds, i)
			if err := m.measure(ctx, self, j); err != nil {
				return nil, err
			}
		}
	}
	fmt.Fprintln(os.Stderr)
	return m, nil
}

// measure does one job. A process that fails is a result too: it may be the engine that
// did not bear the program.
func (m *measured) measure(ctx context.Context, self string, j job) error {
	if past := m.outcomes[j]; len(past) > 0 && (past[0].Stopped != "" || past[0].CPU > tooLong) {
		return nil
	}
	if past := m.costs[j]; len(past) > 0 && past[0].Refused != "" {
		return nil
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	out, _, failure := measure.Execute(ctx, self, []string{"-child", string(text)})
	why := ""
	if failure != nil {
		why, _, _ = strings.Cut("the process failed: "+failure.Error(), "\n")
		fmt.Fprintf(os.Stderr, "\n%s: %v\n", text, failure)
	}
	if j.Side != "" {
		o := outcome{Stopped: why}
		if failure == nil {
			err = json.Unmarshal(out.Stdout, &o)
		}
		m.outcomes[j] = append(m.outcomes[j], o)
	} else {
		c := cost{Refused: why}
		if failure == nil {
			err = json.Unmarshal(out.Stdout, &c)
		}
		m.costs[j] = append(m.costs[j], c)
	}
	if err != nil {
		return fmt.Errorf("%s printed %q: %w", text, out.Stdout, err)
	}
	return nil
}
