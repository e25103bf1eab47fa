// Package reach holds the words every reachability engine shares: what a
// strand is and what it means that one precedes another. Each child package
// is one engine.
//
// A task is a function instance that may run in parallel with its creator: in
// Go, a goroutine. A strand is a maximal run of a task's instructions without
// a parallel construct; the strands of a task are numbered from 0. Strand u
// precedes strand v when the program's order, forks and joins lead from u to v
// in every schedule with the same edges; two strands neither of which precedes
// the other are parallel.
package reach

// Task identifies a task. 0 is no task, 1 is the root. An engine may give the
// id of a task that nothing can ask about any more to a new one.
type Task uint32

// Strand identifies a strand: its task and its position among the task's
// strands. The zero value is no strand.
type Strand uint64

// StrandOf is the strand at position index of task t.
func StrandOf(t Task, index uint32) Strand { return Strand(t)<<32 | Strand(index) }

// Task is the task that runs s.
func (s Strand) Task() Task { return Task(s >> 32) }

// Index is the position of s among the strands of its task.
func (s Strand) Index() uint32 { return uint32(s) }
