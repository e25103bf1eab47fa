package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/detrace/detrace/bench/suite"
	"github.com/detrace/detrace/bench/suite/program"
)

// A Table says what to measure and how to show it.
type Table struct {
	// Name is that of -table; Title says what the table is about and Note what to know
	// when comparing with the paper's.
	Name, Title, Note string

	programs []string // with variants: lcs-general
	styles   []style
	halvings int // measure with Base, Base/2, ... so many times more
	// doublings is how many times more to measure with twice the N each time, beginning with
	// half of the size's.
	doublings int
	means     bool // show geometric means over the programs
	columns   []column
	projects  bool // show projections to more processors instead of columns
	// published are the paper's own figures by program and heading.
	published map[string]map[string]string
}

// A style says which engines and configurations of a style to measure.
type style struct {
	name    string
	engines []string // own for that of the program's paper
	configs []string
	race    bool
	single  bool // measure each engine in full also with the accesses of loops one by one
}

// own stands for the engine of the paper that a program is from.
const own = "own"

// parallelEngine stands for the one that detrace run -parallel begins with.
const parallelEngine = "parallel"

// parallelEngineOf is that engine.
func parallelEngineOf(name string) string {
	switch ownEngine(name) {
	case "spbags":
		return "order"
	case "multibags":
		return "sforder"
	}
	return "jointree"
}

// ownEngine is the engine that suits a program's tasks.
func ownEngine(name string) string {
	switch name {
	case "matmul", "strassen", "promisesort", "poisson", "sparselu", "knapsack", "health":
		return "drdp"
	case "dedup":
		return "lattice"
	case "fib", "gather":
		return "spbags"
	}
	if strings.HasSuffix(name, general) {
		return "multibagsplus"
	}
	return "multibags"
}

// native is the engine of programs that do not run on package task.
const native = "jointree"

// general is the suffix of a program's variant with general futures.
const general = "-general"

// variant returns the program with this name and the parameters of its variant.
func variant(name, size string) (program.Info, program.Params, error) {
	plain, isGeneral := strings.CutSuffix(name, general)
	info, ok := suite.Named(plain)
	if !ok || isGeneral && !info.General {
		return info, program.Params{}, fmt.Errorf("there is no program %q; there are %s", name, strings.Join(names(), ", "))
	}
	params, err := info.Sized(size)
	params.General, params.Seed = isGeneral, 1
	return info, params, err
}

// names are all programs and variants.
func names() []string {
	var all []string
	for _, p := range suite.Programs {
		all = append(all, p.Name)
		if p.General {
			all = append(all, p.Name+general)
		}
	}
	return all
}

var (
	fourConfigs = []string{Base, Reach, Instr, Full}
	twoConfigs  = []string{Base, Full}
)

// paperNames are the programs of the papers that run their tasks in parallel.
var paperNames = []string{"mm", "sort", "sw", "hw", "ferret", "lcs", "bst", "dedup",
	"matmul", "strassen", "promisesort", "poisson", "sparselu", "knapsack", "health"}

// Tables are all tables, in the order of their papers; the first is what is measured
// when none is named.
var Tables = []*Table{
	{
		Name: "all", Title: "Every program in every style, beside go build -race",
		Note: "Style task runs serially under the engine of the paper that the program is from, style go and style " +
			"serial run natively; the program without a detector uses all processors.",
		programs: names(),
		styles: []style{
			{StyleSerial, []string{native}, twoConfigs, true, true},
			{StyleTask, []string{own}, fourConfigs, true, true},
			{StyleGo, []string{native}, fourConfigs, true, true},
		},
		means:   true,
		columns: []column{size, base, engine, overhead("", Reach), overhead("", Instr), overhead("", Full), oneByOne("", ratio), perAccess(""), memory(""), shadowMemory(""), raceOverhead, raceMemory, tasks, accesses},
	},
	{
		Name: "multibags-6", Title: "MultiBags (PPoPP'19), Figure 6: structured futures",
		Note: "The paper's text as we have it lost the digits of this figure. Its dedup uses futures, ours a line of tasks, which " +
			"these engines do not take.",
		programs: []string{"lcs", "sw", "mm", "hw", "dedup", "bst"},
		styles:   []style{{StyleTask, []string{"multibags"}, fourConfigs, false, false}},
		columns:  fourColumns("multibags"),
	},
	{
		Name: "multibags-7", Title: "MultiBags+ (PPoPP'19), Figure 7: general futures",
		Note:     "There is no variant of bst with general futures here, and dedup is as in Figure 6.",
		programs: []string{"lcs-general", "sw-general", "mm-general", "hw-general"},
		styles:   []style{{StyleTask, []string{"multibagsplus"}, fourConfigs, false, false}},
		columns:  fourColumns("multibagsplus"),
	},
	{
		Name: "multibags-8", Title: "MultiBags and MultiBags+ (PPoPP'19), Figure 8: smaller base cases",
		Note:     "The figure is about keeping the order of tasks only; the full configuration is shown besides.",
		programs: []string{"lcs", "sw", "mm"}, halvings: 3,
		styles: []style{{StyleTask, []string{"multibags", "multibagsplus"}, []string{Base, Reach, Full}, false, false}},
		columns: []column{size, base, overhead("multibags", Reach), overhead("multibagsplus", Reach),
			overhead("multibags", Full), overhead("multibagsplus", Full), memory("multibags"), memory("multibagsplus"), tasks},
	},
	{
		Name: "sf-order-3", Title: "SF-Order (SPAA'21), Figure 3: characteristics",
		Note: "At -size paper mm, sort and sw have the paper's N and B. An access is a hook that the compiler put in: " +
			"what is in a register is none.",
		programs: []string{"mm", "sort", "sw", "hw", "ferret"},
		styles:   []style{{StyleTask, []string{"sforder"}, twoConfigs, false, false}},
		columns: []column{size, count("reads"), published("reads"), count("writes"), published("writes"), count("checked"),
			published("queries"), count("tasks"), published("futures")},
		published: map[string]map[string]string{
			"mm":     {"reads": "1.72e10", "writes": "1.43e8", "queries": "1.32e8", "futures": "18724"},
			"sort":   {"reads": "2.75e8", "writes": "2.22e8", "queries": "1.21e7", "futures": "14463"},
			"sw":     {"reads": "8.59e9", "writes": "4.20e6", "queries": "8.58e9", "futures": "1024"},
			"hw":     {"reads": "1.73e10", "writes": "1.64e8", "queries": "1.75e10", "futures": "3672"},
			"ferret": {"reads": "5.40e9", "writes": "6.23e8", "queries": "7.40e9", "futures": "256"},
		},
	},
	{
		Name: "sf-order-4", Title: "SF-Order (SPAA'21), Figure 4: MultiBags, F-Order and SF-Order, and the order of all joins",
		Note: "Style task runs the tasks serially, styles parallel-1 and parallel-2 in parallel on so many processors: what they " +
			"take more than task is work, not time. The paper's columns are its T1 overheads.",
		programs: []string{"mm", "sort", "sw", "hw", "ferret"},
		styles: []style{
			{StyleTask, []string{"multibags", "forder", "sforder", "jointree"}, []string{Base, Reach, Full}, true, true},
			{StyleParallel1, []string{"forder", "sforder", "jointree"}, []string{Base, Reach, Full}, true, true},
			{StyleParallel2, []string{"forder", "sforder", "jointree"}, []string{Base, Reach, Full}, true, true},
		},
		columns: []column{size, base,
			overhead("multibags", Reach), overhead("multibags", Full), oneByOne("multibags", ratio), published("multibags"),
			overhead("forder", Reach), overhead("forder", Full), oneByOne("forder", ratio), published("forder"),
			overhead("sforder", Reach), overhead("sforder", Full), oneByOne("sforder", ratio), published("sforder"),
			overhead("jointree", Reach), overhead("jointree", Full), oneByOne("jointree", ratio), raceOverhead},
		published: map[string]map[string]string{
			"mm":     {"multibags": "1.01×, 37.84×", "forder": "1.42×, 58.43×", "sforder": "1.04×, 55.77×"},
			"sort":   {"multibags": "0.99×, 13.72×", "forder": "3.00×, 21.88×", "sforder": "1.04×, 20.15×"},
			"sw":     {"multibags": "1.00×, 27.85×", "forder": "1.19×, 32.33×", "sforder": "1.16×, 26.55×"},
			"hw":     {"multibags": "1.00×, 22.62×", "forder": "1.06×, 59.69×", "sforder": "1.02×, 45.58×"},
			"ferret": {"multibags": "1.01×, 42.07×", "forder": "1.04×, 45.05×", "sforder": "1.02×, 39.58×"},
		},
	},
	{
		Name: "sf-order-5", Title: "SF-Order (SPAA'21), Figure 5: memory of F-Order and SF-Order",
		Note: "The paper's columns are gigabytes that keeping the order of tasks takes at its sizes; ours are what the " +
			"detector uses outside shadow memory, access states included, and the peak of the whole process.",
		programs: []string{"mm", "sort", "sw", "hw", "ferret"},
		styles: []style{
			{StyleTask, []string{"forder", "sforder", "jointree"}, twoConfigs, false, false},
			{StyleParallel2, []string{"forder", "sforder", "jointree"}, twoConfigs, false, false},
		},
		columns: []column{size, detectorBytes("forder"), memory("forder"), published("forder"),
			detectorBytes("sforder"), memory("sforder"), published("sforder"), detectorBytes("jointree"), memory("jointree")},
		published: map[string]map[string]string{
			"mm": {"forder": "9.1", "sforder": "0.07"}, "sort": {"forder": "7.64", "sforder": "0.05"},
			"sw": {"forder": "0.14", "sforder": "2e-4"}, "hw": {"forder": "1.7", "sforder": "6e-3"},
			"ferret": {"forder": "6e-3", "sforder": "6.5e-5"},
		},
	},
	{
		Name: "scaling", Title: "Parallel detection on one and two processors",
		Note: "Overheads are CPU time: what grows from parallel-1 to parallel-2 is what processors cost each other. Time is that of " +
			"the clock, and T1/Tp how many times faster it is than on one processor; it needs an idle machine. The last " +
			"columns say how often, in a million accesses, the lock of constructs was not free, any lock of the detector was " +
			"not, and an atomic exchange met another's.",
		programs: []string{"fib", "mm", "sort", "sw", "hw", "ferret", "dedup"},
		styles: []style{
			{StyleTask, []string{own}, twoConfigs, false, false},
			{StyleParallel1, []string{parallelEngine}, []string{Base, Reach, Full}, false, false},
			{StyleParallel2, []string{parallelEngine}, []string{Base, Reach, Full}, false, false},
			{StyleParallel8, []string{parallelEngine}, twoConfigs, false, false},
		},
		columns: []column{size, base, engine, overhead("", Reach), overhead("", Full), memory(""), seconds("", Base), speedup("", Base),
			seconds("", Full), speedup("", Full), tasks, perMillion("constructs", "construct_waits"), perMillion("waits", "waits"), perMillion("retries", "retries")},
	},
	{
		Name: "headline", Title: "Serial detection beside parallel detection on one and two processors",
		Note: "Style task is the serial detector, with the engine of the paper that a program is from: MultiBags where futures are " +
			"structured. Work and time are CPU time and time by the clock under the detector, over those of the serial detector in the same round: " +
			"the median, and in brackets the smallest and the largest.",
		programs: paperNames,
		styles: []style{
			{StyleTask, []string{own}, twoConfigs, false, false},
			{StyleParallel1, []string{parallelEngine}, twoConfigs, false, false},
			{StyleParallel2, []string{parallelEngine}, twoConfigs, false, false},
		},
		columns: []column{size, base, engine, overhead("", Full), seconds("", Full), besideSerial("work", cpuOf), besideSerial("time", wallOf), tasks, accesses},
	},
	{
		Name: "projection", Title: "Parallel detection on more processors than there are",
		programs: append(slices.Clone(paperNames), "fib"), projects: true,
		styles: []style{
			{StyleParallel1, []string{parallelEngine}, []string{Base, Reach, Full}, false, false},
			{StyleParallel2, []string{parallelEngine}, twoConfigs, false, false},
		},
	},
	{
		Name: "promises-2", Title: "DRDP (ECOOP'23), Table 2 and Figure 11: promises",
		Note: "At -size paper matmul, strassen, poisson, sparselu and health have the paper's parameters. DRDP eliminates " +
			"redundant checks of matrix loops when compiling.",
		programs: []string{"health", "knapsack", "matmul", "promisesort", "strassen", "sparselu", "poisson"},
		styles:   []style{{StyleTask, []string{"drdp"}, fourConfigs, true, false}},
		columns: append(fourColumns("drdp"), published("time"), published("memory"), raceOverhead,
			count("reads"), count("writes"), tasks, published("tasks")),
		published: map[string]map[string]string{
			"health":      {"time": "21.13×", "memory": "0.45 → 11.64 GB", "tasks": "2253511"},
			"knapsack":    {"time": "4.96×", "memory": "0.38 → 4.40 GB", "tasks": "1969966"},
			"matmul":      {"time": "20.53×", "memory": "0.06 → 13.44 GB", "tasks": "28087"},
			"promisesort": {"time": "42.13×", "memory": "0.18 → 4.91 GB", "tasks": "118206"},
			"strassen":    {"time": "29.13×", "memory": "0.20 → 26.12 GB", "tasks": "45563"},
			"sparselu":    {"time": "28.07×", "memory": "0.04 → 16.70 GB", "tasks": "195521"},
			"poisson":     {"time": "46.10×", "memory": "0.80 → 20.09 GB", "tasks": "106497"},
		},
	},
	{
		Name: "lattice", Title: "Suprema in two-dimensional lattices (SPAA'15): pipelines",
		Note:     "The paper has no measurements.",
		programs: []string{"dedup"},
		styles:   []style{{StyleTask, []string{"lattice", "multibagsplus", "jointree"}, fourConfigs, true, false}},
		columns: []column{size, base, overhead("lattice", Full), perAccess("lattice"), memory("lattice"),
			overhead("multibagsplus", Full), overhead("jointree", Full), raceOverhead, raceMemory, tasks},
	},
	{
		Name: "rsketch", Title: "R-Sketch (SODA'18) and MultiBags+: general futures, smaller base cases",
		Note:     "The R-Sketch paper has no measurements.",
		programs: []string{"lcs-general", "sw-general", "mm-general"}, halvings: 2,
		styles: []style{{StyleTask, []string{"rsketch", "multibagsplus"}, []string{Base, Reach, Full}, false, false}},
		columns: []column{size, base, overhead("rsketch", Full), overhead("multibagsplus", Full),
			memory("rsketch"), memory("multibagsplus"), tasks},
	},
	{
		Name: "coalescing", Title: "Loops: accesses checked together and one by one",
		Note: "Together is what detrace does unless told -coalesce=off. Accesses are those that reached a hook; a loop whose " +
			"accesses are checked together counts each element once for each place that touches it.",
		programs: []string{"mm", "matmul", "strassen", "poisson", "sparselu", "sort", "promisesort", "sw", "lcs", "hw", "ferret"},
		styles: []style{
			{name: StyleSerial, engines: []string{native}, configs: twoConfigs, single: true},
			{name: StyleTask, engines: []string{own}, configs: twoConfigs, race: true, single: true},
			{name: StyleGo, engines: []string{native}, configs: twoConfigs, race: true, single: true},
		},
		columns: []column{size, base, engine, retitled("together", overhead("", Full)), oneByOne("", ratio), raceOverhead,
			retitled("accesses together", accesses), oneByOne("", func(r *Row) string { return fmt.Sprint(r.Counts["reads"] + r.Counts["writes"]) })},
	},
	{
		Name: "growth", Title: "Growth: overhead as n doubles",
		Note: "The first size has half the n of what -size says, each later one twice as many. The base case stays, so tasks grow " +
			"in number. Over the first: the overhead over that of the first size.",
		programs: []string{"mm", "sort", "lcs", "gather"}, doublings: 4,
		styles: []style{
			{name: StyleSerial, engines: []string{native}, configs: twoConfigs},
			{name: StyleTask, engines: []string{own}, configs: twoConfigs},
			{name: StyleGo, engines: []string{native}, configs: twoConfigs},
		},
		columns: []column{size, base, engine, overhead("", Full), grown(""), perAccess(""), memory(""), shadowMemory(""), tasks, accesses},
	},
	{
		Name: "sharing", Title: "Channels, locks and atomics: detrace beside go build -race",
		Note: "The size of messages is how many pass through three stages and the room of a channel, of mutex the goroutines and how " +
			"often each takes the lock, of atomics the operations and the goroutines.",
		programs: []string{"messages", "mutex", "atomics"},
		styles:   []style{{StyleGo, []string{native}, fourConfigs, true, false}},
		columns:  []column{size, base, overhead("", Reach), overhead("", Instr), overhead("", Full), memory(""), raceOverhead, raceMemory, tasks, accesses},
	},
	{
		Name: "go", Title: "Goroutines: detrace beside go build -race",
		programs: plainNames(),
		styles:   []style{{StyleGo, []string{native}, twoConfigs, true, false}},
		columns:  []column{size, base, overhead("", Full), perAccess(""), memory(""), raceOverhead, raceMemory, tasks, accesses},
	},
}

func plainNames() []string {
	return slices.DeleteFunc(names(), func(name string) bool { return strings.HasSuffix(name, general) })
}

// FindTable returns the table with this name; the error lists all.
func FindTable(name string) (*Table, error) {
	var all []string
	for _, t := range Tables {
		if t.Name == name {
			return t, nil
		}
		all = append(all, t.Name)
	}
	return nil, fmt.Errorf("there is no table %q; there are %s", name, strings.Join(all, ", "))
}

// rows are all rows to measure at a size, those of one program and parameters beside each
// other, and the one without a detector before those that are compared with it. Not
// empty programs choose some, and not empty engines replace those of style task.
func (t *Table) rows(size string, programs, engines []string) ([]*Row, error) {
	for _, name := range programs {
		if !slices.Contains(t.programs, name) {
			return nil, fmt.Errorf("%q is not in table %s, which has %s", name, t.Name, strings.Join(t.programs, ", "))
		}
	}
	var rows []*Row
	for _, name := range t.programs {
		if len(programs) > 0 && !slices.Contains(programs, name) {
			continue
		}
		info, params, err := variant(name, size)
		if err != nil {
			return nil, err
		}
		if t.doublings > 0 {
			params.N /= 2
		}
		for range t.halvings + t.doublings + 1 {
			for _, s := range t.styles {
				if params.General && !onTasks(s.name) {
					continue // without futures it is the plain program
				}
				if info.OnlyGo && s.name != StyleGo {
					continue
				}
				rows = append(rows, s.rows(name, info, params, engines)...)
			}
			if t.doublings > 0 {
				params.N *= 2
			} else {
				params.Base /= 2
			}
		}
	}
	return rows, nil
}

func (s style) rows(name string, info program.Info, params program.Params, engines []string) []*Row {
	base := newRow(name, info, params, s.name)
	rows := []*Row{base}
	if len(engines) == 0 || !onTasks(s.name) {
		engines = s.engines
	}
	for _, engine := range engines {
		switch engine {
		case own:
			engine = ownEngine(name)
		case parallelEngine:
			engine = parallelEngineOf(name)
		}
		for _, config := range s.configs[1:] {
			r := newRow(name, info, params, s.name)
			r.Engine, r.Config, r.Coalesce = engine, config, true
			rows = append(rows, r)
			if s.single && config == Full {
				one := newRow(name, info, params, s.name)
				one.Engine, one.Config = engine, config
				rows = append(rows, one)
			}
		}
	}
	if s.race {
		r := newRow(name, info, params, s.name)
		r.Tool, r.Config = ToolRace, Full
		rows = append(rows, r)
	}
	return rows
}
