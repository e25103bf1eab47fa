// Package record is the form in which a judged program hands over what it
// found: one file, mapped shared by the program, that stays readable however
// the program ends.
//
// The file is a header page followed by records, all little-endian. A record
// is a u32 size (of the whole record, a multiple of 8), a u32 kind and its
// payload. Stacks stand before what names them, tasks before the races that name
// them, a task before its parent.
// Counters inside a record change in place; nothing else does.
//
//	stack   id u32, n u32, n times: line u32, startLine u32, flags u32,
//	        funcLen u16, fileLen u16, func, file        innermost frame first
//	task    number u32, parent u32, forkIndex u32, forkStack u32
//	        1 is the main goroutine; parent 0: started by the runtime itself
//	race    count u64, addr u64, objBase u64, objSize u64, test u32, test u32,
//	        two accesses: task u32, index u32, op u32, stack u32
//	luck    like a race: a pair that only this schedule ordered
//	reason  count u64, code u32, stack u32, stack2 u32, test u32
//	test    number u32, len u32, name
//	        0 where a number of a test is expected: outside of tests
//	part    as test: of the test with that name, which has a record of its own
//	end     test u32, outcome u32, ns i64               of a test that ended by itself
//	left    test u32, forkStack u32                     a goroutine that outlived it
//	engine  kind u32, stack u32, stack2 u32, len u32, text
//	        the construct that an engine did not take, and why; see OffEngine
//
// The writer side runs in the judged process and has two homes, like
// internal/offheap.
package record

// Size of the file's header page; records start behind it.
const HeaderSize = 4096

// Version of the format.
const Version = 1

// Magic is the first eight bytes of the file.
const Magic = "detrace1"

// Offsets of the fields of the header page.
const (
	OffMagic    = 0   // 8 bytes
	OffVersion  = 8   // u32
	OffState    = 12  // u32: StateRunning or StateFinished
	OffUsed     = 16  // u64: bytes of committed records
	OffExitCode = 24  // u32, valid when finished
	OffFlags    = 28  // u32: FlagDropped
	OffTasks    = 32  // u64: tasks started
	OffReads    = 40  // u64: read hooks reached
	OffWrites   = 48  // u64: write hooks reached
	OffChecked  = 56  // u64: accesses that changed or had to compare the history
	OffStart    = 64  // u64: monotonic ns
	OffEnd      = 72  // u64: monotonic ns
	OffProcs    = 80  // u32: GOMAXPROCS
	OffPid      = 84  // u32
	OffStates   = 88  // u64: access states interned
	OffBytes    = 96  // u64: bytes the detector used outside shadow memory
	OffEngine   = 104 // u32: engine that a serial run of tasks began with, as in detect/engines; 0 for none
	OffAnswered = 108 // u32: engine that answered at its end
	OffConfig   = 112 // u32: what was left out, for measurements; ConfigFull for nothing
	OffShadow   = 120 // u64: bytes of shadow memory used
	OffShadowed = 128 // u64: bytes of the program's memory that it is of
	OffWaits    = 136 // u64: how often a lock of the detector was not free
	OffRetries  = 144 // u64: how often an atomic exchange met another's
	OffQueued   = 152 // u64: how often the lock of constructs was not free
)

// States of a file.
const (
	StateRunning  = 0
	StateFinished = 1
)

// Flags of a file.
const (
	FlagDropped = 1 // the file was full and later records are missing
	FlagRefused = 2 // the engine asked for cannot judge this program, which was stopped
)

// Configurations: a run in another than ConfigFull is measured, not judged.
const (
	ConfigFull  = 0
	ConfigReach = 1 // the order of tasks is kept, accesses are not looked at
	ConfigInstr = 2 // accesses are seen too, and forgotten
)

// Kinds of records.
const (
	KindStack  = 1
	KindTask   = 2
	KindRace   = 3
	KindReason = 4
	KindEngine = 5
	KindLuck   = 6

	KindTest     = 16
	KindTestPart = 17
	KindTestEnd  = 18
	KindLeft     = 19
)

// FrameStd marks a frame of the standard library or the runtime.
const FrameStd = 1

// Codes of reasons why a run is not certified.
const (
	ReasonLockOrder    = 1 // two tasks took one of the program's locks in an order the schedule chose
	ReasonAtomic       = 2 // unordered atomic operations on one variable
	ReasonSelect       = 3 // a select chose among several cases
	ReasonChannelOrder = 4 // unordered senders or receivers on one channel
	ReasonFirstCaller  = 7 // unordered callers of a Once, or errors of a group, of which the first one counts
	ReasonHistoryFull  = 5 // the access history ran out of room: some accesses were not remembered
	ReasonIOOrder      = 8 // unordered writes to one file or connection, reads from it, or uses of its position
	ReasonEndOrder     = 9 // output that is in no order with the end of the program
)
