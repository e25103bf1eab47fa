// Package report turns the records of a judged program into a [race.Report]
// and renders it.
//
// A judged program records a race per pair of call stacks, in the order in
// which its schedule happened to meet them. A report has one entry per pair of
// source sites, in an order and with a choice of stacks that depend on what was
// seen and not on when, so two runs that saw the same pairs print the same.
package report

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/detrace/detrace/internal/record"
	"github.com/detrace/detrace/race"
	"github.com/detrace/detrace/reach"
	"github.com/detrace/detrace/report/naming"
)

// Options is what a report needs to know beyond the records.
type Options struct {
	// Engine names the reachability algorithm that has a number in the records; 0 is
	// that of native runs.
	Engine func(id uint32) string
	// Program is how the program ended. With nil it is taken from the records,
	// which know an exit code but no signal.
	Program *race.Program
	// Binary is the program's executable, read for the names of global
	// variables. Empty or unreadable: they are named from the source alone.
	Binary string
	// ObservedEdges says that the run took its own schedule's order of locks
	// and channels for given. Such a run certifies nothing.
	ObservedEdges bool
	// Package is the import path of the package whose tests ran, if known.
	Package string
	// Uninstrumented is copied to the report.
	Uninstrumented []string
	// Files are the program's own source files, to be looked through for directives that say
	// nothing.
	Files []string
}

// Unjudged is the error that a run was measured and nothing in it judged, nil if it was
// judged.
func Unjudged(f *record.File) error {
	switch f.Header.Config {
	case record.ConfigFull:
		return nil
	case record.ConfigReach:
		return errors.New("nothing was judged: the program ran with DETRACE_CONFIG=reach, which keeps the order of tasks and looks at no access; run it without")
	case record.ConfigInstr:
		return errors.New("nothing was judged: the program ran with DETRACE_CONFIG=instr, which sees accesses and forgets them; run it without")
	}
	return fmt.Errorf("nothing was judged: the program ran in a configuration (%d) that this detrace does not know; use that of the same version", f.Header.Config)
}

// New builds the report of a run that was judged, see [Unjudged]. It reads the source files that the records name, as
// far as they are there, and o.Files. Cost: linear in the records, plus one parse of each
// directory with a racy line, plus that of [Malformed].
func New(f *record.File, o Options) *race.Report {
	cutSerial(f.Stacks)
	b := &builder{
		file: f, pkg: o.Package, namer: naming.New(naming.NewSources()),
		globals: readGlobals(o.Binary), said: newDirectives(),
	}
	r := &race.Report{
		Version:        race.Version,
		Races:          b.pairs(f.Races),
		Reasons:        b.reasons(o),
		Program:        o.Program,
		Uninstrumented: o.Uninstrumented,
		Stats: race.Stats{
			Engine: o.Engine(f.Header.Answered), Tasks: f.Header.Tasks, Reads: f.Header.Reads, Writes: f.Header.Writes,
			Checked: f.Header.Checked, Seconds: f.Header.Elapsed.Seconds(), Serial: f.Header.Engine != 0, Exchange: b.exchange(o),
		},
	}
	r.Directives = b.said.list()
	r.Warnings = b.said.unseen(o.Files)
	if r.Program == nil && f.Header.Finished {
		r.Program = &race.Program{ExitCode: f.Header.ExitCode}
	}
	r.Tests = b.tests(r)
	switch {
	case len(r.Races) > 0:
		r.Verdict = race.Racy
	case len(r.Reasons) > 0 || Unjudged(f) != nil || f.Header.Refused:
		r.Verdict = race.NotCertified
	default:
		r.Verdict = race.Determinate
	}
	return r
}

func (b *builder) exchange(o Options) *race.Exchange {
	x := b.file.Exchange
	if x == nil {
		return nil
	}
	return &race.Exchange{
		From: o.Engine(b.file.Header.Engine), Construct: reach.Kind(x.Kind).String(), Why: x.Why,
		At: b.placeOf(x.Stack), Other: b.placeOf(x.Stack2),
	}
}

// placeOf is the innermost place of a stack outside the libraries, nil if there is none.
func (b *builder) placeOf(stack uint32) *race.Pos {
	frames := b.file.Stacks[stack]
	at := slices.IndexFunc(frames, func(f record.Frame) bool { return !f.Std && !isSync(f) })
	if at < 0 {
		return nil
	}
	pos := posOf(frames[at])
	return &pos
}

type builder struct {
	file    *record.File
	pkg     string
	namer   *naming.Namer
	globals *globals
	said    *directives
}

// found is one race record with what decides how it is merged.
type found struct {
	race.Race
	rec  record.Race
	text string // of both stacks and chains, for a choice that no schedule decides
}

// pairs merges the records into one race per pair of source sites, without those to be
// ignored.
func (b *builder) pairs(recs []record.Race) []race.Race {
	best := map[[2]race.Pos]*found{}
	for _, rec := range recs {
		f := b.found(rec)
		if b.said.ignores(f.Count, f.First.Pos, f.Second.Pos) {
			continue
		}
		sites := [2]race.Pos{f.First.Pos, f.Second.Pos}
		old := best[sites]
		switch {
		case old == nil:
			best[sites] = f
		case better(f, old):
			f.Count += old.Count
			f.Tests = mergeTests(f.Tests, old.Tests)
			best[sites] = f
		default:
			old.Count += f.Count
			old.Tests = mergeTests(old.Tests, f.Tests)
		}
	}
	races := make([]race.Race, 0, len(best))
	for _, f := range best {
		b.complete(f)
		races = append(races, f.Race)
	}
	slices.SortFunc(races, func(x, y race.Race) int {
		return cmp.Or(comparePos(x.First.Pos, y.First.Pos), comparePos(x.Second.Pos, y.Second.Pos))
	})
	return races
}

// found orients a record: the access that stands first in the source comes
// first, and on one line the write.
func (b *builder) found(rec record.Race) *found {
	first, second := b.access(rec.First), b.access(rec.Second)
	firstText, secondText := accessText(first), accessText(second)
	order := cmp.Or(comparePos(first.Pos, second.Pos), -compareBool(first.Op.Writes(), second.Op.Writes()), cmp.Compare(firstText, secondText))
	if order > 0 {
		first, second = second, first
		firstText, secondText = secondText, firstText
		rec.First, rec.Second = rec.Second, rec.First
	}
	f := &found{rec: rec, text: firstText + "\n" + secondText}
	f.Tests = b.testNames(rec.First.Test, rec.Second.Test)
	f.First, f.Second, f.Count, f.Kind = first, second, rec.Count, kindOf(first.Op, second.Op)
	return f
}

func (b *builder) access(a record.Access) race.Access {
	s := b.file.Stacks[a.Stack]
	task := b.task(a.Task)
	task.Test = b.file.Tests[a.Test].Name
	return race.Access{
		Op:     opNames[a.Op],
		Action: actionOf(s),
		Pos:    sitePos(s),
		Stack:  framesOf(s),
		Task:   task,
	}
}

var opNames = [...]race.Op{
	record.OpRead:        race.Read,
	record.OpWrite:       race.Write,
	record.OpAtomicRead:  race.AtomicRead,
	record.OpAtomicWrite: race.AtomicWrite,
}

func kindOf(first, second race.Op) race.Kind {
	switch {
	case first.Writes() && second.Writes():
		return race.WriteWrite
	case first.Writes():
		return race.WriteRead
	default:
		return race.ReadWrite
	}
}

var severity = map[race.Kind]int{race.WriteWrite: 0, race.WriteRead: 1, race.ReadWrite: 2}

// better reports whether x represents its pair of sites rather than y. Of a map
// and one of its elements, which race in the same lines, the map says more; of
// the depths of a recursion, the shallowest.
func better(x, y *found) bool {
	return cmp.Or(
		cmp.Compare(severity[x.Kind], severity[y.Kind]),
		-compareBool(x.First.Action != "", y.First.Action != ""),
		-compareBool(x.Second.Action != "", y.Second.Action != ""),
		cmp.Compare(x.depth(), y.depth()),
		cmp.Compare(x.text, y.text),
		cmp.Compare(x.rec.ObjSize, y.rec.ObjSize),
		cmp.Compare(x.rec.Addr-x.rec.ObjBase, y.rec.Addr-y.rec.ObjBase),
	) < 0
}

// depth is the number of calls and spawns that lead to the two accesses.
func (f *found) depth() int {
	return len(f.First.Stack) + len(f.First.Task.Spawn) + len(f.Second.Stack) + len(f.Second.Task.Spawn)
}

func accessText(a race.Access) string {
	var sb strings.Builder
	fmt.Fprintln(&sb, a.Op, a.Action, a.Task.Test)
	for _, f := range slices.Concat(a.Stack, a.Task.Spawn) {
		fmt.Fprintln(&sb, f.Func, f.File, f.Line)
	}
	return sb.String()
}

func comparePos(x, y race.Pos) int {
	return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
}

func compareBool(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	default:
		return -1
	}
}

// complete fills in what is only worth finding for the races that are shown.
func (b *builder) complete(f *found) {
	first, second := b.file.Stacks[f.rec.First.Stack], b.file.Stacks[f.rec.Second.Stack]
	f.Fingerprint = fingerprint(siteOf(first), siteOf(second))
	b.locate(f, first, second)
	b.part(f)
}

// fingerprint names a pair of sites by their functions and the lines counted
// from where the functions start: an edit elsewhere does not change it.
func fingerprint(a, b record.Frame) string {
	site := func(f record.Frame) string {
		return fmt.Sprintf("%s\x00%d\x00%s", f.Func, f.Line-f.StartLine, filepath.Base(f.File))
	}
	sites := []string{site(a), site(b)}
	slices.Sort(sites)
	sum := sha256.Sum256([]byte(strings.Join(sites, "\x00")))
	return fmt.Sprintf("%x", sum[:8])
}

// locate names the memory of a race.
func (b *builder) locate(f *found, first, second record.Stack) {
	loc := race.Location{Addr: hex(f.rec.Addr)}
	hint := naming.Hint{}
	if sym, ok := b.globals.find(f.rec.Addr); ok {
		loc.Size = sym.size
		loc.Alloc = &race.Alloc{Kind: "global", Name: sym.name, Base: hex(sym.addr), Offset: f.rec.Addr - sym.addr}
		hint.Global = variable(sym.name)
		hint.Offset, hint.Size = f.rec.Addr-sym.addr, sym.size
	} else if f.rec.ObjSize != 0 && f.rec.Addr-f.rec.ObjBase < f.rec.ObjSize {
		loc.Size = f.rec.ObjSize
		loc.Alloc = &race.Alloc{Kind: "heap", Base: hex(f.rec.ObjBase), Offset: f.rec.Addr - f.rec.ObjBase}
		hint.Heap = true
		hint.Offset, hint.Size = f.rec.Addr-f.rec.ObjBase, f.rec.ObjSize
	}
	names := b.namer.Name(siteAccess(f.First, first), siteAccess(f.Second, second), hint)
	loc.Name = names.Name
	f.First.Expr, f.First.Column = names.First.Expr, names.First.Column
	f.Second.Expr, f.Second.Column = names.Second.Expr, names.Second.Column
	f.Location = loc
}

func hex(addr uint64) string { return fmt.Sprintf("0x%x", addr) }

func siteAccess(a race.Access, s record.Stack) naming.Access {
	i := siteIndex(s)
	n := naming.Access{File: a.Pos.File, Line: a.Pos.Line, Write: a.Op.Writes(), Atomic: a.Op == race.AtomicRead || a.Op == race.AtomicWrite, Action: a.Action}
	if i >= 0 {
		n.Func = s[i].Func
	}
	if i > 0 {
		n.Callee = s[i-1].Func
	}
	return n
}
