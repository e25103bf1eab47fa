//go:build !judged

package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"
)

// ErrNotStarted is returned for a file that no detector has written to: the
// program never got as far as its first instruction, or could not map it.
var ErrNotStarted = errors.New("the detector in the program never started")

// File is everything a judged program recorded. Only what it refers to is
// there: Damage says what had to be left out.
type File struct {
	Header  Header
	Stacks  map[uint32]Stack
	Tasks   map[uint32]Task
	Races   []Race
	Luck    []Race // pairs that only this schedule ordered
	Reasons []Reason
	Tests   map[uint32]Test
	Left    []Left
	// Exchange is why another engine took over during a serial run, nil if none did.
	Exchange *Exchange
	// Damage describes the first thing wrong with the records, nil for a sound
	// file. A program that was killed leaves a sound file with an unfinished
	// header; damage means a truncated copy or a foreign writer.
	Damage error
}

// Header is the first page of the file.
type Header struct {
	Finished bool // the program reached its end
	Dropped  bool // the file was full and later records are missing
	ExitCode int  // valid when Finished
	Pid      int
	Procs    int // GOMAXPROCS
	Tasks    uint64
	Reads    uint64
	Writes   uint64
	Checked  uint64
	States   uint64
	Bytes    uint64
	Elapsed  time.Duration // 0 unless Finished

	// Shadow is the bytes of shadow memory in use at the end, and Shadowed those of the
	// program that they are about.
	Shadow, Shadowed uint64
	// Waits is how often a lock of the detector was not free, Queued how often of these
	// it was that of constructs, and Retries how often an atomic exchange met another's.
	Waits, Queued, Retries uint64
	// Config is what was left out. In another than ConfigFull nothing was judged.
	Config uint32

	// The engine that a serial run of tasks began with and the one that answered at
	// its end, numbered as in detect/engines; 0 when tasks ran natively. Refused says
	// that the first was asked for and could not go on.
	Engine, Answered uint32
	Refused          bool
}

// Exchange is the construct that an engine did not take.
type Exchange struct {
	Kind   uint32 // a reach.Kind, 0 if it was no construct
	Stack  uint32 // of the construct, 0 if unknown
	Stack2 uint32 // where the other task involved was started, 0 if none
	Why    string
}

// Stack is a call stack, innermost frame first, inlined calls expanded.
type Stack []Frame

// Frame is one function of a stack.
type Frame struct {
	Func, File string
	Line       int
	StartLine  int  // of the function
	Std        bool // standard library or runtime
}

// Task is one goroutine and how it came to be.
type Task struct {
	Parent    uint32 // 0 for the root
	ForkIndex uint32 // strand of the parent that ended with the fork
	ForkStack uint32
}

// Access is one side of a race.
type Access struct {
	Task, Index uint32
	Op          Op
	Stack       uint32
	Test        uint32 // on behalf of which the access was made, 0 for none
}

// Test is a test, subtest, seed, benchmark or example that was begun.
type Test struct {
	Name    string
	Outcome Outcome
	Elapsed time.Duration // 0 if it did not end
	// Part says that this is only a part of the test, which has another number.
	Part bool
}

// Outcome is how a test ended.
type Outcome uint32

// The outcomes.
const (
	Unfinished Outcome = 0
	Pass       Outcome = 1
	Fail       Outcome = 2
	Skip       Outcome = 3
)

// Left is a goroutine that was still running when its test had ended.
type Left struct{ Test, ForkStack uint32 }

// Op is what an access did.
type Op uint32

// The operations.
const (
	OpRead        Op = 1
	OpWrite       Op = 2
	OpAtomicRead  Op = 3
	OpAtomicWrite Op = 4
)

// Race is a pair of accesses that two stacks made, and how often.
type Race struct {
	Count            uint64
	Addr             uint64
	ObjBase, ObjSize uint64 // 0, 0 when Addr is not in a heap object
	First, Second    Access
}

// Reason is a place that keeps the run from being certified.
type Reason struct {
	Count         uint64
	Code          uint32
	Stack, Stack2 uint32 // 0 for none
	Test          uint32 // that met it, 0 for none
}

// ReadFile reads the records in the named file. The errors are ErrNotStarted,
// that it is no records file, or of another version, or what the system said.
// The file may belong to a running or killed program.
func ReadFile(name string) (*File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	page := make([]byte, HeaderSize)
	if n, err := io.ReadFull(f, page); err != nil {
		if err := checkMagic(page[:n]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, fmt.Errorf("%s: %w", name, errShort)
	}
	// The file is as large as the region was mapped, mostly a hole: only what
	// is committed is read.
	used := min(binary.LittleEndian.Uint64(page[OffUsed:]), uint64(max(info.Size(), HeaderSize))-HeaderSize)
	data := append(page, make([]byte, used)...)
	if _, err := io.ReadFull(f, data[HeaderSize:]); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	file, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

var errShort = errors.New("truncated within the header")

func checkMagic(data []byte) error {
	if len(data) == 0 {
		return ErrNotStarted
	}
	head := data[:min(len(data), len(Magic))]
	for _, b := range head {
		if b != 0 {
			if string(head) != Magic {
				return errors.New("not a records file of detrace")
			}
			return nil
		}
	}
	return ErrNotStarted
}

// Parse reads the records in data, the contents of a file. It returns an error
// only when there is no usable header; everything else is File.Damage.
func Parse(data []byte) (*File, error) {
	if err := checkMagic(data); err != nil {
		return nil, err
	}
	if len(data) < HeaderSize {
		return nil, errShort
	}
	if v := binary.LittleEndian.Uint32(data[OffVersion:]); v != Version {
		return nil, fmt.Errorf("records of version %d, this detrace reads version %d: build the program and read its records with the same detrace", v, Version)
	}
	f := &File{Header: parseHeader(data), Stacks: map[uint32]Stack{}, Tasks: map[uint32]Task{}}
	used := binary.LittleEndian.Uint64(data[OffUsed:])
	rest := data[HeaderSize:]
	if used > uint64(len(rest)) {
		f.damaged(fmt.Errorf("%d bytes of records are missing at the end", used-uint64(len(rest))))
		used = uint64(len(rest))
	}
	f.parseRecords(rest[:used])
	f.checkReferences()
	return f, nil
}

func parseHeader(b []byte) Header {
	u32 := func(off int) uint32 { return binary.LittleEndian.Uint32(b[off:]) }
	u64 := func(off int) uint64 { return binary.LittleEndian.Uint64(b[off:]) }
	h := Header{
		Finished: u32(OffState) == StateFinished,
		Dropped:  u32(OffFlags)&FlagDropped != 0,
		Refused:  u32(OffFlags)&FlagRefused != 0,
		Engine:   u32(OffEngine),
		Answered: u32(OffAnswered),
		ExitCode: int(int32(u32(OffExitCode))),
		Pid:      int(int32(u32(OffPid))),
		Procs:    int(int32(u32(OffProcs))),
		Tasks:    u64(OffTasks),
		Reads:    u64(OffReads),
		Writes:   u64(OffWrites),
		Checked:  u64(OffChecked),
		States:   u64(OffStates),
		Bytes:    u64(OffBytes),
		Config:   u32(OffConfig),
		Shadow:   u64(OffShadow),
		Shadowed: u64(OffShadowed),
		Waits:    u64(OffWaits),
		Retries:  u64(OffRetries),
		Queued:   u64(OffQueued),
	}
	if start, end := u64(OffStart), u64(OffEnd); h.Finished && end > start {
		h.Elapsed = time.Duration(end - start)
	}
	return h
}

func (f *File) damaged(err error) {
	if f.Damage == nil {
		f.Damage = err
	}
}

func (f *File) parseRecords(b []byte) {
	for off := 0; off < len(b); {
		rec := b[off:]
		if len(rec) < 8 {
			f.damaged(fmt.Errorf("record at byte %d: cut off", HeaderSize+off))
			return
		}
		size, kind := binary.LittleEndian.Uint32(rec), binary.LittleEndian.Uint32(rec[4:])
		if size < 8 || size%8 != 0 || uint64(size) > uint64(len(rec)) {
			f.damaged(fmt.Errorf("record at byte %d: impossible size %d", HeaderSize+off, size))
			return
		}
		c := &cursor{b: rec[8:size]}
		f.parseRecord(kind, c)
		if c.err != nil {
			f.damaged(fmt.Errorf("record at byte %d: %w", HeaderSize+off, c.err))
		}
		off += int(size)
	}
}

// parseRecord adds one record, or leaves it out when c.err is set. A kind
// it does not know is damage too: what it says might change the verdict.
func (f *File) parseRecord(kind uint32, c *cursor) {
	switch kind {
	case KindStack:
		f.parseStack(c)
	case KindTask:
		f.parseTask(c)
	case KindRace:
		f.Races = appendPair(f.Races, c)
	case KindLuck:
		f.Luck = appendPair(f.Luck, c)
	case KindReason:
		r := Reason{Count: c.u64(), Code: c.u32(), Stack: c.u32(), Stack2: c.u32(), Test: c.u32()}
		// Kept whatever is missing: a reason without a place still counts.
		f.Reasons = append(f.Reasons, r)
	case KindEngine:
		e := Exchange{Kind: c.u32(), Stack: c.u32(), Stack2: c.u32()}
		e.Why = c.text(int(c.u32()))
		if c.err == nil {
			f.Exchange = &e
		}
	case KindTest, KindTestPart, KindTestEnd, KindLeft:
		f.parseTest(kind, c)
	default:
		c.fail("unknown kind %d", kind)
	}
}

// parseTest adds what a record says of a test.
func (f *File) parseTest(kind uint32, c *cursor) {
	number, next := c.u32(), c.u32()
	t := f.Tests[number]
	switch kind {
	case KindTest, KindTestPart:
		t.Name, t.Part = c.text(int(next)), kind == KindTestPart
	case KindTestEnd:
		t.Outcome, t.Elapsed = Outcome(next), time.Duration(uint64(c.u32())|uint64(c.u32())<<32)
		if t.Outcome > Skip {
			c.fail("test %d has outcome %d", number, next)
		}
	case KindLeft:
		if c.err == nil {
			f.Left = append(f.Left, Left{number, next})
		}
		return
	}
	if f.Tests == nil {
		f.Tests = map[uint32]Test{}
	}
	if c.err == nil && number != 0 {
		f.Tests[number] = t
	}
}

func (f *File) parseStack(c *cursor) {
	id, n := c.u32(), c.u32()
	if n > uint32(len(c.b)/frameFixed) {
		c.fail("stack %d claims %d frames", id, n)
		return
	}
	s := make(Stack, 0, n)
	for range n {
		fr := Frame{Line: int(int32(c.u32())), StartLine: int(int32(c.u32()))}
		fr.Std = c.u32()&FrameStd != 0
		lenFunc, lenFile := c.u16(), c.u16()
		fr.Func, fr.File = c.text(lenFunc), c.text(lenFile)
		s = append(s, fr)
	}
	if c.err == nil {
		f.Stacks[id] = s
	}
}

// frameFixed is the bytes of a frame before its two texts.
const frameFixed = 16

func (f *File) parseTask(c *cursor) {
	id := c.u32()
	t := Task{Parent: c.u32(), ForkIndex: c.u32(), ForkStack: c.u32()}
	switch {
	case c.err != nil:
		return
	case id == 0 || t.Parent >= id:
		// Serial numbers grow with time; anything else could be a cycle.
		c.fail("task %d has parent %d", id, t.Parent)
		return
	}
	f.Tasks[id] = t
}

// checkReferences wants every stack and every task to be there, with ancestors
// up to the root. It comes last: threads of the program write side by side, so
// a race can stand before the stack that another thread was about to write.
func (f *File) checkReferences() {
	stack := func(id uint32) {
		if _, ok := f.Stacks[id]; !ok && id != 0 {
			f.damaged(fmt.Errorf("stack %d is missing", id))
		}
	}
	for _, r := range slices.Concat(f.Races, f.Luck) {
		for _, a := range []Access{r.First, r.Second} {
			if _, ok := f.Tasks[a.Task]; !ok {
				f.damaged(fmt.Errorf("task %d has no record", a.Task))
			}
			if a.Stack == 0 {
				f.damaged(errors.New("a race has no stack"))
			}
			stack(a.Stack)
		}
	}
	for _, r := range f.Reasons {
		stack(r.Stack)
		stack(r.Stack2)
	}
	for _, l := range f.Left {
		stack(l.ForkStack)
	}
	if f.Exchange != nil {
		stack(f.Exchange.Stack)
		stack(f.Exchange.Stack2)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Tasks)) {
		t := f.Tasks[id]
		if _, ok := f.Tasks[t.Parent]; !ok && t.Parent != 0 {
			f.damaged(fmt.Errorf("task %d has no record", t.Parent))
		}
		stack(t.ForkStack)
	}
}

func appendPair(pairs []Race, c *cursor) []Race {
	r := Race{Count: c.u64(), Addr: c.u64(), ObjBase: c.u64(), ObjSize: c.u64()}
	one, two := c.u32(), c.u32()
	r.First, r.Second = c.access(), c.access()
	r.First.Test, r.Second.Test = one, two
	if c.err != nil {
		return pairs
	}
	for _, a := range []Access{r.First, r.Second} {
		if a.Op < OpRead || a.Op > OpAtomicWrite {
			c.fail("race with operation %d", a.Op)
			return pairs
		}
	}
	return append(pairs, r)
}

// cursor reads values off the front of a record's payload. After the first
// failure it yields zeros.
type cursor struct {
	b   []byte
	err error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *cursor) take(n int) []byte {
	if c.err != nil || n > len(c.b) {
		c.fail("cut off")
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) u16() int {
	if b := c.take(2); b != nil {
		return int(binary.LittleEndian.Uint16(b))
	}
	return 0
}

func (c *cursor) u32() uint32 {
	if b := c.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (c *cursor) u64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (c *cursor) text(n int) string { return string(c.take(n)) }

func (c *cursor) access() Access {
	return Access{Task: c.u32(), Index: c.u32(), Op: Op(c.u32()), Stack: c.u32()}
}
