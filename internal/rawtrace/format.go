// Package rawtrace is the form in which a judged program hands over everything that it
// did: raw events of fixed size in a file that stays readable however the program
// ends. Package event turns them into a trace that others can read.
//
// The file is a header page followed by events of 32 bytes, all little-endian, in
// windows of WindowSize bytes, of which the header is part of the first. No event
// crosses the end of a window; what is left there is zero, which is Skip.
//
// The writer side runs in the judged process and has two homes, like
// internal/offheap.
package rawtrace

// Event is one raw event. Which of the fields mean something depends on the kind.
// Tasks are numbered in order of creation: 0 is the runtime itself, 1 usually the main
// goroutine.
type Event struct {
	Kind  Kind
	Task  uint32
	Arg   uint32 // another task
	Place uint32 // where, as a Name says; 0 unknown
	Addr  uint64
	Size  uint64
}

// EventSize is the bytes of an event in the file.
const EventSize = 32

// Kind is what happened.
type Kind uint32

// Kinds from 1 to 13 are the constructs of package reach, with the same numbers: Arg is the
// task that is started or joined, Addr the promise, and Size the finish, for a finish, its end
// and an async, 0 if it is in none.
const (
	Skip Kind = 0 // nothing

	Read        Kind = 32 + iota - 1 // of Size bytes from Addr, at Place
	Write                            // likewise
	AtomicRead                       // likewise
	AtomicWrite                      // likewise; a store or a read-modify-write
	Alloc                            // the memory is new, or gone

	Go    // Task starts the task Arg, which nobody joins
	Ended // Task, which Go started, is over

	// Of the synchronisation object at the address Addr, which holds nothing in new memory.
	Acquire        // Task learned something by taking what the object holds
	Release        // the object holds what Task did so far, and nothing else
	ReleaseMerge   // the object holds that too
	ReleaseAcquire // Release of what Task did before, and Acquire of what the object held; Arg is 1 if it was news
	AcquireAll     // Task learns what every task did so far

	Abandon        // Task will end without joining what it spawned, or has finishes open
	JoinOutOfOrder // Task joins the tasks of its finish Size, which is not the innermost one

	// Name says what Place stands for, before it is used: line Addr of a file whose name
	// has Arg bytes, which follow, filled up with zeros to a multiple of EventSize.
	Name

	// What a file of costs has besides constructs and joins out of order: times, in nanoseconds of
	// CPU time that the process has had.
	Clock  // begins the file: Size is what reading the clock a thousand times takes
	Halted // at Addr, Task stopped its own work for a construct or to wait; Task 0 is the process, at its end
	Cost   // of the construct before: the detector was told of it from Addr to Size
)

// The header page.
const (
	HeaderSize = 4096
	Magic      = "dtraw 1\n"

	OffMagic  = 0  // 8 bytes
	OffUsed   = 8  // u64: bytes of the file that are written
	OffFailed = 16 // u32: 0, or the error number of the system for which there are no later events
)

// WindowSize is how much of the file is mapped at one time, and how much it grows by.
const WindowSize = 16 << 20
