package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// spread is the median of values with the least and the greatest.
type spread struct{ median, least, most float64 }

func spreadOf[T any](list []T, value func(T) float64) spread {
	values := make([]float64, len(list))
	for i, v := range list {
		values[i] = value(v)
	}
	slices.Sort(values)
	return spread{values[len(values)/2], values[0], values[len(values)-1]}
}

func (s spread) String() string {
	return fmt.Sprintf("%s (%s to %s)", number(s.median), number(s.least), number(s.most))
}

// number has about three digits.
func number(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

func perTask(c cost) float64  { return 1e9 * c.CPU / float64(c.Tasks-1) }
func perTold(c cost) float64  { return 1e9 * c.CPU / float64(c.Told) }
func perQuery(c cost) float64 { return 1e9 * c.Query }

// cell is what the rounds of a job come to, or why there is nothing.
func (m *measured) cell(j job, value func(cost) float64) string {
	list := m.costs[j]
	switch {
	case len(list) == 0:
		return "–"
	case list[0].Refused != "":
		if strings.HasPrefix(list[0].Refused, "the process failed") {
			return list[0].Refused
		}
		return "not in class"
	}
	return spreadOf(list, value).String()
}

func (m *measured) write(w io.Writer) {
	load := m.machine.Load
	if load == "" {
		load = "unknown"
	}
	fmt.Fprintf(w, `%s, %s/%s, %d × %s. Load average when it began, over 1, 5 and 15 minutes: %s. %s

Medians of %d rounds, which took turns; in brackets the least and the greatest. What took more than %d s or was stopped ran
once. All times are CPU time of the process, Go's collector included. What package construct takes is not in them:
constructs are made 4096 at a time and then handed to the engine, and only that is timed; first use of memory is. Written
by `+"`go run ./bench/engines`"+`.

`, m.machine.Go, m.machine.OS, m.machine.Arch, m.machine.CPUs, m.machine.Processor, load, "The machine was shared.", m.rounds, tooLong)
	m.writeCosts(w)
	m.writeEdges(w)
	m.writeLarge(w)
	m.writeContests(w)
	m.writeTargets(w)
}

func (m *measured) writeCosts(w io.Writer) {
	n := fibTasks(fibOf(m.tasks))
	fmt.Fprintf(w, `## A construct, a query, a strand

Fib of %d tasks, each call a task. A task is its start, its return and its share of the joins: half a sync, or a get;
each of these is a construct. A query is about the last strand of a random task and the strand that runs, in the middle of
the run; its time includes the loop around it. lattice forks and joins on its line instead of spawn and sync.

| engine | ns a construct, spawns | ns a spawned task | ns a construct, futures | ns a future | ns a query, spawns | ns a query, futures | bytes a strand, spawns | bytes a task |
|---|---|---|---|---|---|---|---|---|
`, n)
	for _, engine := range all {
		spawn, create := m.costJob(engine, "spawn"), m.costJob(engine, "create")
		last := m.costs[spawn][0]
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", engine, m.cell(spawn, perTold), m.cell(spawn, perTask), m.cell(create, perTold), m.cell(create, perTask), m.cell(spawn, perQuery), m.cell(create, perQuery),
			number(float64(last.Bytes)/float64(last.Strands)), number(float64(last.Bytes)/float64(last.Tasks)))
	}
}

func (m *measured) writeEdges(w io.Writer) {
	fmt.Fprintf(w, `
## Non-SP edges

ns a construct, and MB at the end, of programs of %d constructs with k creates and gets. In "pool" each future does a share
of the work and gets the fourth future before it; in "leaves", leaves of a tree of spawns create a future and get that of
an earlier leaf, which is parallel (sforder does not take it). The exponent is the x of the best fit of a + c·k^x to all
points, by least squares of relative deviations, with the largest of these; flat is where c·k^x stays below a tenth of a, and where
it does not for the last k only, there is no telling.

| program | engine |`, m.edgesN)
	for _, k := range m.edgesK {
		fmt.Fprintf(w, " k = %d |", k)
	}
	fmt.Fprint(w, " exponent, time | exponent, memory |\n|---|---|")
	for range len(m.edgesK) + 2 {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	for _, s := range edgeSeries {
		fmt.Fprintf(w, "| %s | %s |", s.shape, s.engine)
		for _, k := range m.edgesK {
			list := m.costs[m.edgeJob(s.engine, s.shape, k)]
			if list[0].Refused != "" {
				fmt.Fprintf(w, " %s |", list[0].Refused)
				continue
			}
			fmt.Fprintf(w, " %s; %s MB |", spreadOf(list, m.perConstruct), number(float64(list[0].Bytes)/1e6))
		}
		time, memory, ok := m.fits(s.engine, s.shape)
		if !ok {
			fmt.Fprintln(w, " – | – |")
			continue
		}
		fmt.Fprintf(w, " %v | %v |\n", time, memory)
	}
}

func (m *measured) perConstruct(c cost) float64 { return 1e9 * c.CPU / float64(m.edgesN) }

// fits are how time and memory grow with k; not ok if the engine refused some program.
func (m *measured) fits(engine, shape string) (time, memory fit, ok bool) {
	var times, sizes []float64
	for _, k := range m.edgesK {
		list := m.costs[m.edgeJob(engine, shape, k)]
		if list[0].Refused != "" {
			return fit{}, fit{}, false
		}
		times = append(times, spreadOf(list, m.perConstruct).median)
		sizes = append(sizes, float64(list[0].Bytes))
	}
	return fitOf(m.edgesK, times), fitOf(m.edgesK, sizes), true
}

func (m *measured) writeLarge(w io.Writer) {
	fmt.Fprintf(w, `
## Large programs

Tasks each of which starts the next, %d deep, and as many that one task starts before it joins them. MB are the engine's;
the process's peak, package construct included, is in brackets.

| engine | ns a task, depth | MB | ns a task, width | MB |
|---|---|---|---|---|
`, m.large)
	for _, engine := range all {
		fmt.Fprintf(w, "| %s |", engine)
		for _, shape := range largeShapes {
			j := m.largeJob(engine, shape)
			fmt.Fprintf(w, " %s | %s |", m.cell(j, perTask), megabytes(m.costs[j]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "\nFutures, all created by one task, which then gets them:\n\n| engine | futures | ns a future | MB |\n|---|---|---|---|\n")
	for _, engine := range largeFutures {
		j := m.largeJob(engine, "futures")
		fmt.Fprintf(w, "| %s | %d | %s | %s |\n", engine, j.N-1, m.cell(j, perTask), megabytes(m.costs[j]))
	}
}

func megabytes(list []cost) string {
	if list[0].Refused != "" {
		return "–"
	}
	peak := spreadOf(list, func(c cost) float64 { return float64(c.Peak) / 1e6 })
	return fmt.Sprintf("%s (%s)", number(float64(list[0].Bytes)/1e6), number(peak.median))
}

func (m *measured) writeContests(w io.Writer) {
	fmt.Fprint(w, `
## The join tree beside vector clocks

First as goroutines with releases and acquires: the join tree collects when it has doubled, by 4 MB at least, as Go's
collector does for the clocks. It may forget tasks that have ended, as when nobody remembers an access of theirs; the
clocks never do. "Remembered" is the other extreme: each task that ever was can be asked about, in the join tree too.
Then as structured programs, in which every strand can be asked about for ever and nothing
is collected. Memory is the peak of resident memory beyond that at the start, and in brackets what the engine holds at the
end. A side that is stopped early says so; its time and memory are those until then.

| program | form | jointree | vclock | time, ratio | jointree, MB | vclock, MB | memory, ratio |
|---|---|---|---|---|---|---|---|
`)
	for i, c := range contests(m.quick) {
		for _, o := range opposed {
			tree, clock := m.outcomes[m.contestJob(i, o.tree)], m.outcomes[m.contestJob(i, o.clocks)]
			time, memory := ratios(tree, clock)
			fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", c.name, o.form, seconds(tree), seconds(clock), time, peak(tree), peak(clock), memory)
		}
	}
}

func outcomeCPU(o outcome) float64 { return o.CPU }

// outcomePeak is never nothing: the system counts pages, in batches.
func outcomePeak(o outcome) float64 { return float64(max(o.Peak, 1<<18)) / 1e6 }

func seconds(list []outcome) string {
	text := spreadOf(list, func(o outcome) float64 { return 1000 * o.CPU }).String() + " ms"
	if o := list[0]; o.Stopped != "" {
		text += fmt.Sprintf("; stopped at task %d: %s", o.Tasks, o.Stopped)
	}
	return text
}

func peak(list []outcome) string {
	return fmt.Sprintf("%s (%s)", number(spreadOf(list, outcomePeak).median), number(float64(list[0].Held)/1e6))
}

// A proportion is a ratio of two sides; what it says is only a bound if one was stopped.
type proportion struct {
	ratio  float64
	bound  string // "", "< " if the clocks were stopped
	absent bool   // the tree was stopped
}

func (v proportion) String() string {
	if v.absent {
		return "–"
	}
	return v.bound + number(v.ratio)
}

func ratios(tree, clock []outcome) (time, memory proportion) {
	of := func(value func(outcome) float64) proportion {
		v := proportion{ratio: spreadOf(tree, value).median / spreadOf(clock, value).median, absent: tree[0].Stopped != ""}
		if clock[0].Stopped != "" {
			v.bound = "< "
		}
		return v
	}
	return of(outcomeCPU), of(outcomePeak)
}
