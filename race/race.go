// Package race is what a judged run came to: the verdict, the races and the
// reasons behind it, as plain data with one JSON form.
//
// Nothing here computes. Package report fills these types from the records of
// a judged program; tools read them back with [Decode]. The JSON form is
// described by schema.json (version [Version]): fields are only ever added to
// a version, never renamed or given a new meaning.
package race

import (
	"encoding/json"
	"fmt"
	"io"
)

// Version is the version of the JSON form that this package writes and reads.
const Version = 1

// Verdict is the answer to "can a schedule of this program race on this input".
type Verdict string

// The three verdicts.
const (
	// Determinate: no schedule races on this input, and the result cannot
	// depend on the schedule.
	Determinate Verdict = "determinate"
	// Racy: at least one pair of accesses races.
	Racy Verdict = "race"
	// NotCertified: no race was found, but the schedule decides something that
	// the program used; Report.Reasons lists where.
	NotCertified Verdict = "not-certified"
)

// Report is the outcome of one run. The zero value is not a valid report:
// Version and Verdict are always set.
type Report struct {
	Version int     `json:"version"`
	Verdict Verdict `json:"verdict"`
	// Races has one entry per pair of source sites, in the order of their
	// positions. Never nil in a report made by package report.
	Races []Race `json:"races"`
	// Reasons says why the run is not certified. A run with races may have
	// reasons too.
	Reasons []Reason `json:"reasons"`
	Stats   Stats    `json:"stats"`
	// Directives are the comments in the source that took something away from Races or
	// Reasons.
	Directives []Directive `json:"directives,omitempty"`
	// Warnings are the comments in the program's own source that were meant as directives and
	// say nothing, in the files in which nothing was found. In the others such a comment
	// is one of Reasons. They change no verdict.
	Warnings []Warning `json:"warnings,omitempty"`
	// Program is how the judged program ended, nil when nobody knows.
	Program *Program `json:"program,omitempty"`
	// Uninstrumented lists what the verdict does not cover: packages with
	// assembly, cgo and what else was not observed.
	Uninstrumented []string `json:"uninstrumented,omitempty"`
	// Tests has one entry per test, subtest, seed, benchmark and example that was begun,
	// in that order; nil if the program is no test binary.
	Tests []Test `json:"tests,omitempty"`
	// Baseline is what the races were compared with, nil without a baseline.
	Baseline *Baseline `json:"baseline,omitempty"`
}

// Baseline is a list of races that were known before this run.
type Baseline struct {
	// File is its name as the user gave it.
	File string `json:"file"`
	// Known is how many entries of Races are on the list; they have Known set.
	Known int `json:"known"`
	// Stale is what is on the list and was not seen in this run, in its order.
	Stale []Stale `json:"stale,omitempty"`
}

// Stale is an entry of a baseline that this run did not meet.
type Stale struct {
	Fingerprint string `json:"fingerprint"`
	// Comment is what the list says of it.
	Comment string `json:"comment,omitempty"`
}

// New is how many races are on no baseline. It is these that fail a run.
func (r *Report) New() int {
	if r.Baseline == nil {
		return len(r.Races)
	}
	return len(r.Races) - r.Baseline.Known
}

// TestName names a test within a report.
type TestName struct {
	// Package is its import path, empty when nobody knows.
	Package string `json:"package,omitempty"`
	// Name is what package testing calls it, such as TestParse/empty or FuzzX/seed#0.
	Name string `json:"name"`
}

// Outcome is how a test ended, whatever was found in it.
type Outcome string

// The outcomes.
const (
	Pass Outcome = "pass"
	Fail Outcome = "fail"
	Skip Outcome = "skip"
	// Unfinished: the program ended first, by a panic, a timeout, os.Exit or a signal.
	Unfinished Outcome = "unfinished"
)

// Test is what a test came to.
type Test struct {
	// Package and Name are those of its TestName.
	Package string  `json:"package,omitempty"`
	Name    string  `json:"name"`
	Outcome Outcome `json:"outcome"`
	// Verdict is that of the test with its subtests.
	Verdict Verdict `json:"verdict"`
	// Races are the fingerprints of the races of the test with its subtests, in the
	// order of the report's.
	Races []string `json:"races,omitempty"`
	// Left is where goroutines were started that still ran when the test had ended.
	Left    []Frame `json:"left,omitempty"`
	Seconds float64 `json:"seconds"`
}

// ID is the test's name.
func (t *Test) ID() TestName { return TestName{t.Package, t.Name} }

// Kind is which of the two accesses write, in the order first, second.
type Kind string

// The kinds of race. Two reads never race.
const (
	WriteWrite Kind = "write-write"
	WriteRead  Kind = "write-read"
	ReadWrite  Kind = "read-write"
)

// Race is a pair of source sites of which two executions touched the same
// memory, at least one of them writing, with nothing that orders them.
//
// First and Second are in the order of their positions in the source, not of
// time: the two have no order in time, that is the defect.
type Race struct {
	// Fingerprint is 16 hexadecimal digits that stay the same from run to run
	// and when lines move outside the functions of the two accesses.
	Fingerprint string `json:"fingerprint"`
	Kind        Kind   `json:"kind"`
	// Count is how often the pair was seen in this run.
	Count    uint64   `json:"count"`
	Location Location `json:"location"`
	First    Access   `json:"first"`
	Second   Access   `json:"second"`
	// Parted is where the chains of spawns of the two tasks separate.
	Parted *Parted `json:"parted,omitempty"`
	// MissingJoin is the join that would have ordered the two accesses.
	MissingJoin *MissingJoin `json:"missing_join,omitempty"`
	// Tests are the tests that the accesses were made in, sorted; empty outside of tests.
	Tests []TestName `json:"tests,omitempty"`
	// Known says that the baseline has this fingerprint.
	Known bool `json:"known,omitempty"`
}

// Location is the memory that a race is about.
type Location struct {
	// Name is the variable or element as the source writes it (grid[i][j]),
	// or the text of the line where no name could be found.
	Name string `json:"name"`
	// Addr is the first address both accesses touched, hexadecimal with 0x.
	// It differs from run to run.
	Addr string `json:"addr"`
	// Size is the bytes of the heap object or global variable that holds
	// Addr, 0 when unknown.
	Size uint64 `json:"size"`
	// Alloc is that object, nil when unknown.
	Alloc *Alloc `json:"alloc"`
}

// Alloc is the object that holds a racy address.
type Alloc struct {
	// Kind is "heap" or "global".
	Kind string `json:"kind"`
	// Name is the linker's symbol of a global, empty for a heap object.
	Name string `json:"name,omitempty"`
	// Base is the object's address, hexadecimal with 0x.
	Base string `json:"base"`
	// Offset is the racy address less Base, in bytes.
	Offset uint64 `json:"offset"`
}

// Op is what an access did to memory.
type Op string

// The operations.
const (
	Read        Op = "read"
	Write       Op = "write"
	AtomicRead  Op = "atomic read"
	AtomicWrite Op = "atomic write"
)

// Writes reports whether the operation changes memory.
func (o Op) Writes() bool { return o == Write || o == AtomicWrite }

// Access is one side of a race.
type Access struct {
	Op Op `json:"op"`
	// Action says more than Op when the compiler or the runtime accessed memory
	// on behalf of the program: "map write", "append", "close". May be empty.
	Action string `json:"action,omitempty"`
	// Expr is the expression at Pos that touches the location, empty when it
	// could not be told from the line.
	Expr string `json:"expr,omitempty"`
	// Pos is the innermost frame outside the standard library; where there is
	// none, the innermost frame outside the runtime.
	Pos Pos `json:"pos"`
	// Column is where Expr starts in its line, in bytes from 1, 0 when unknown.
	Column int `json:"column,omitempty"`
	// Stack is innermost first.
	Stack []Frame `json:"stack"`
	Task  Task    `json:"task"`
}

// Pos is a line of source. File is as the compiler recorded it, absolute
// unless the program was built with -trimpath.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Frame is one function of a call stack, or one step of a chain of spawns.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"`
	Line int    `json:"line"`
	// Via is the library function that ran the go statement on behalf of this
	// step of a chain of spawns, such as sync.(*WaitGroup).Go.
	Via string `json:"via,omitempty"`
}

// Pos is the frame's line of source.
func (f Frame) Pos() Pos { return Pos{f.File, f.Line} }

// Task is a goroutine.
type Task struct {
	// ID is the serial number of the task in this run; main is 1.
	ID uint32 `json:"id"`
	// Spawn is where each ancestor and then the task itself was started, from
	// main down. Empty for main.
	Spawn []Frame `json:"spawn"`
	// Test is the test on whose behalf it made the access, empty if there is none.
	Test string `json:"test,omitempty"`
}

// Parted is the last common ancestor of two tasks and the two branches.
type Parted struct {
	// Task is the last common ancestor.
	Task Task `json:"task"`
	// First and Second are where that ancestor started the branch that led to
	// the access of that name; nil when the ancestor itself made the access.
	First  *Frame `json:"first"`
	Second *Frame `json:"second"`
}

// MissingJoin is a join that would have ordered the two accesses of a race.
type MissingJoin struct {
	// Spawn is where the task to be joined was started.
	Spawn Frame `json:"spawn"`
	// After and Before are the lines between which the join belongs. They are
	// in one function where possible: the one that led to the start of the
	// task at After, and to the start of the other branch, or to the other
	// access, at Before.
	After  Pos `json:"after"`
	Before Pos `json:"before"`
	// Text says so in words.
	Text string `json:"text"`
}

// Reason is a place where the schedule decides the outcome.
type Reason struct {
	// Code names the construct: lock-order, atomic, select, channel-order,
	// history-full, first-caller, io-order, end-order; luck, for two accesses that only this schedule
	// ordered; or a defect of the run itself: unfinished,
	// records-full, records-damaged, observed-edges; directive for a comment that is
	// none.
	Code string `json:"code"`
	// Pos is the zero Pos when the reason has no place in the source.
	Pos Pos `json:"pos"`
	// Detail is a sentence for people.
	Detail string `json:"detail"`
	// Other is the second place involved, if any.
	Other *Pos `json:"other,omitempty"`
	// Count is how often it happened, 0 when it is not counted.
	Count uint64 `json:"count,omitempty"`
	// Stack and OtherStack are the call stacks at Pos and Other.
	Stack      []Frame `json:"stack,omitempty"`
	OtherStack []Frame `json:"other_stack,omitempty"`
	// Tests are the tests that met it, sorted; empty outside of tests.
	Tests []TestName `json:"tests,omitempty"`
	// Pair is the two accesses of a reason with code luck, as a race has them.
	Pair *Race `json:"pair,omitempty"`
}

// Directive is a comment //detrace:KIND WHY in the source.
type Directive struct {
	// Kind is ignore or commutative.
	Kind string `json:"kind"`
	Pos  Pos    `json:"pos"`
	// Why is what the comment gives as the reason.
	Why string `json:"why"`
	// Count is how often what it took away happened.
	Count uint64 `json:"count"`
}

// Warning is a comment in the source that was meant as a directive and says nothing.
type Warning struct {
	Pos Pos `json:"pos"`
	// Detail is a sentence for people: what is wrong, and what to do.
	Detail string `json:"detail"`
}

// Stats is what the run cost and covered.
type Stats struct {
	// Engine is the reachability algorithm that judged.
	Engine  string `json:"engine"`
	Tasks   uint64 `json:"tasks"`
	Strands uint64 `json:"strands"`
	Reads   uint64 `json:"reads"`
	Writes  uint64 `json:"writes"`
	// Checked is how many accesses needed a look at the access history.
	Checked uint64 `json:"checked"`
	// Seconds is the run time of the judged program.
	Seconds float64 `json:"seconds"`
	// Serial says that the program's tasks ran serially.
	Serial bool `json:"serial,omitempty"`
	// Exchange says why Engine took over from another engine during the run, nil if
	// it judged from the start.
	Exchange *Exchange `json:"exchange,omitempty"`
}

// Exchange is the first thing in a run that an engine could not take. The engine
// that took over knows all that happened before.
type Exchange struct {
	// From is the engine that judged before.
	From string `json:"from"`
	// Construct is the construct's name in text traces; empty for a lock or channel.
	Construct string `json:"construct,omitempty"`
	// At is where, and Other where the other task involved was started, if known.
	At    *Pos `json:"at,omitempty"`
	Other *Pos `json:"other,omitempty"`
	// Why is a sentence for people.
	Why string `json:"why"`
}

// Program is how the judged program ended.
type Program struct {
	// ExitCode is the program's own exit code, -1 when a signal ended it.
	ExitCode int `json:"exit_code"`
	// Signal is the signal that ended it, such as SIGKILL; usually empty.
	Signal string `json:"signal,omitempty"`
}

// Failed reports whether the program itself did not end well.
func (p *Program) Failed() bool { return p != nil && (p.ExitCode != 0 || p.Signal != "") }

// Encode writes the report as one indented JSON object and a newline.
func (r *Report) Encode(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// Decode reads one report. Unknown fields are ignored, as a later minor
// addition may have written them; another version is an error.
func Decode(rd io.Reader) (*Report, error) {
	var r Report
	if err := json.NewDecoder(rd).Decode(&r); err != nil {
		return nil, fmt.Errorf("decode report: %w", err)
	}
	if r.Version != Version {
		return nil, fmt.Errorf("decode report: version %d, this program reads version %d", r.Version, Version)
	}
	return &r, nil
}
