package disjoint

import "github.com/detrace/detrace/internal/offheap"

// Finishes knows which asyncs are joined with all that started them: those started by
// the owner of their finish, or by another async of it. A bag tells of a task as a
// whole, so of an async that a spawned child or a future started into a finish around
// it, it could not tell that what its creator did before precedes the end of the
// finish too, and nothing else of the creator.
//
// One goroutine at a time. The zero value must be initialised. 4 bytes an async and
// a finish.
type Finishes struct {
	owners offheap.Table[uint32] // by finish
	within offheap.Table[uint32] // by async
}

// Init makes room for so many tasks and as many finishes.
func (f *Finishes) Init(maxTasks uint32) {
	f.owners.Init(maxTasks + 1)
	f.within.Init(maxTasks + 1)
}

// Open notes a finish of task owner and reports whether there was room for it.
func (f *Finishes) Open(finish, owner uint32) (ok bool) {
	if finish >= f.owners.Max() {
		return false
	}
	*f.owners.At(finish) = owner
	return true
}

// Async notes that creator starts task into a finish, 0 for none, and reports whether
// they are joined together. If not, nothing is noted.
func (f *Finishes) Async(task, creator, finish uint32) (together bool) {
	if finish == 0 {
		return true
	}
	if *f.owners.At(finish) != creator && *f.within.At(creator) != finish {
		return false
	}
	*f.within.At(task) = finish
	return true
}
